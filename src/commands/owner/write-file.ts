import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError, messageOf } from '../command-error.ts';

/** Lets `write` fill a file beside this one, which then takes its place; or leaves nothing behind. */
export async function replaceFile<T>(file: string, write: (out: FileHandle) => Promise<T>, mode?: number): Promise<T> {
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  const out = await fs.open(unfinished, 'wx', mode).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be written: ${messageOf(error)}`);
  });
  try {
    const result = await write(out).finally(async () => {
      await out.sync();
      await out.close();
    });
    await fs.rename(unfinished, file);
    return result;
  } finally {
    await fs.rm(unfinished, { force: true });
  }
}
