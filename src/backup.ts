import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CommandError, fileOf, messageOf, onServer, runProgram } from './command.ts';
import { loadConfig } from './config.ts';
import { backUp } from './db/backup.ts';
import { canDump, dump } from './db/pg-dump.ts';

const USAGE = 'usage: npm run --silent backup -- FILE (or - for standard output)';

type Write = (out: Writable) => Promise<void>;

/** Makes the file whole or not at all, for its owner alone, and never in place of another. */
async function intoFile(file: string, write: Write): Promise<void> {
  if (existsSync(file)) throw new CommandError(`${file} is there already: give the backup another name`);
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  // With `flush`, what was written is on the disk when it is closed.
  const out = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  // From the start: it may break before anything is written.
  const written = finished(out);
  try {
    const stop = () => void out.destroy(new CommandError('the backup was interrupted: nothing is left of it'));
    process.on('SIGINT', stop).on('SIGTERM', stop);
    await Promise.race([once(out, 'open'), written]);
    await Promise.race([write(out), written]);
    out.end();
    await written;
    await publish(unfinished, file);
  } finally {
    await fs.rm(unfinished, { force: true });
  }
}

async function publish(unfinished: string, file: string): Promise<void> {
  await fs.link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new CommandError(`${file} is there by now: give the backup another name`);
    // A file system without links, such as a stick's.
    return fs.rename(unfinished, file);
  });
  const folder = await fs.open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

await runProgram(
  USAGE,
  async (args) => {
    const config = loadConfig(process.env);
    const file = fileOf(args, USAGE);
    if (file === '-' && process.stdout.isTTY) throw new CommandError('a terminal takes no backup: name a file');
    await onServer(config, async ({ connection, isEmbedded }) => {
      const dumps = !isEmbedded && (await canDump(connection, process.env));
      const write: Write = (out) => (dumps ? dump(connection, process.env, out) : backUp(connection, out));
      await (file === '-' ? write(process.stdout) : intoFile(file, write));
    });
  },
  (error) => `nothing was backed up: ${messageOf(error)}`,
);
