import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { atEnd } from './at-end.ts';
import { PROJECT } from './process.ts';

export const FORMHOST = join(PROJECT, 'bin/formhost');

/** A folder of its own, gone when the test is over, or those of the file that awaits it at its top. */
export async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'formhost-test-')));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Options = { settings?: Record<string, string>; cwd?: string; input?: string };

/** The environment of the command: nothing of this process but what every program needs. */
export const environment = (settings: Record<string, string>): Record<string, string | undefined> => ({
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  NODE_COMPILE_CACHE: join(PROJECT, 'node_modules/.cache/tests'),
  ...settings,
});

/** Starts the command with pipes. `written.out` and `written.err` are what it has written so far. */
export function startFormhost(args: readonly string[], { settings = {}, cwd, input = '' }: Options = {}) {
  const child = spawn(FORMHOST, args, { cwd, env: environment(settings) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    written.out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    written.err += piece;
  });
  child.stdin.on('error', () => undefined).end(input);
  const result = once(child, 'close').then(() => ({
    code: child.exitCode,
    stdout: written.out,
    stderr: written.err,
  }));
  return { child, written, result };
}

/** A proxy in front of a server, which can break connections. `rewrite` changes requests. */
export async function startBreakingProxy(target: string, rewrite = (request: string): string => request) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const state = { connections: 0 };
  /** How many more bytes of answers pass, for each of the next connections that have an answer so long. */
  let budgets: number[] = [];
  let isHeld = false;
  let holdsAfter = false;
  const server = createServer((client) => {
    state.connections += 1;
    if (isHeld) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    sockets.add(client).add(upstream);
    let passed = 0;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
      sockets.delete(upstream);
    };
    client.on('data', (bytes) => {
      upstream.write(rewrite(bytes.toString('latin1')), 'latin1');
    });
    upstream.on('data', (bytes) => {
      const [budget] = budgets;
      const left = budget === undefined ? bytes.length : budget - passed;
      passed += bytes.length;
      if (bytes.length < left || budget === undefined) return void client.write(bytes);
      budgets = budgets.slice(1);
      isHeld = holdsAfter && budgets.length === 0;
      client.write(bytes.subarray(0, Math.max(left, 0)), end);
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    state,
    /** Breaks one connection after the other, each after this many bytes of its answers. */
    breakAfter(...bytes: number[]): void {
      budgets = bytes;
    },
    /** Breaks a connection after this many bytes, and all further ones at once, until the function is called that this answers. */
    holdAfter(bytes: number): () => void {
      budgets = [bytes];
      holdsAfter = true;
      return () => {
        isHeld = false;
        holdsAfter = false;
      };
    },
    /** Breaks what is open now and all further connections, until the function is called that this answers. */
    hold(): () => void {
      isHeld = true;
      for (const socket of sockets) socket.destroy();
      return () => {
        isHeld = false;
      };
    },
    /** Breaks what is open now. */
    breakNow(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}
