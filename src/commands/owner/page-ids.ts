import { basename, dirname, join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { changeJsonFile, type JsonFile, readJsonFile } from './json-file.ts';

/*
 * Which page a file is, in `.formhost.json` beside it: for each service the names of files with the ids of their deployments.
 */

export const PAGE_IDS_FILE = '.formhost.json';

const listBeside = (file: string): JsonFile => ({
  path: join(dirname(file), PAGE_IDS_FILE),
  advice: 'correct it, or delete it and name the page with --id',
});

/** The id of the page that a file was published as; undefined if it was not. */
export async function pageOf(url: string, file: string): Promise<string | undefined> {
  const list = listBeside(file);
  const id = (await readJsonFile(list))[url]?.[basename(file)];
  if (id === undefined || /^d_[0-9A-Za-z]+$/.test(id)) return id;
  throw new CommandError(`${list.path} is damaged: ${list.advice}`);
}

/** Stores the id, also while other files of the folder are published. */
export const rememberPage = (url: string, file: string, id: string): Promise<void> =>
  changeJsonFile(listBeside(file), (pages) => ({ ...pages, [url]: { ...pages[url], [basename(file)]: id } }));
