import fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { replaceFile } from '../write-file.ts';

/*
 * Which page a file is, in `.formhost.json` beside it: for each service the names of files with the ids of their deployments.
 */

const listBeside = (file: string): string => join(dirname(file), '.formhost.json');

const damaged = (list: string): CommandError =>
  new CommandError(`${list} is damaged: correct it, or delete it and name the page with --id`);

/** A member of an object that is an object itself; an empty one where there is none. */
function memberOf(object: object, name: string, list: string): object {
  const member: unknown = Object.hasOwn(object, name) ? Reflect.get(object, name) : {};
  if (!(member instanceof Object)) throw damaged(list);
  return member;
}

async function readList(list: string): Promise<object> {
  const text = await fs.readFile(list, 'utf8').catch((error: unknown) => {
    if (hasCode(error, /^ENOENT$/)) return '{}';
    throw new CommandError(`${list} cannot be read: ${messageOf(error)}`);
  });
  try {
    return memberOf({ list: JSON.parse(text) }, 'list', list);
  } catch {
    throw damaged(list);
  }
}

/** The id of the page that a file was published as; undefined if it was not. */
export async function pageOf(url: string, file: string): Promise<string | undefined> {
  const list = listBeside(file);
  const pages = memberOf(await readList(list), url, list);
  const id: unknown = Object.hasOwn(pages, basename(file)) ? Reflect.get(pages, basename(file)) : undefined;
  if (id === undefined || (typeof id === 'string' && /^d_[0-9A-Za-z]+$/.test(id))) return id;
  throw damaged(list);
}

/** Stores the id, also while other files of the folder are published. */
export async function rememberPage(url: string, file: string, id: string): Promise<void> {
  const list = listBeside(file);
  const { lock } = await import('proper-lockfile');
  const release = await lock(list, { realpath: false, retries: { retries: 30, minTimeout: 50, maxTimeout: 500 } });
  try {
    const all = await readList(list);
    const changed = { ...all, [url]: { ...memberOf(all, url, list), [basename(file)]: id } };
    await replaceFile(list, (out) => out.writeFile(`${JSON.stringify(changed, null, 2)}\n`));
  } finally {
    await release();
  }
}
