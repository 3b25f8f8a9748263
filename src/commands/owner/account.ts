import fs from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { replaceFile } from '../write-file.ts';

/*
 * The service that the commands of owners use, and the API key: as `formhost login` has stored them, or of FORMHOST_URL and
 * FORMHOST_KEY.
 */

/** `keyFrom`: where the key comes from, in words. */
export type Account = { url: string; key: string; keyFrom: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a service listens that nobody has configured otherwise. */
export const DEFAULT_URL = 'http://localhost:3000';

/** The folder for settings of this user, as it is customary on the system. */
function settingsFolder(env: Environment): string {
  // XDG Base Directory Specification: a relative path is ignored. It would leave the key in a folder of the project.
  if (env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME)) return env.XDG_CONFIG_HOME;
  if (process.platform === 'win32' && env.APPDATA) return env.APPDATA;
  return process.platform === 'darwin' ? join(homedir(), 'Library/Application Support') : join(homedir(), '.config');
}

const accountFile = (env: Environment): string => join(settingsFolder(env), 'formhost', 'account.json');

/** The address of a service as it is stored: without a path. Throws a CommandError. */
export function readUrl(text: string, origin: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = address && /^https?:$/.test(address.protocol) && address.username === '' && address.password === '';
  if (!isAddress || address.pathname !== '/') {
    throw new CommandError(`${origin} is not the address of a service: give one such as https://forms.example.org`);
  }
  return address.origin;
}

/** A key that can be sent in a header. Throws a CommandError, without the key. */
export function readKey(text: string, origin: string): string {
  const key = text.trim();
  if (key === '') throw new CommandError(`${origin} is empty: give an API key`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError(`${origin} is not an API key: a key begins with fh_`);
  return key;
}

async function readStored(file: string): Promise<{ url: string; key: string } | undefined> {
  const text = await fs.readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, /^ENOENT$/)) return undefined;
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`);
  });
  if (text === undefined) return undefined;
  try {
    const stored: unknown = JSON.parse(text);
    if (stored instanceof Object && 'url' in stored && 'key' in stored) {
      return { url: readUrl(String(stored.url), 'url'), key: readKey(String(stored.key), 'key') };
    }
  } catch {
    // The message of JSON.parse would show the file.
  }
  throw new CommandError(`${file} is damaged: run formhost login again`);
}

/** Throws a CommandError where there is no key, or one that is for another service. */
export async function readAccount(env: Environment): Promise<Account> {
  const file = accountFile(env);
  const { FORMHOST_URL: givenUrl, FORMHOST_KEY: givenKey } = env;
  const url = givenUrl ? readUrl(givenUrl, 'FORMHOST_URL') : undefined;
  const stored = url && givenKey ? undefined : await readStored(file);
  if (givenKey) {
    const key = readKey(givenKey, 'FORMHOST_KEY');
    return { url: url ?? stored?.url ?? DEFAULT_URL, key, keyFrom: 'FORMHOST_KEY' };
  }
  if (!stored)
    throw new CommandError('you are not logged in: run formhost login, or set FORMHOST_URL and FORMHOST_KEY');
  // The key of one service is never sent to another.
  if (url && url !== stored.url) {
    throw new CommandError(
      `FORMHOST_URL is ${url}, and your key is for ${stored.url}: set FORMHOST_KEY too, or run formhost login ${url}`,
    );
  }
  return { ...stored, keyFrom: file };
}

/** Stores an account, readable by its owner only. Answers the file. */
export async function storeAccount(env: Environment, { url, key }: Pick<Account, 'url' | 'key'>): Promise<string> {
  const file = accountFile(env);
  await fs.mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await fs.chmod(dirname(file), 0o700);
  await replaceFile(file, (out) => out.writeFile(`${JSON.stringify({ url, key }, null, 2)}\n`), 0o600);
  return file;
}
