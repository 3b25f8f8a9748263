import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';

/*
 * A program that sends one request again and again on several connections, without a pause, until it is stopped. It
 * gets its task as JSON in its argument, and writes how many answers of each status there were when it is told to stop.
 */

/** `fill`: the text that replaces FILL in the body, and how often; for bodies that are too long for an argument. */
const task: {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  fill?: { text: string; times: number };
  connections: number;
} = JSON.parse(process.argv[2] ?? '');
const { fill } = task;
const body = Buffer.from(fill ? task.body.replace('FILL', () => fill.text.repeat(fill.times)) : task.body);
// It simulates other machines: it must not use the processor that the service and its database need.
setPriority(constants.priority.PRIORITY_LOW);
const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
const statuses: Record<string, number> = {};
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());

const send = (): Promise<void> =>
  new Promise((resolve) => {
    const sent = request(task.url, { agent, method: task.method, headers: task.headers }, (response) => {
      statuses[`${response.statusCode}`] = (statuses[`${response.statusCode}`] ?? 0) + 1;
      response.resume().once('close', () => resolve());
    });
    sent.once('error', () => resolve());
    sent.end(body);
  });

await Promise.all(
  Array.from({ length: task.connections }, async () => {
    while (!stopping.signal.aborted) await send();
  }),
);
agent.destroy();
process.stdout.write(JSON.stringify(statuses));
