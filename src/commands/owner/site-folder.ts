import fs from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { CommandError } from '../command-error.ts';
import { PAGE_OF_FOLDER, readPage } from './page-file.ts';
import { PAGE_IDS_FILE } from './page-ids.ts';

/** The same for all files, so that the zips of the same files are equal. */
const MTIME = new Date(2000, 0);

/** Whether a file or folder belongs to macOS, to a tool or to an editor: the service refuses most of these names. */
const isSkipped = (path: string, name: string): boolean =>
  name === '__MACOSX' || name === 'node_modules' || (name.startsWith('.') && path !== '.well-known');

/** A zip of all files of a folder, and the paths of what it leaves out. Throws a CommandError. */
export async function packFolder(folder: string): Promise<{ zip: Buffer; skipped: string[] }> {
  const zip = new ZipFile();
  const skipped: string[] = [];
  // Paths in the zip have slashes on every system.
  const add = async (within: string): Promise<void> => {
    for (const entry of await fs.readdir(join(folder, within), { withFileTypes: true })) {
      const path = within + entry.name;
      const file = join(folder, path);
      if (isSkipped(path, entry.name)) skipped.push(path);
      else if (entry.isDirectory()) await add(`${path}/`);
      else if (entry.isFile()) zip.addBuffer(await readPage(file), path, { mtime: MTIME });
      else throw new CommandError(`${file} is a link, or not a file: put a file in its place, or remove it`);
    }
  };
  const names = await fs.readdir(folder);
  if (!names.includes(PAGE_OF_FOLDER))
    throw new CommandError(`${folder} has no ${PAGE_OF_FOLDER}: add it, or name a file`);
  await add('');
  zip.end();
  return { zip: await buffer(zip.outputStream), skipped: skipped.filter((path) => path !== PAGE_IDS_FILE) };
}
