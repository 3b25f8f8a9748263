import { text } from 'node:stream/consumers';
import { UsageError } from '../command-error.ts';
import { ask, type Output, printAnswer, printable, printLine, say } from '../output.ts';
import { DEFAULT_URL, readKey, readUrl, storeAccount } from './account.ts';
import { Service } from './service.ts';

const isLocal = ({ hostname }: URL): boolean => /^(?:localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);

/** Stores the address of a service and a key for it, after it has accepted the key. */
export async function login(given: string | undefined, { json }: Output): Promise<void> {
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
  const file = await storeAccount(process.env, { url, key });
  if (json) await printAnswer(me);
  else await printLine(`Logged in at ${url} as ${printable(data.email)}`);
  say(`the key is stored in ${file}`);
}
