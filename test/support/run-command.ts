import { PassThrough, type Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect } from 'vitest';
import { declareProgram } from '../../src/commands/formhost.ts';

/*
 * Commands in this process, instead of one of their own: what they load is loaded once. What only a process shows, such as signals
 * and closed pipes, is tested with test/support/run-formhost.ts.
 */

type Ended = { code: number | string | null | undefined; stdout: string; stderr: string };
/** `terminal`: standard input is typed with `type`, and standard output has 60 columns and colours. */
type Circumstances = {
  settings?: Record<string, string>;
  cwd?: string | undefined;
  input?: string;
  terminal?: boolean;
};

/** The output of a command, in order. */
class Written extends Writable {
  readonly pieces: Buffer[] = [];
  readonly columns = 60;
  readonly getColorDepth = WriteStream.prototype.getColorDepth;
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(piece);
    done();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }

  get text(): string {
    return this.bytes.toString();
  }
}

/** Gives a command streams in place of this process' own, until the function is called that this returns. */
function replaceStreams(streams: Record<'stdin' | 'stdout' | 'stderr', Readable | Writable>): () => void {
  const before = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  return () => {
    for (const [name, descriptor] of before) if (descriptor) Object.defineProperty(process, name, descriptor);
  };
}

function replaceEnvironment(environment: Record<string, string | undefined>): () => void {
  const before = { ...process.env };
  const set = (wanted: Record<string, string | undefined>): void => {
    for (const name of Object.keys(process.env)) if (wanted[name] === undefined) delete process.env[name];
    for (const [name, value] of Object.entries(wanted)) if (value !== undefined) process.env[name] = value;
  };
  set(environment);
  return () => set(before);
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Starts `formhost` in this process, with these settings only. Those that are started at the same time run one after the
 * other. `out` and `err` are what it has written so far.
 */
export function startCommand(args: readonly string[], circumstances: Circumstances = {}) {
  const { settings = {}, cwd, input = '', terminal = false } = circumstances;
  const [stdout, stderr] = [new Written(terminal), new Written(terminal)];
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal });
  if (!terminal) stdin.end(input);
  const run = async (): Promise<Ended> => {
    const { main } = await import('../../src/commands/formhost.ts');
    const { argv, exitCode } = process;
    const folder = process.cwd();
    const restoreStreams = replaceStreams({ stdin, stdout, stderr });
    const restoreEnvironment = replaceEnvironment({
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      TERM: 'xterm',
      ...settings,
    });
    process.argv = [process.execPath, 'formhost', ...args];
    process.exitCode = undefined;
    try {
      if (cwd !== undefined) process.chdir(cwd);
      await main();
      return { code: process.exitCode ?? 0, stdout: stdout.text, stderr: stderr.text };
    } finally {
      process.chdir(folder);
      process.argv = argv;
      process.exitCode = exitCode;
      restoreEnvironment();
      restoreStreams();
    }
  };
  const result = last.then(run);
  last = result.catch(() => undefined);
  return { out: stdout, err: stderr, type: (text: string) => void stdin.write(text), result };
}

/** Runs `formhost` in this process. */
export const formhost = (args: readonly string[], circumstances: Circumstances = {}): Promise<Ended> =>
  startCommand(args, circumstances).result;

const lineWith = (words: readonly string[]) =>
  expect.stringMatching(new RegExp(`^formhost: ${words.map((word) => `(?=.*${word})`).join('')}.*\\n$`));

/** How a command ends that has succeeded. */
export const done = (stdout: unknown, stderr: unknown = '') => ({ code: 0, stdout, stderr });

const COUNTED = String.raw`[\d,]+ owners?, [\d,]+ deployments? and [\d,]+ submissions?`;
/** A backup into a file, and a restore, that ended well. */
export const backedUp = done(expect.stringMatching(new RegExp(`^backed up ${COUNTED} into \\S+\n$`)));
export const restored = done(expect.stringMatching(new RegExp(`^restored ${COUNTED}\n$`)));
/** The output of a command that succeeds without a message. */
export async function printed(result: Promise<Ended>): Promise<string> {
  const { stdout, ...rest } = await result;
  expect(rest).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** How a command ends that has failed. */
export const failed = (stderr: unknown) => ({ code: 1, stdout: '', stderr });
/** Returns how a command ends that has failed with one line, which has these words. */
export const refusedFor = (...words: string[]) => failed(lineWith(words));
/** How a command ends that was not used as its help says: with one line, which has these words. */
export const misusedFor = (...words: string[]) => ({ code: 2, stdout: '', stderr: lineWith(words) });

/** Commands of an operator on the database of a service: a function of the arguments. */
export const operatorOf =
  ({ databaseUrl }: { databaseUrl: string }, name: string, settings: Record<string, string> = {}) =>
  (...args: string[]): Promise<Ended> =>
    formhost(['admin', name, ...args], { settings: { DATABASE_URL: databaseUrl, ...settings } });

/** All commands, also those that are only declared when they are called. */
export async function declareWholeProgram() {
  const { commands } = await declareProgram([]);
  return declareProgram(commands.map((command) => command.name()));
}
