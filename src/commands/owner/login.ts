import { UsageError } from '../command-error.ts';
import { DEFAULT_URL, readKey, readUrl, storeAccount } from './account.ts';
import { askFor, askHidden, printAnswer, printable, printLine, say } from './output.ts';
import { readStandardInput } from './page-file.ts';
import { createService } from './service.ts';

const isLocal = ({ hostname }: URL): boolean => /^(?:localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);

/** Stores the address of a service and a key for it, after it has accepted the key. */
export async function login(given: string | undefined, { json }: { json?: true | undefined }): Promise<void> {
  const isAsked = process.stdin.isTTY;
  const asked = given ?? (isAsked ? (await askFor(`Address of the service [${DEFAULT_URL}]: `)).trim() : '');
  const url = readUrl(asked || DEFAULT_URL, asked || DEFAULT_URL);
  if (new URL(url).protocol === 'http:' && !isLocal(new URL(url))) {
    say(`${url} is not encrypted: others on the way can read your key`);
  }
  const typed = isAsked ? await askHidden('API key (it is not shown): ') : await readStandardInput();
  if (!isAsked && typed.trim() === '') {
    throw new UsageError('the API key is read from standard input: formhost login URL < FILE');
  }
  const key = readKey(typed, 'what was given');
  const { api, answer } = createService({ url, key, keyFrom: 'this login' });
  const { data, text } = await answer(api.GET('/me'));
  const file = await storeAccount(process.env, { url, key });
  if (json) await printAnswer(text);
  else await printLine(`Logged in at ${url} as ${printable(data.email)}`);
  say(`the key is stored in ${file}`);
}
