import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CommandError } from '../command-error.ts';
import { changeJsonFile, type JsonFile, readJsonFile } from './json-file.ts';

/*
 * Which page a file is, in `.formhost.json` of the folder where the command runs: for each service the paths of files with the
 * ids of their deployments. A list in the folder that is published would be lost when a build empties that.
 */

export const PAGE_IDS_FILE = '.formhost.json';

const listIn = (folder: string): JsonFile => ({
  path: join(relative('', folder), PAGE_IDS_FILE),
  advice: 'correct it, or delete it and name the page with --id',
});

/** The path of a file as the list in a folder has it: with slashes on every system, so that the list can be shared. */
const pathIn = (folder: string, file: string): string => relative(folder, resolve(file)).replaceAll(sep, '/');

async function idIn(folder: string, url: string, file: string): Promise<string | undefined> {
  const list = listIn(folder);
  const id = (await readJsonFile(list))[url]?.[pathIn(folder, file)];
  if (id === undefined || /^d_[0-9A-Za-z]+$/.test(id)) return id;
  throw new CommandError(`${list.path} is damaged: ${list.advice}`);
}

/** A folder, and those around it. */
const upwards = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))];

/**
 * The page that a file was published as; undefined if it was not. The command may have run in another folder, so the lists
 * of those around the file are read too. `isSafe`: whether the list is not beside the file, where a build may remove it.
 */
export async function pageOf(url: string, file: string): Promise<{ id: string; isSafe: boolean } | undefined> {
  const here = resolve();
  const beside = dirname(resolve(file));
  for (const folder of [here, ...upwards(beside)]) {
    const id = await idIn(folder, url, file);
    if (id !== undefined) return { id, isSafe: folder !== beside || !isWithin(here, beside) };
  }
  return undefined;
}

/** Returns whether the folder `below` is inside `folder`. */
function isWithin(folder: string, below: string): boolean {
  const path = relative(folder, below);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** Stores the id, also while other files are published. */
export const rememberPage = (url: string, file: string, id: string): Promise<void> =>
  changeJsonFile(listIn(resolve()), (pages) => ({ ...pages, [url]: { ...pages[url], [pathIn(resolve(), file)]: id } }));
