import fs from 'node:fs/promises';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { replaceFile } from '../write-file.ts';

/** A file that several commands may change at a time. `advice`: what to do where it is damaged. */
export type JsonFile = { path: string; advice: string; mode?: number };

/** Texts by their names, in objects by their names. */
export type JsonTexts = Record<string, Record<string, string>>;

/** Reads a file; nothing where there is none. Throws a CommandError. */
export async function readJsonFile({ path, advice }: JsonFile): Promise<JsonTexts> {
  const text = await fs.readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, /^ENOENT$/)) return '{}';
    throw new CommandError(`${path} cannot be read: ${messageOf(error)}`);
  });
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse would show the file.
    throw new CommandError(`${path} is damaged: ${advice}`);
  }
}

/** Replaces a file by what `change` makes of it, while no other command does. */
export async function changeJsonFile(file: JsonFile, change: (texts: JsonTexts) => JsonTexts): Promise<void> {
  const { lock } = await import('proper-lockfile');
  const release = await lock(file.path, { realpath: false, retries: { retries: 30, minTimeout: 50, maxTimeout: 500 } });
  try {
    const changed = change(await readJsonFile(file));
    await replaceFile(file.path, (out) => out.writeFile(`${JSON.stringify(changed, null, 2)}\n`), file.mode);
  } finally {
    await release();
  }
}
