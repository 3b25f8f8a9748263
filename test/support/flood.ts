import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';

/*
 * A program: sends one request over and over on so many connections, without a pause, until it is ended. It gets its task
 * as JSON in its argument, and writes how many answers of each status there were when it is told to stop.
 */

const task: { url: string; method: string; headers: Record<string, string>; body: string; connections: number } =
  JSON.parse(process.argv[2] ?? '');
// It stands for other machines: it must not take the processor from the service and its database.
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
    sent.end(task.body);
  });

await Promise.all(
  Array.from({ length: task.connections }, async () => {
    while (!stopping.signal.aborted) await send();
  }),
);
agent.destroy();
process.stdout.write(JSON.stringify(statuses));
