import { text } from 'node:stream/consumers';
import type { Command } from '@commander-js/extra-typings';
import { CommandError, UsageError } from '../command-error.ts';
import { declare } from '../declare.ts';
import { ask, megabytes, printAnswer, printable, printLine, printResult, printTable, say } from '../output.ts';
import { type Connect, Service } from './api-requests.ts';
import { DEFAULT_URL, readKey, readUrl, removeAccount, storeAccount } from './stored-account.ts';

type Profile = () => string | undefined;

const isLocal = ({ hostname }: URL): boolean => /^(?:localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);

/** The address of a service: the one that is given, typed on a terminal, or usual. */
async function askForUrl(given: string | undefined): Promise<string> {
  const usual = process.env.FORMHOST_URL || DEFAULT_URL;
  const typed = given ?? (process.stdin.isTTY ? (await ask(`Address of the service [${usual}]: `)).trim() : '');
  const url = readUrl(typed || usual, typed || usual);
  if (url.startsWith('http:') && !isLocal(new URL(url))) {
    say(`${url} is not encrypted: others on the way can read your key`);
  }
  return url;
}

async function askForKey(): Promise<string> {
  const isAsked = process.stdin.isTTY;
  const typed = isAsked ? await ask('API key (it is not shown): ', { hidden: true }) : await text(process.stdin);
  if (!isAsked && typed.trim() === '') {
    throw new UsageError('the API key is read from standard input: formhost login URL < FILE');
  }
  return readKey(typed, 'what was given');
}

/** Stores the address of a service and a key for it, after it has accepted the key. */
export const declareLogin = (program: Command, profile: Profile): unknown =>
  declare(
    program,
    'login',
    'Store the address of a service and your API key',
    'The key is asked for without showing it, or read from standard input. Programs set FORMHOST_URL and FORMHOST_KEY instead.',
    '$ login https://forms.example.org',
    '$ login https://forms.example.org < key.txt',
    '$ login https://staging.example.org --profile staging',
  )
    .argument('[url]', 'address of the service (asked for on a terminal)')
    .action(async (given, { json }) => {
      const url = await askForUrl(given);
      const key = await askForKey();
      const service = new Service({ url, key, keyFrom: 'this login' });
      const { data, text: me } = await service.answer(service.api.GET('/me'));
      const file = await storeAccount(process.env, { url, key }, profile());
      await (json ? printAnswer(me) : printLine(`Logged in at ${url} as ${printable(data.email)}`));
      say(`the key is stored in ${file}`);
    });

/** Removes the stored key. It stays valid, because other programs may use it. */
export const declareLogout = (program: Command, profile: Profile): unknown =>
  declare(program, 'logout', 'Remove the stored key', '$ logout').action(async (output) => {
    const stored = await removeAccount(process.env, profile());
    if (!stored) throw new CommandError('nothing is stored: you are not logged in');
    await printResult({ message: `Logged out of ${stored.url}`, url: stored.url }, output);
    say(`the key stays valid: ${stored.url}/dashboard/account revokes it`);
  });

const usage = (used: string, limit: string | undefined): string =>
  limit === undefined ? `${used}, without a limit` : `${used} of ${limit}`;

/** Prints whose key is used, where, and what the plan has left. */
export const declareWhoami = (program: Command, connect: Connect): unknown =>
  declare(program, 'whoami', 'Print the service, the owner of the key, and what the plan allows', '$ whoami').action(
    async ({ json }) => {
      const service = await connect();
      const { data, text: me } = await service.answer(service.api.GET('/me'));
      if (json) return await printAnswer(me);
      const { deployments, deployment_limit, storage_used, storage_limit } = data;
      await printTable(
        ['NAME', 'VALUE'],
        [
          ['service', service.url],
          ['email', data.email],
          ['plan', data.plan],
          ['pages', usage(String(deployments), deployment_limit?.toLocaleString('en'))],
          ['storage', usage(megabytes(storage_used), storage_limit === null ? undefined : megabytes(storage_limit))],
          ['mail', data.mail ? 'yes' : 'no'],
          ['version', data.version],
        ],
      );
    },
  );
