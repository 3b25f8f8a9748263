import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { Schemas } from '../../client/client.ts';
import { sitePath } from '../../sites/site-paths.ts';
import { CommandError, fileError, hasCode } from '../command-error.ts';
import { forPage } from '../declare.ts';
import { printable, printLine, say } from '../output.ts';
import { replaceFile } from '../write-file.ts';
import { type Connect, connectToPage, type Service } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { checkNames } from './local-names.ts';
import { PAGE_OF_FOLDER } from './page-file.ts';
import { rememberPage } from './page-ids.ts';

const IDLE_TIMEOUT_MS = 60_000;

/** Writes the files of a page into a folder, from where `deploy` updates the page. */
export const declarePull = (program: Command, connect: Connect): unknown =>
  forPage(program, 'pull', 'Write the files of a page into a folder, for deploy', '$ pull contact', '$ deploy contact')
    .argument('[folder]', 'where the files are written (a folder with the name of the slug)')
    .option('--force', 'replace files that are there')
    .action(async (name, given, { json, force }) => {
      const { service, id } = await connectToPage(connect, name);
      const path = { params: { path: { id } } };
      const { data: page } = await service.answer(service.api.GET('/deploy/{id}', path));
      const { data } = await service.answer(service.api.GET('/deploy/{id}/files', path));
      const folder = given ?? page.slug;
      checkNames(data.files.map((file) => file.path));
      await checkPlaces(folder, data.files, force);
      await untilInterrupted(async (signal) => {
        // The page itself comes last: without it, deploy refuses the folder of a pull that was interrupted.
        for (const file of data.files.toReversed()) await pullFile(service, { id, folder, file, signal });
        await rememberPage(service.url, join(folder, PAGE_OF_FOLDER), id);
        const written = data.files.map((file) => join(folder, file.path));
        if (json) await printLine(JSON.stringify({ id, folder, files: written }));
        else for (const file of written) await printLine(printable(file));
        say(`formhost deploy ${folder} updates ${page.slug} (${id})`);
      });
    });

/** Throws where the files can't be written into the folder, or are there already. */
async function checkPlaces(folder: string, files: readonly { path: string }[], force: true | undefined): Promise<void> {
  const top = await statusOf(folder, fs.stat);
  if (top && !top.isDirectory()) throw new CommandError(`${folder} is a file: name another folder`);
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  for (const { path } of files) {
    const checked = sitePath(path);
    if ('error' in checked) throw new CommandError(checked.error);
    if (folders.has(path)) {
      throw new CommandError(
        `the page has a file ${path} and a folder ${path}, and a disk has one of them: remove one`,
      );
    }
    await checkPlace(folder, path, force);
  }
}

/** The folders in which a file of a site is, the innermost first. */
function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' || folder === path ? [] : [folder, ...foldersOf(folder)];
}

async function checkPlace(folder: string, path: string, force: true | undefined): Promise<void> {
  for (const each of foldersOf(path)) {
    const within = join(folder, each);
    const there = await statusOf(within);
    if (there?.isSymbolicLink()) {
      throw new CommandError(`${within} is a link, which may lead out of ${folder}: remove it, or name another folder`);
    }
    if (there && !there.isDirectory()) {
      throw new CommandError(`${within} is a file, where the page has a folder: move it away, or name another folder`);
    }
  }
  const file = join(folder, path);
  const there = await statusOf(file);
  if (there?.isDirectory()) {
    throw new CommandError(`${file} is a folder, where the page has a file: move it away, or name another folder`);
  }
  if (!force && there)
    throw new CommandError(`${file} exists already: add --force to replace it, or name another folder`);
}

/** Returns the status of what is at a place, or undefined if nothing is there. Throws if nothing could be written there. */
const statusOf = (place: string, read: (place: string) => Promise<Stats> = fs.lstat): Promise<Stats | undefined> =>
  read(place).catch((error: unknown) => {
    if (hasCode(error, /^(?:ENOENT|ENOTDIR)$/)) return undefined;
    throw fileError(`${place} cannot be written`, error);
  });

type Wanted = { id: string; folder: string; file: Schemas['SiteFile']; signal: AbortSignal };

/** Writes a file as it was listed, or nothing. */
async function pullFile(service: Service, { id, folder, file: { path, sha256 }, signal }: Wanted): Promise<void> {
  const file = join(folder, path);
  await fs.mkdir(dirname(file), { recursive: true }).catch((error: unknown) => {
    throw fileError(`the folder ${dirname(file)} cannot be made`, error);
  });
  const address = `/deploy/${encodeURIComponent(id)}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
  const pieces = await service.open(address, { type: '', signal, idleMs: IDLE_TIMEOUT_MS });
  const hash = createHash('sha256');
  await replaceFile(file, async (out) => {
    for await (const piece of pieces) {
      hash.update(piece);
      await out.writeFile(piece);
    }
    if (hash.digest('hex') !== sha256) throw new CommandError('the page has changed meanwhile: pull it again');
  });
}
