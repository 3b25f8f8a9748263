import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';

/*
 * A program: sends requests in rotation on so many connections, without a pause, until it is ended. Its argument names
 * a file that has its task as JSON; it writes how many answers of each status there were when it is told to stop.
 */

export type Rotation = {
  url: string;
  method: string;
  targets: readonly { path: string; headers: Record<string, string> }[];
  body: string;
  connections: number;
};

const { url, method, targets, body, connections }: Rotation = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const bytes = Buffer.from(body);
// It stands for other machines: it must not take the processor from the service and its database.
setPriority(constants.priority.PRIORITY_LOW);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const { hostname, port } = new URL(url);
const statuses: Record<string, number> = {};
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
let turn = 0;

const send = (): Promise<void> =>
  new Promise((resolve) => {
    const target = targets[turn % targets.length];
    turn += 1;
    const sent = request({ agent, hostname, port, method, ...target }, (response) => {
      statuses[`${response.statusCode}`] = (statuses[`${response.statusCode}`] ?? 0) + 1;
      response.resume().once('close', () => resolve());
    });
    sent.once('error', () => resolve());
    sent.end(bytes);
  });

await Promise.all(
  Array.from({ length: connections }, async () => {
    while (!stopping.signal.aborted) await send();
  }),
);
agent.destroy();
process.stdout.write(JSON.stringify(statuses));
