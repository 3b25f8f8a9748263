import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { isMailAddress } from '../lib/mail-address.ts';
import type { FirstOwner } from './prepare-database.ts';

/** Whether a person can answer: both ends are a terminal, and this process may read from it. */
export async function canAsk(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  // Reading from the terminal would stop a process in the background (`npm start &`). `+`: it is in the foreground.
  const listed = promisify(execFile)('ps', ['-o', 'stat=', '-p', String(process.pid)]);
  return listed.then(({ stdout }) => stdout.includes('+')).catch(() => false);
}

/**
 * Asks on the terminal for the address of the first owner, until there is a valid one or an empty line; whether it was
 * changed. The service answers requests meanwhile. Ends without an answer at the signal, and when the terminal closes.
 */
export async function askForEmail({ email, changeEmail }: FirstOwner, signal: AbortSignal): Promise<boolean> {
  // Without `terminal` the terminal itself edits the line, and Ctrl-C stays a signal.
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  const given = new AbortController();
  const giveUp = (): void => given.abort();
  lines.on('close', giveUp);
  // The terminal is gone.
  process.stdin.once('error', giveUp);
  // After Ctrl-Z this process may go on in the background, where reading would stop it.
  process.once('SIGCONT', giveUp);
  const until = AbortSignal.any([signal, given.signal]);
  try {
    for (;;) {
      const answer = await lines.question(`Your e-mail address, for mail about submissions [${email}]: `, {
        signal: until,
      });
      const address = answer.trim().toLowerCase();
      if (address === '' || address === email) return false;
      if (!isMailAddress(address)) {
        process.stdout.write(`${JSON.stringify(address)} is not an e-mail address. Enter keeps ${email}.\n`);
        continue;
      }
      const changed = await changeEmail(address).catch(() => 'failed' as const);
      if (changed === 'changed') {
        process.stdout.write(`Mail about submissions goes to ${address}.\n\n`);
        return true;
      }
      if (changed === 'no-owner') {
        process.stdout.write(`${address} was not stored: the address has been set by the command meanwhile.\n\n`);
        return true;
      }
      const problem = changed === 'taken' ? 'is the address of another owner' : 'could not be stored';
      process.stdout.write(`${address} ${problem}. Enter keeps ${email}.\n`);
    }
  } catch (error) {
    if (until.aborted) {
      process.stdout.write('\n');
      return false;
    }
    throw error;
  } finally {
    process.off('SIGCONT', giveUp);
    lines.close();
  }
}
