import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { backUp } from '../db/backup/backup.ts';
import { canDump, dump } from '../db/backup/pg-dump.ts';
import { COMMAND_LIMITS } from '../limits.ts';
import { CommandError, UsageError } from './command-error.ts';
import { objectReader, operate, withServer } from './operator.ts';
import { type Output, printLine, say } from './output.ts';

type Write = (out: Writable) => Promise<void>;

/** Writes the whole file or nothing, readable by its owner only, and never overwrites another file. */
async function intoFile(file: string, write: Write): Promise<void> {
  if (existsSync(file)) throw new CommandError(`${file} exists already: choose another name for the backup`);
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  // `flush`: the data is on the disk when the file is closed.
  const out = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  // Created first, because writing may fail at once.
  const written = finished(out);
  const stop = () => void out.destroy(new CommandError('the backup was interrupted: no file was written'));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    await Promise.race([once(out, 'open'), written]);
    await Promise.race([write(out), written]);
    out.end();
    await written;
    await publish(unfinished, file);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await fs.rm(unfinished, { force: true });
  }
}

async function publish(unfinished: string, file: string): Promise<void> {
  await fs.link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new CommandError(`${file} was created meanwhile: choose another name for the backup`);
    // A file system without links, such as FAT.
    return fs.rename(unfinished, file);
  });
  const folder = await fs.open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

const incomplete = (ids: readonly string[]): string =>
  `the bucket lacks the content of ${ids.length} files, or has other content: the backup has the rest, and their names ` +
  `only (${ids.slice(0, COMMAND_LIMITS.lists.incompleteIds).join(', ')}${ids.length > COMMAND_LIMITS.lists.incompleteIds ? ', …' : ''})`;

/** Backs the database up into a file, or to standard output (`-`). */
export const backup = (file: string, { json }: Output): Promise<void> =>
  operate(
    async (settings) => {
      const { config } = settings;
      if (file === '-' && json) throw new UsageError('--json needs a FILE: standard output gets the backup');
      if (file === '-' && process.stdout.isTTY)
        throw new CommandError('a backup cannot be printed on a terminal: name a file');
      const damaged: string[] = [];
      const reading = { readObject: objectReader(config), onDamaged: (id: string) => void damaged.push(id) };
      await withServer(settings, async ({ connection, isEmbedded }) => {
        // With FILES_URL, a file may come into the bucket at any time.
        const dumps = !isEmbedded && config.bucket === undefined && (await canDump(connection, process.env));
        const write: Write = (out) => (dumps ? dump(connection, process.env, out) : backUp(connection, out, reading));
        await (file === '-' ? write(process.stdout) : intoFile(file, write));
      });
      if (damaged.length > 0) say(incomplete(damaged));
      if (json) await printLine(JSON.stringify({ file }));
    },
    (message) => `nothing was backed up: ${message}`,
  );
