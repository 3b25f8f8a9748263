import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError, messageOf } from '../command-error.ts';

/**
 * Lets `write` fill a file beside this one, which then takes its place; or leaves nothing behind. Without `mode`, whoever could
 * read the file that was there can read the new one, and nobody else.
 */
export async function replaceFile<T>(file: string, write: (out: FileHandle) => Promise<T>, mode?: number): Promise<T> {
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  const before = mode === undefined ? await fs.stat(file).catch(() => undefined) : undefined;
  const out = await fs.open(unfinished, 'wx', before === undefined ? mode : 0o600).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be written: ${messageOf(error)}`);
  });
  try {
    if (before) await out.chmod(before.mode & 0o777);
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
