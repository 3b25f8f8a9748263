import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { askForEmail } from '../../src/start/first-owner-question.ts';
import { createFirstOwner, type FirstOwner } from '../../src/start/prepare-database.ts';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';

type Changed = Awaited<ReturnType<FirstOwner['changeEmail']>>;

const QUESTION = 'Your e-mail address, for mail about submissions [owner@localhost]: ';

const OWNER = { email: 'owner@localhost', key: 'fh_1', signInUrl: 'http://localhost:3000/session' };

/** Asks on streams in place of the terminal. `changeEmail` comes to `changed`, or fails. */
function ask(changed: Changed | Error = 'changed') {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  for (const [name, value] of Object.entries({ stdin, stdout })) {
    const before = Object.getOwnPropertyDescriptor(process, name) ?? {};
    Object.defineProperty(process, name, { value, configurable: true });
    onTestFinished(() => void Object.defineProperty(process, name, before));
  }
  const given: string[] = [];
  async function changeEmail(email: string): Promise<Changed> {
    given.push(email);
    if (changed instanceof Error) throw changed;
    return changed;
  }
  const stopping = new AbortController();
  const isAnswered = askForEmail({ ...OWNER, changeEmail }, stopping.signal);
  return {
    given,
    isAnswered,
    type: (text: string) => void stdin.write(text),
    end: () => void stdin.end(),
    stop: () => stopping.abort(),
    /** The output since the last call. */
    said: () => String(stdout.read() ?? ''),
  };
}

describe('the question for the address of the first owner', () => {
  it('is asked until there is an address, which is stored in lower case', async () => {
    const { given, isAnswered, said, type } = ask();
    expect(said()).toBe(QUESTION);
    type('nobody\n');
    await expect.poll(said).toBe(`"nobody" is not an e-mail address. Enter keeps owner@localhost.\n${QUESTION}`);
    type(' Ada@Start.example\n');
    expect([await isAnswered, said(), given]).toEqual([
      true,
      'Mail about submissions goes to ada@start.example.\n\n',
      ['ada@start.example'],
    ]);
  });

  it('says that nothing was stored when the command has set the address meanwhile', async () => {
    const { isAnswered, said, type } = ask('no-owner');
    type('ada@start.example\n');
    expect([await isAnswered, said()]).toEqual([
      true,
      `${QUESTION}ada@start.example was not stored: the address has been set by the command meanwhile.\n\n`,
    ]);
  });

  it.each<[Changed | Error, string]>([
    ['taken', 'ada@start.example is the address of another owner. Enter keeps owner@localhost.'],
    [new Error('out of reach'), 'ada@start.example could not be stored. Enter keeps owner@localhost.'],
  ])('is asked again when the answer is %s; an empty line keeps the address', async (changed, problem) => {
    const { isAnswered, said, type } = ask(changed);
    type('ada@start.example\n');
    await expect.poll(said).toBe(`${QUESTION}${problem}\n${QUESTION}`);
    type('\n');
    expect(await isAnswered).toBe(false);
  });

  it.each<[string, (asked: ReturnType<typeof ask>) => unknown]>([
    ['the input ends (Ctrl-D)', ({ end }) => end()],
    ['the service stops', ({ stop }) => stop()],
    // After Ctrl-Z it may go on in the background, where reading would stop the process.
    ['the process goes on after a stop', () => process.emit('SIGCONT')],
  ])('is given up when %s', async (_when, happen) => {
    const asked = ask();
    happen(asked);
    expect([await asked.isAnswered, asked.said().trim(), asked.given]).toEqual([false, QUESTION.trim(), []]);
    expect(process.listenerCount('SIGCONT')).toBe(0);
  });
});

it('an embedded database gets a first owner once, and none where more than this machine reaches the service', async () => {
  const database = await testDatabase();
  const db = openDatabase(database.url);
  const create = (HOST: string, isEmbedded: boolean) =>
    createFirstOwner(
      { isEmbedded, connection: { connectionString: database.url }, close: async () => undefined },
      db,
      loadConfig({ HOST }),
    );
  expect([await create('0.0.0.0', true), await create('127.0.0.1', false)]).toEqual([undefined, undefined]);
  const made = { email: 'owner@localhost', key: expect.stringMatching(/^fh_/) };
  expect(await create('127.0.0.1', true)).toMatchObject(made);
  expect(await create('127.0.0.1', true)).toBeUndefined();
});
