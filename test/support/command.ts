import { Readable, Writable } from 'node:stream';
import { startProgram } from './process.ts';

/*
 * Commands in this process, instead of one of their own: what they load is loaded once. Each command has tests that start it as people
 * do, which show that it ends, and what signals and closed pipes do.
 */

type Ended = { code: number | string | null | undefined; stdout: string; stderr: string };
type Circumstances = { settings?: Record<string, string>; cwd?: string | undefined; input?: string };

class Collected extends Writable {
  readonly pieces: Buffer[] = [];
  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(piece);
    done();
  }
  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

/** What a command reads and writes in place of this process' own, until the function is called that this answers. */
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

async function run(
  name: string,
  args: readonly string[],
  { settings = {}, cwd, input = '' }: Circumstances,
): Promise<Ended> {
  const { main } = await import('../../src/commands/formhost.ts');
  const [stdout, stderr] = [new Collected(), new Collected()];
  const { argv, exitCode } = process;
  const folder = process.cwd();
  const restoreStreams = replaceStreams({ stdin: Readable.from([Buffer.from(input)]), stdout, stderr });
  const restoreEnvironment = replaceEnvironment({ PATH: process.env.PATH, HOME: '/nonexistent', ...settings });
  process.argv = [process.execPath, 'formhost', ...(name === 'formhost' ? [] : [name]), ...args];
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
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `formhost`, or `formhost` itself, in this process, with these settings only. Those that are run at the same time run one after the other. Which
 * authorities are trusted is what Node reads when it starts: with this setting, the command has a process of its own.
 */
export function runCommand(name: string, args: readonly string[], circumstances: Circumstances = {}): Promise<Ended> {
  const { settings = {} } = circumstances;
  if (settings.NODE_EXTRA_CA_CERTS !== undefined)
    return startProgram(process.execPath, ['src/commands/formhost.ts', name, ...args], settings).result;
  const ended = last.then(() => run(name, args, circumstances));
  last = ended.catch(() => undefined);
  return ended;
}
