import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, fileError, hasCode, orFileError } from './command-error.ts';

type Write = (out: FileHandle) => Promise<void>;

/** Lets `write` fill a file beside this one, which `publish` puts into its place; or leaves nothing behind. */
async function fill(
  file: string,
  mode: number | undefined,
  write: Write,
  publish: (unfinished: string) => Promise<void>,
): Promise<void> {
  // Not made of the file's name, which may have no room for more.
  const unfinished = join(dirname(file), `.formhost.${randomBytes(6).toString('hex')}`);
  const unwritable = `${file} cannot be written`;
  const out = await fs.open(unfinished, 'wx', mode === undefined ? 0o666 : 0o600).catch((error: unknown) => {
    throw fileError(unwritable, error);
  });
  try {
    if (mode !== undefined) await out.chmod(mode);
    await write(out).finally(async () => {
      await out.sync();
      await out.close();
    });
    await publish(unfinished);
  } catch (error) {
    throw orFileError(unwritable, error);
  } finally {
    await fs.rm(unfinished, { force: true });
  }
}

/** On Windows, a file can't be replaced while another program reads it, such as a virus scanner: tries again for a second. */
async function putInPlace(unfinished: string, file: string): Promise<void> {
  for (let left = 20; ; left -= 1) {
    try {
      return await fs.rename(unfinished, file);
    } catch (error) {
      if (process.platform !== 'win32' || left === 0 || !hasCode(error, /^(?:EPERM|EACCES|EBUSY)$/)) throw error;
      await delay(50);
    }
  }
}

/** Writes the whole file or nothing. Without `mode`, whoever could read the file that was there can read the new one, and nobody else. */
export async function replaceFile(file: string, write: Write, mode?: number): Promise<void> {
  const before = await fs.stat(file).catch(() => undefined);
  await fill(file, mode ?? (before && before.mode & 0o777), write, (unfinished) => putInPlace(unfinished, file));
}

/** Writes the whole file or nothing, readable by its owner only. Never overwrites another file: throws a CommandError. */
export async function createFile(file: string, write: (out: Writable) => Promise<void>): Promise<void> {
  const exists = new CommandError(`${file} exists already: choose another name`);
  if (await fs.stat(file).catch(() => undefined)) throw exists;
  const publish = async (unfinished: string): Promise<void> => {
    await fs.link(unfinished, file).catch((error: unknown) => {
      if (hasCode(error, /^EEXIST$/)) throw exists;
      // A file system without links, such as FAT.
      return fs.rename(unfinished, file);
    });
    await using folder = await fs.open(dirname(file), 'r');
    await folder.sync();
  };
  await fill(file, 0o600, (handle) => write(streamTo(handle)), publish);
}

const streamTo = (file: FileHandle): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      file.writeFile(chunk).then(() => done(), done);
    },
  });
