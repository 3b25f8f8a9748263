import { text } from 'node:stream/consumers';
import { CommandError, UsageError } from '../command-error.ts';
import {
  ask,
  megabytes,
  type Output,
  printAnswer,
  printable,
  printLine,
  printResult,
  printTable,
  say,
} from '../output.ts';
import { DEFAULT_URL, readKey, readUrl, removeAccount, storeAccount } from './account.ts';
import { Service } from './service.ts';

const isLocal = ({ hostname }: URL): boolean => /^(?:localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);

type Profile = { profile: string | undefined };

/** Stores the address of a service and a key for it, after it has accepted the key. */
export async function login(given: string | undefined, { json, profile }: Output & Profile): Promise<void> {
  const isAsked = process.stdin.isTTY;
  const usual = process.env.FORMHOST_URL || DEFAULT_URL;
  const asked = given ?? (isAsked ? (await ask(`Address of the service [${usual}]: `)).trim() : '');
  const url = readUrl(asked || usual, asked || usual);
  if (new URL(url).protocol === 'http:' && !isLocal(new URL(url))) {
    say(`${url} is not encrypted: others on the way can read your key`);
  }
  const typed = isAsked ? await ask('API key (it is not shown): ', { hidden: true }) : await text(process.stdin);
  if (!isAsked && typed.trim() === '') {
    throw new UsageError('the API key is read from standard input: formhost login URL < FILE');
  }
  const key = readKey(typed, 'what was given');
  const service = new Service({ url, key, keyFrom: 'this login' });
  const { data, text: me } = await service.answer(service.api.GET('/me'));
  const file = await storeAccount(process.env, { url, key }, profile);
  if (json) await printAnswer(me);
  else await printLine(`Logged in at ${url} as ${printable(data.email)}`);
  say(`the key is stored in ${file}`);
}

/** Removes the stored key. It stays valid, because other programs may use it. */
export async function logout({ json, profile }: Output & Profile): Promise<void> {
  const stored = await removeAccount(process.env, profile);
  if (!stored) throw new CommandError('nothing is stored: you are not logged in');
  await printResult({ message: `Logged out of ${stored.url}`, url: stored.url }, { json });
  say(`the key stays valid: ${stored.url}/dashboard/account revokes it`);
}

const usage = (used: string, limit: string | undefined): string =>
  limit === undefined ? `${used}, without a limit` : `${used} of ${limit}`;

/** Prints whose key is used, where, and what the plan has left. */
export async function whoami(service: Service, { json }: Output): Promise<void> {
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
}
