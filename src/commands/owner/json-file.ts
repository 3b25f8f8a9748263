import fs from 'node:fs/promises';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { replaceFile } from '../write-file.ts';

/** A file that several commands may change at a time: texts in objects in an object. `advice`: what to do where it is damaged. */
export type JsonFile = { path: string; advice: string; mode?: number };

/** Texts by their names, by the names of the objects that they are in. */
export type JsonTexts = Map<string, ReadonlyMap<string, string>>;

/** Reads a file; nothing where there is none. Throws a CommandError. */
export async function readJsonFile({ path, advice }: JsonFile): Promise<JsonTexts> {
  const text = await fs.readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, /^ENOENT$/)) return '{}';
    throw new CommandError(`${path} cannot be read: ${messageOf(error)}`);
  });
  try {
    const objects = Object.entries<Record<string, string>>(JSON.parse(text));
    return new Map(
      objects.map(([name, texts]) => [
        name,
        new Map(Object.entries(texts).map(([key, value]) => [key, String(value)])),
      ]),
    );
  } catch {
    // The message of JSON.parse would show the file.
    throw new CommandError(`${path} is damaged: ${advice}`);
  }
}

/** Replaces a file by what `change` makes of it, while no other command does. */
export async function changeJsonFile(file: JsonFile, change: (texts: JsonTexts) => unknown): Promise<void> {
  const { lock } = await import('proper-lockfile');
  const release = await lock(file.path, { realpath: false, retries: { retries: 30, minTimeout: 50, maxTimeout: 500 } });
  try {
    const texts = await readJsonFile(file);
    change(texts);
    const objects = Object.fromEntries(Array.from(texts, ([name, inside]) => [name, Object.fromEntries(inside)]));
    await replaceFile(file.path, (out) => out.writeFile(`${JSON.stringify(objects, null, 2)}\n`), file.mode);
  } finally {
    await release();
  }
}
