import type { Dirent } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { isIgnoredPath } from '../../sites/ignored-names.ts';
import { sitePath } from '../../sites/site-paths.ts';
import { CommandError, fileError } from '../command-error.ts';
import { PAGE_OF_FOLDER, readPage } from './page-file.ts';
import { PAGE_IDS_FILE } from './page-ids.ts';

/** All files get this time, so that zips of the same files are equal. */
const MTIME = new Date(2000, 0);

/** The folder of the zip, so that no path begins as an absolute one of Windows does: `c:notes.txt` is a name elsewhere. */
const ROOT = 'site/';

const listFolder = (folder: string): Promise<Dirent[]> =>
  fs.readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw fileError(`${folder} cannot be read`, error);
  });

const isSkipped = (path: string, entry: Dirent): boolean =>
  entry.name === 'node_modules' || isIgnoredPath(entry.isDirectory() ? `${path}/` : path);

/** Throws where the service would refuse a path, or the zip would change it. */
function checkPath(path: string): void {
  const checked = sitePath(path);
  if ('error' in checked) throw new CommandError(`${checked.error.replace(/\.$/, '')}; give it another name`);
}

/** A zip of all files of a folder, and the paths of what it leaves out. Throws a CommandError. */
export async function packFolder(folder: string): Promise<{ zip: Buffer; skipped: string[] }> {
  const zip = new ZipFile();
  const skipped: string[] = [];
  // Paths in the zip have slashes on every system.
  const add = async (within: string): Promise<void> => {
    for (const entry of await listFolder(join(folder, within))) {
      const path = within + entry.name;
      const file = join(folder, path);
      if (isSkipped(path, entry)) skipped.push(path);
      else if (entry.isDirectory()) await add(`${path}/`);
      else if (entry.isFile()) {
        checkPath(path);
        zip.addBuffer(await readPage(file), ROOT + path, { mtime: MTIME });
      } else throw new CommandError(`${file} is a link, or not a file: put a file in its place, or remove it`);
    }
  };
  const entries = await listFolder(folder);
  if (!entries.some(({ name }) => name === PAGE_OF_FOLDER))
    throw new CommandError(`${folder} has no ${PAGE_OF_FOLDER}: add it, or name a file`);
  await add('');
  zip.end();
  return { zip: await buffer(zip.outputStream), skipped: skipped.filter((path) => path !== PAGE_IDS_FILE) };
}
