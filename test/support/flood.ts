import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';

/*
 * A program: sends requests in rotation on so many connections, without a pause, until it is ended. Its argument names
 * a file that has its task as JSON; it writes how many answers of each status there were when it is told to stop.
 */

/** `body`: its bytes as Latin-1. `isUndone`: what the request makes is deleted again. */
export type Target = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  isUndone?: boolean;
};
export type Flood = { url: string; targets: readonly Target[]; connections: number };

const { url, targets, connections }: Flood = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const { hostname, port } = new URL(url);
const bodies = targets.map(({ body }) => Buffer.from(body, 'latin1'));

// It simulates other machines: it must not use the processor that the service and its database need.
setPriority(constants.priority.PRIORITY_LOW);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const statuses: Record<string, number> = {};
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());

const send = (method: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<string> =>
  new Promise((resolve) => {
    const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
      statuses[`${response.statusCode}`] = (statuses[`${response.statusCode}`] ?? 0) + 1;
      text(response).then(resolve, () => resolve(''));
    });
    sent.once('error', () => resolve(''));
    sent.end(body);
  });

let turn = 0;
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (!stopping.signal.aborted) {
      const at = turn % targets.length;
      turn += 1;
      const { method, path, headers, isUndone } = targets[at] ?? { method: 'GET', path: '/', headers: {} };
      const answer = await send(method, path, headers, bodies[at]);
      const [, id] = (isUndone && /"id":"(d_\w+)"/.exec(answer)) || [];
      if (id !== undefined) await send('DELETE', `/deploy/${id}`, headers);
    }
  }),
);
agent.destroy();
process.stdout.write(JSON.stringify(statuses));
