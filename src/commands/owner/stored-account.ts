import fs from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError, UsageError } from '../command-error.ts';
import { changeJsonFile, type JsonFile, type JsonTexts, readJsonFile } from './json-file.ts';

/*
 * The service that the commands of owners use, and the API key: as `formhost login` has stored them, or of FORMHOST_URL and
 * FORMHOST_KEY. One file has them for each profile, so that a person can use several services.
 */

type Credentials = { url: string; key: string };
/** `keyFrom`: where the key comes from, in words. */
export type Account = Credentials & { keyFrom: string };

/** The profile when none is named. */
const DEFAULT_PROFILE = 'default';

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

/** Returns the file that has the credentials of all profiles, by the profiles' names. */
const credentialsFile = (env: Environment): JsonFile => ({
  path: join(settingsFolder(env), 'formhost', 'credentials.json'),
  advice: 'delete it, and run formhost login again',
  mode: 0o600,
});

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

/** The account of a profile; undefined where there is none. Throws a CommandError. */
function accountIn(profiles: JsonTexts, profile: string): Credentials | undefined {
  const stored = profiles[profile];
  return stored && { url: readUrl(stored.url ?? '', 'url'), key: readKey(stored.key ?? '', 'key') };
}

/** Throws a CommandError where there is no key, or one that is for another service. */
export async function readAccount(env: Environment, profile: string | undefined): Promise<Account> {
  const { FORMHOST_URL: givenUrl, FORMHOST_KEY: givenKey } = env;
  if (profile !== undefined && (givenUrl || givenKey)) {
    throw new UsageError(
      `FORMHOST_URL or FORMHOST_KEY is set, and so is the profile ${profile}: leave one of them out`,
    );
  }
  const file = credentialsFile(env);
  const url = givenUrl ? readUrl(givenUrl, 'FORMHOST_URL') : undefined;
  const isComplete = url && givenKey;
  const stored = isComplete ? undefined : accountIn(await readJsonFile(file), profile ?? DEFAULT_PROFILE);
  if (givenKey) {
    const key = readKey(givenKey, 'FORMHOST_KEY');
    return { url: url ?? stored?.url ?? DEFAULT_URL, key, keyFrom: 'FORMHOST_KEY' };
  }
  if (!stored) {
    throw new CommandError(
      profile === undefined
        ? 'you are not logged in: run formhost login, or set FORMHOST_URL and FORMHOST_KEY'
        : `there is no profile ${profile}: run formhost login --profile ${profile}`,
    );
  }
  // The key of one service is never sent to another.
  if (url && url !== stored.url) {
    throw new CommandError(
      `FORMHOST_URL is ${url}, and your key is for ${stored.url}: set FORMHOST_KEY too, or run formhost login ${url}`,
    );
  }
  return { ...stored, keyFrom: file.path };
}

/** The service whose key is stored, or that FORMHOST_URL names, without a key. */
export async function readService(env: Environment, profile: string | undefined): Promise<Account> {
  const { FORMHOST_URL: given } = env;
  const stored = given ? undefined : accountIn(await readJsonFile(credentialsFile(env)), profile ?? DEFAULT_PROFILE);
  return { url: given ? readUrl(given, 'FORMHOST_URL') : (stored?.url ?? DEFAULT_URL), key: '', keyFrom: '' };
}

/** Stores an account under a profile. Returns the file. */
export async function storeAccount(
  env: Environment,
  { url, key }: Credentials,
  profile = DEFAULT_PROFILE,
): Promise<string> {
  const file = credentialsFile(env);
  const folder = dirname(file.path);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.chmod(folder, 0o700);
  await changeJsonFile(file, (profiles) => ({ ...profiles, [profile]: { url, key } }));
  return file.path;
}

/** Removes the account of a profile. Returns what it was; undefined where there was none. */
export async function removeAccount(env: Environment, profile = DEFAULT_PROFILE): Promise<Credentials | undefined> {
  const file = credentialsFile(env);
  const stored = accountIn(await readJsonFile(file), profile);
  if (stored) await changeJsonFile(file, ({ [profile]: _, ...others }) => others);
  return stored;
}
