import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import request from 'supertest';
import { vi } from 'vitest';

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Each process of the tests has a hundred ports of its own, below those that systems give to who asks for any. */
const FIRST_PORT = 10_000 + (process.pid % 200) * 100;
let ports = 0;

/** A port on which no program listens, and that no other program gets when it asks for any. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (ports % 100);
    ports += 1;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Node's compile cache, so that only the first of many programs compiles the code. */
const COMPILED = join(PROJECT, 'node_modules/.cache/tests');

/** Starts a program in the project's folder, with these settings only, not with those of this process. */
export function startProgram(file: string, args: readonly string[], settings: Record<string, string>, cwd = PROJECT) {
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: COMPILED, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { child, result: ended.then(([stdout, stderr]) => ({ code: child.exitCode, stdout, stderr })) };
}

/** A command of an operator, as a program. */
export const startAdmin = (args: readonly string[], settings: Record<string, string>) =>
  startProgram(process.execPath, ['src/commands/formhost.ts', 'admin', ...args], settings);

/** A command line in a pseudo terminal: what is written to its standard input is typed there. */
export function startInTerminal(command: string, settings: Record<string, string>) {
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd: PROJECT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: COMPILED, TERM: 'xterm', ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const screen = { text: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen.text += text.replaceAll('\r\n', '\n');
  });
  return { child, screen, ended: once(child, 'close').then(() => child.exitCode) };
}

/**
 * Starts the service as a process of its own, on a free port unless the settings have one: `ready` waits until it serves, `stop`
 * ends it. `prefix`: a command that runs it otherwise. `command`: how it is called in `cwd`.
 */
export async function startServiceProcess(
  settings: Record<string, string>,
  prefix: readonly string[] = [],
  { command = ['bin/formhost', 'start'], cwd = PROJECT } = {},
) {
  const port = settings.PORT ?? String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { child, result } = startProgram('env', [...prefix, ...command], { PORT: port, ...settings }, cwd);
  return {
    url,
    child,
    result,
    async ready() {
      const ended = result.then(({ code, stderr }) => {
        throw new Error(`The service ended with ${code}: ${stderr}`);
      });
      const isReady = () => request(url).get('/readyz').expect(200);
      await Promise.race([ended, vi.waitFor(isReady, { timeout: 110_000, interval: 50 })]);
    },
    /** Answers its exit code and what it has written. */
    stop() {
      child.kill();
      return result;
    },
  };
}

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;
