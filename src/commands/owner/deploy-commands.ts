import { on } from 'node:events';
import { watch } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import { CommandError, hasCode, messageOf, orFileError, UsageError } from '../command-error.ts';
import { declare } from '../declare.ts';
import { countOf, type Output, printAnswer, printable, printableLines, printLine, say } from '../output.ts';
import { ApiError, type Connect, idOf, retry, type Service } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { bodyOf, PAGE_OF_FOLDER, readPage, STANDARD_INPUT, showProblems } from './page-file.ts';
import { pageOf, rememberPage } from './page-ids.ts';
import { packFolder } from './site-folder.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 150;

/** Publishes a page or a site, or updates the one that it is already. A folder is remembered as the index.html in it. */
export const declareDeploy = (program: Command, connect: Connect): unknown =>
  declare(
    program,
    'deploy',
    'Publish a page or a site, or update it',
    "Which page a file is, is stored in .formhost.json of the folder where you are. Problems of the page's forms are printed on standard error.",
    '$ deploy contact.html',
    '$ deploy contact.html --watch',
    '$ deploy contact.html --preview',
    '$ deploy site --slug spring-fair',
    '$ deploy - --slug spring-sale < sale.html',
  )
    .argument('<file>', 'an HTML file, a folder or a zip with index.html, or - for standard input')
    .option('--slug <slug>', 'name of a new page in its address')
    .addOption(
      new Option('--id <id>', 'update this page (id or slug), and remember it for the file').conflicts(['slug', 'new']),
    )
    .option('--new', 'publish another page, and remember it for the file')
    .addOption(
      new Option('--preview', 'print a secret address of the new version; the live page stays').conflicts([
        'slug',
        'new',
        'watch',
      ]),
    )
    .option('--watch', 'update at every change of the file or folder, until Ctrl-C')
    .action(async (given, options) => {
      const service = await connect({ html: 'the page', slug: '--slug' });
      const isFolder = (await fs.stat(given).catch(() => undefined))?.isDirectory() ?? false;
      const file = isFolder ? join(given, PAGE_OF_FOLDER) : given;
      const isStandardInput = file === STANDARD_INPUT;
      if (options.watch && isStandardInput) throw new UsageError('--watch needs a FILE: standard input comes once');
      const { id, isSafe } = await findTarget(service, file, options);
      const target: Target = { file, folder: isFolder ? given : undefined, id, slug: options.slug, json: options.json };
      const content = await readContent(target);
      if (options.preview) {
        if (id === undefined)
          throw new UsageError(`--preview needs a page: deploy ${given} first, or name one with --id`);
        return preview(service, content, { id, json: options.json });
      }
      const deployed = await publish(service, content, target).catch((error: unknown) => {
        throw adviceFor(error, file, id, options);
      });
      if (!isStandardInput && !isSafe) {
        await rememberPage(service.url, file, deployed).catch((error: unknown) => {
          throw new CommandError(`it is live, but the next time needs --id ${deployed}: ${messageOf(error)}`);
        });
      }
      if (options.watch)
        return untilInterrupted((signal) => follow(service, content.bytes, { ...target, id: deployed }, signal));
      return undefined;
    });

type Target = Output & { file: string; folder: string | undefined; id: string | undefined; slug: string | undefined };

/** `skipped`: paths of a folder that are not sent. */
type Content = { bytes: Buffer; type: 'text/html' | 'application/zip'; skipped: readonly string[] };

async function readContent({ file, folder }: Pick<Target, 'file' | 'folder'>): Promise<Content> {
  if (folder === undefined) {
    return { bytes: await readPage(file), type: /\.zip$/i.test(file) ? 'application/zip' : 'text/html', skipped: [] };
  }
  const { zip, skipped } = await packFolder(folder);
  return { bytes: zip, type: 'application/zip', skipped };
}

/** Publishes a page or a site, or puts it in place of what is live. Returns the deployment's id. */
async function publish(service: Service, content: Content, { file, id, slug, json }: Target): Promise<string> {
  const { bytes, type, skipped } = content;
  const body = bodyOf(bytes, type);
  const { data, text } = await service.answer(
    id === undefined
      ? service.api.POST('/deploy', { params: { query: slug === undefined ? {} : { slug } }, ...body })
      : service.api.PUT('/deploy/{id}', { params: { path: { id } }, ...body }),
  );
  await (json ? printAnswer(text) : printLine(printable(data.url)));
  say(`${id === undefined ? 'published' : 'updated'} ${data.slug} (${data.id})`);
  const [skippedPath] = skipped;
  if (skippedPath !== undefined) {
    say(`skipped ${countOf(skipped.length, 'name')} of the folder, such as ${printable(skippedPath)}`);
  }
  await sayProblems(service, file, data.id, { json });
  return data.id;
}

