import fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { replaceFile } from './write-file.ts';

/*
 * Which page a file is, in `.formhost.json` beside it: for each service the names of files with the ids of their deployments.
 */

type PageIds = Readonly<Record<string, Readonly<Record<string, string>>>>;

const listBeside = (file: string): string => join(dirname(file), '.formhost.json');

async function readList(list: string): Promise<PageIds> {
  const text = await fs.readFile(list, 'utf8').catch((error: unknown) => {
    if (hasCode(error, /^ENOENT$/)) return '{}';
    throw new CommandError(`${list} cannot be read: ${messageOf(error)}`);
  });
  const damaged = (): CommandError =>
    new CommandError(`${list} is damaged: correct it, or delete it and name the page with --id`);
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    throw damaged();
  }
  if (!isObject(stored)) throw damaged();
  const entries = Object.entries(stored).map(([url, pages]): [string, Record<string, string>] => {
    if (!isObject(pages)) throw damaged();
    const ids = Object.entries(pages).map(([name, id]): [string, string] => {
      if (typeof id !== 'string' || !/^d_[0-9A-Za-z]+$/.test(id)) throw damaged();
      return [name, id];
    });
    return [url, Object.fromEntries(ids)];
  });
  return Object.fromEntries(entries);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const own = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The id of the page that a file was published as; undefined if it was not. */
export async function pageOf(url: string, file: string): Promise<string | undefined> {
  return own(own(await readList(listBeside(file)), url) ?? {}, basename(file));
}

/** Stores the id, also while other files of the folder are published. */
export async function rememberPage(url: string, file: string, id: string): Promise<void> {
  const list = listBeside(file);
  const { lock } = await import('proper-lockfile');
  const release = await lock(list, { realpath: false, retries: { retries: 30, minTimeout: 50, maxTimeout: 500 } });
  try {
    const all = await readList(list);
    const changed = { ...all, [url]: { ...own(all, url), [basename(file)]: id } };
    await replaceFile(list, (out) => out.writeFile(`${JSON.stringify(changed, null, 2)}\n`));
  } finally {
    await release();
  }
}
