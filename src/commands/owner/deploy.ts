import { watch } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { COMMAND_LIMITS } from '../../limits.ts';
import { CommandError, messageOf, UsageError } from '../command-error.ts';
import { HTML } from './check.ts';
import { showProblems } from './findings.ts';
import { untilInterrupted } from './interrupt.ts';
import { printAnswer, printable, printLine, say } from './output.ts';
import { readPage, STANDARD_INPUT } from './page-file.ts';
import { pageOf, rememberPage } from './page-ids.ts';
import { ApiError, idOf, isTransient, type Service } from './service.ts';

export type DeployOptions = {
  json?: true | undefined;
  slug?: string | undefined;
  id?: string | undefined;
  new?: true | undefined;
  watch?: true | undefined;
};

type Target = { file: string; id: string | undefined; slug: string | undefined; json?: true | undefined };

/** Publishes the bytes of a page, or puts them in place of what is live. Answers the deployment's id. */
async function publish({ api, answer }: Service, page: Buffer, { file, id, slug, json }: Target): Promise<string> {
  const body = { body: page.toString(), ...HTML, bodySerializer: () => page };
  const { data, text } = await answer(
    id === undefined
      ? api.POST('/deploy', { params: { query: slug === undefined ? {} : { slug } }, ...body })
      : api.PUT('/deploy/{id}', { params: { path: { id } }, ...body }),
  );
  await (json ? printAnswer(text) : printLine(printable(data.url)));
  say(`${id === undefined ? 'published' : 'updated'} ${data.slug} (${data.id})`);
  await sayProblems({ api, answer }, file, data.id);
  return data.id;
}

/** What would keep the forms of the live page from arriving. */
async function sayProblems({ api, answer }: Pick<Service, 'api' | 'answer'>, file: string, id: string): Promise<void> {
  try {
    const { data } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } } }));
    const name = file === STANDARD_INPUT ? 'stdin' : file;
    for (const line of showProblems(name, data.problems, process.stderr)) process.stderr.write(`${line}\n`);
  } catch (error) {
    // The page is live all the same.
    say(`its forms were not checked: ${messageOf(error)}`);
  }
}

/** Which page a file is, by the options and by what the file was before; undefined for a new one. */
async function findTarget(service: Service, file: string, options: DeployOptions): Promise<string | undefined> {
  if (options.id !== undefined) return await idOf(service, options.id);
  if (options.new || file === STANDARD_INPUT) return undefined;
  const id = await pageOf(service.url, file);
  if (id === undefined || options.slug === undefined) return id;
  const { data } = await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } } }));
  if (data.slug !== options.slug) {
    throw new UsageError(
      `${file} is the page ${data.slug}, whose slug stays: leave --slug out, or add --new for another page`,
    );
  }
  return id;
}

/** Publishes a file, or updates the page that it is already. */
export async function deploy(service: Service, file: string, options: DeployOptions): Promise<void> {
  const isStandardInput = file === STANDARD_INPUT;
  if (options.watch && isStandardInput) throw new UsageError('--watch needs a FILE: standard input comes once');
  const id = await findTarget(service, file, options);
  const target: Target = { file, id, slug: options.slug, json: options.json };
  let page = await readPage(file);
  const deployed = await publish(service, page, target).catch((error: unknown) => {
    const isGone = id !== undefined && options.id === undefined && error instanceof ApiError && error.status === 404;
    throw isGone
      ? new CommandError(`${id}, the page of ${file}, is not there any more: add --new for a new page`)
      : error;
  });
  if (!isStandardInput && (id === undefined || options.id !== undefined)) {
    await rememberPage(service.url, file, deployed).catch((error: unknown) => {
      throw new CommandError(`it is live, but the next time needs --id ${deployed}: ${messageOf(error)}`);
    });
  }
  if (!options.watch) return;
  await untilInterrupted(async (signal) => {
    say(`${file} is published when it changes; Ctrl-C ends`);
    await onChange(file, signal, async () => {
      try {
        const changed = await readPage(file);
        // Empty: an editor is about to write it.
        if (changed.length === 0 || changed.equals(page)) return 'done';
        await publish(service, changed, { ...target, id: deployed });
        page = changed;
        return 'done';
      } catch (error) {
        const isForNow = isTransient(error);
        say(`${messageOf(error)}; ${isForNow ? 'trying again' : 'saving the file again tries again'}`);
        return isForNow ? 'again' : 'done';
      }
    });
  });
}

/**
 * Does something after each change of a file, one at a time, until the signal fires; and again after a while where `work` says so.
 * Many editors replace the file: so its folder is watched.
 */
function onChange(file: string, signal: AbortSignal, work: () => Promise<'done' | 'again'>): Promise<void> {
  return new Promise((resolvePromise, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let running = Promise.resolve();
    const workIn = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(async () => {
          if ((await work()) === 'again' && !signal.aborted) workIn(COMMAND_LIMITS.deploy.againMs);
        });
      }, ms);
    };
    const start = async (): Promise<void> => {
      const real = await fs.realpath(resolve(file)).catch(() => resolve(file));
      const watcher = watch(dirname(real), { signal }, (_event, name) => {
        if (name === null || name === basename(real)) workIn(COMMAND_LIMITS.deploy.settleMs);
      });
      // It may have changed before it was watched.
      workIn(COMMAND_LIMITS.deploy.settleMs);
      watcher.once('error', reject);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        void running.then(resolvePromise);
      });
    };
    start().catch(reject);
  });
}