/** Publishes a page or a site as a preview of a page, and prints its address. */
async function preview(
  service: Service,
  { bytes, type }: Content,
  { id, json }: Output & { id: string },
): Promise<void> {
  const { data, text } = await service.answer(
    service.api.PUT('/deploy/{id}', { params: { path: { id }, query: { preview: '1' } }, ...bodyOf(bytes, type) }),
  );
  await (json ? printAnswer(text) : printLine(printable(data.preview_url ?? '')));
  say(
    `a preview of ${data.slug}, whose forms send tests; formhost rollback ${data.slug} ${data.version} makes it live`,
  );
}

/** Prints what would keep the forms of the live page from arriving. */
async function sayProblems(service: Service, file: string, id: string, { json }: Output): Promise<void> {
  try {
    const { data } = await service.answer(service.quietApi.GET('/deploy/{id}/check', { params: { path: { id } } }));
    const lines = json
      ? data.problems.map((problem) => printableLines(JSON.stringify(problem)))
      : showProblems(file, data.problems, process.stderr);
    for (const line of lines) process.stderr.write(`${line}\n`);
  } catch (error) {
    // The page is live all the same.
    say(`its forms were not checked: ${messageOf(error)}`);
  }
}

type Choice = { slug?: string | undefined; id?: string | undefined; new?: true | undefined };

/**
 * Which page a file is, by the options and by what the file was before; no `id` for a new one. `isSafe`: whether the next
 * command finds it without more.
 */
async function findTarget(
  service: Service,
  file: string,
  options: Choice,
): Promise<{ id: string | undefined; isSafe: boolean }> {
  if (options.id !== undefined) return { id: await idOf(service, options.id), isSafe: false };
  const found = options.new || file === STANDARD_INPUT ? undefined : await pageOf(service.url, file);
  if (!found) return { id: undefined, isSafe: false };
  const { id } = found;
  if (options.slug === undefined) return found;
  const { data } = await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } } }));
  if (data.slug !== options.slug) {
    throw new UsageError(
      `${file} is the page ${data.slug}, whose slug stays: leave --slug out, or add --new for another page`,
    );
  }
  return found;
}

/** In place of an error of the service, one that says what to do here. */
function adviceFor(error: unknown, file: string, id: string | undefined, { id: givenId, slug }: Choice): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.status === 409 && slug !== undefined) {
    return new CommandError(`the slug ${slug} is taken: choose another, or update your page with --id ${slug}`);
  }
  if (error.status === 404 && id !== undefined && givenId === undefined) {
    return new CommandError(`${id}, the page of ${file}, is not there any more: add --new for a new page`);
  }
  return error;
}

/** Publishes after each change, until the signal fires. */
const follow = (service: Service, published: Buffer, target: Target, signal: AbortSignal): Promise<void> =>
  publishChanges(service, published, target, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const what = `${target.folder ?? target.file} cannot be watched`;
    // Linux has a limit for each user, and names it as if the disk were full.
    if (hasCode(error, /^(?:ENOSPC|EMFILE)$/)) {
      throw new CommandError(`${what}: too many files are watched already; close other programs that watch files`);
    }
    throw orFileError(what, error);
  });

/** Many editors replace the file, so its folder is watched. */
async function publishChanges(service: Service, published: Buffer, target: Target, signal: AbortSignal): Promise<void> {
  const { file, folder } = target;
  const real = await fs.realpath(file);
  const watcher = folder === undefined ? watch(dirname(real), { signal }) : watch(folder, { signal, recursive: true });
  const events = on(watcher, 'change', { signal });
  say(`${folder ?? file} is published when it changes; Ctrl-C ends`);
  let live = published;
  const update = async (): Promise<void> => {
    const content = await readContent(target);
    // Empty: an editor is about to write it.
    if (content.bytes.length === 0 || content.bytes.equals(live)) return;
    await publish(service, content, target);
    live = content.bytes;
  };
  // It may have changed before it was watched.
  await updateUntilDone(update, signal);
  for await (const [, name] of events) {
    if (folder === undefined && name !== null && name !== basename(real)) continue;
    await delay(SETTLE_MS, undefined, { signal });
    await updateUntilDone(update, signal);
  }
}

/** Tries again what failed for now. The next change of the file is the next try of the rest. */
const updateUntilDone = (update: () => Promise<void>, signal: AbortSignal): Promise<void> =>
  retry(update, { times: Infinity, signal, tell: (error) => say(`${error.message}; trying again`) }).catch((error) => {
    signal.throwIfAborted();
    say(`${messageOf(error)}; saving the file again tries again`);
  });
