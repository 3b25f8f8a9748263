import fs from 'node:fs/promises';
import { CommandError, fileError, hasCode } from '../command-error.ts';
import { replaceFile } from '../write-file.ts';

/** A file that several commands may change at a time. `advice`: what to do where it is damaged. */
export type JsonFile = { path: string; advice: string; mode?: number };

/** Texts by their names, in objects by their names. */
export type JsonTexts = Record<string, Record<string, string>>;

const isObject = (value: unknown): value is object => value instanceof Object && !Array.isArray(value);

const areTexts = (value: unknown): value is JsonTexts =>
  isObject(value) &&
  Object.values(value).every(
    (texts) => isObject(texts) && Object.values(texts).every((text) => typeof text === 'string'),
  );

/** Reads a file; nothing where there is none. Throws a CommandError. */
export async function readJsonFile({ path, advice }: JsonFile): Promise<JsonTexts> {
  const text = await fs.readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, /^(?:ENOENT|ENOTDIR)$/)) return '{}';
    throw fileError(`${path} cannot be read`, error);
  });
  const value = parsed(text);
  // The message of JSON.parse would show the file.
  if (!areTexts(value)) throw new CommandError(`${path} is damaged: ${advice}`);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces a file by what `change` makes of it, while no other command does. */
export async function changeJsonFile(file: JsonFile, change: (texts: JsonTexts) => JsonTexts): Promise<void> {
  const { lock } = await import('proper-lockfile');
  const retries = { retries: 30, minTimeout: 50, maxTimeout: 500 };
  const release = await lock(file.path, { realpath: false, retries }).catch((error: unknown) => {
    if (hasCode(error, /^ELOCKED$/))
      throw new CommandError(`${file.path} is being changed by another command: try again`);
    throw fileError(`${file.path} cannot be written`, error);
  });
  try {
    const changed = change(await readJsonFile(file));
    await replaceFile(file.path, (out) => out.writeFile(`${JSON.stringify(changed, null, 2)}\n`), file.mode);
  } finally {
    await release();
  }
}
