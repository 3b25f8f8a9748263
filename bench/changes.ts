import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import limitConcurrency from 'p-limit';
import { makeKey } from '../src/db/account/owners.ts';
import { restore, takeDown } from '../src/db/deployments/take-downs.ts';
import { pageRequest, stridingScript, submitRequest } from './growth.ts';
import { absolute, percentile, type Row, wrk } from './measure.ts';
import { addDeployments, type Case, DEPLOYMENTS, type Stage, sql } from './stage.ts';

/** Of each kind; each gives one figure, its p99. */
const SERIES = 3;
const CHANGES = 100;
/** Of what takes longer. */
const FEWER = 20;
const BURST = 100;
/** An owner whose requests have waited for long gets a 503. */
const CONCURRENT_PUTS = 20;
const LARGE_BYTES = 1024 * 1024;
const GOAL = { atMost: 50 };
/** At each process, while there is load. */
const CONNECTIONS = 8;
/** So many that none gets more submissions than it may. Those after them are changed. */
const MANY = 100_000;

const idOf = (n: number): string => `d_${String(MANY + n).padStart(24, '0')}`;
const hostOf = (n: number): string =>
  `bench-${String(MANY + n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}.localhost`;

type Answer = { status: number; body: string };

/** Asks over connections that are kept, with little work: the time until an answer is what is measured. */
function createAsk(port: number): (host: string) => Promise<Answer> {
  const agent = new Agent({ keepAlive: true });
  return async (host) => {
    const asked = get({ agent, host: '127.0.0.1', port, path: '/', headers: { host } });
    const [response] = await once(asked, 'response');
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece);
    return { status: response.statusCode, body: Buffer.concat(pieces).toString() };
  };
}

/** Milliseconds from the end of `change` until an answer of `ask` is `wanted`. */
async function seenAfter(
  change: () => Promise<unknown>,
  ask: () => Promise<Answer>,
  wanted: (answer: Answer) => boolean,
): Promise<number> {
  await change();
  const changedAt = performance.now();
  while (!wanted(await ask())) {
    if (performance.now() - changedAt > 10_000) throw new Error('A change was not seen within 10 s.');
  }
  return performance.now() - changedAt;
}

/** How long after a change has been answered by one process another process serves what it has made. */
export const changes: Case = async (stage) => {
  const { key } = await makeKey(stage.db, { email: 'bench@test.example', defaultPlan: 'unlimited' });
  await addDeployments(stage.connection, DEPLOYMENTS, MANY + BURST);
  await sql(
    stage.connection,
    // As in addDeployments, without triggers.
    "SET session_replication_role = replica; INSERT INTO pages (deployment_id, html) SELECT id, convert_to(repeat('x', 8192), 'UTF8') FROM deployments",
  );
  const [changed, watched] = [await stage.serve(), await stage.serve()];
  const ask = createAsk(watched.port);

  async function request(method: string, path: string, body?: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${changed.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }
  let made = 0;
  /** Puts another page of so many bytes, and waits until it is seen. */
  function put(n: number, bytes: number): Promise<number> {
    made += 1;
    const html = `<p>${made}</p>`.padEnd(bytes, 'x');
    return seenAfter(
      () => request('PUT', `/deploy/${idOf(n)}`, { html }),
      () => ask(hostOf(n)),
      ({ body }) => body === html,
    );
  }
  const until = (change: () => Promise<unknown>, status: number): Promise<number> =>
    seenAfter(
      change,
      () => ask(hostOf(0)),
      (answer) => answer.status === status,
    );

  /** The p99 of each series of changes, which are made one after another, each once the page is in memory. */
  async function series(change: () => Promise<number | readonly number[]>, count = CHANGES): Promise<number[]> {
    const slowest: number[] = [];
    for (let n = 0; n < SERIES; n += 1) {
      const took: number[] = [];
      while (took.length < count) took.push(...[await change()].flat());
      slowest.push(percentile(took, 0.99));
    }
    return slowest;
  }
  const rows: Row[] = [];
  const add = (what: string, values: readonly number[]): void =>
    void rows.push(absolute(`${what}, seen by another process, p99`, GOAL, values, ' ms'));
  const fewAtOnce = limitConcurrency(CONCURRENT_PUTS);
  const burst = (): Promise<number[]> =>
    Promise.all(Array.from({ length: BURST }, (_, n) => fewAtOnce(() => put(n, 8_192))));

  async function deleted(): Promise<number[]> {
    const gone = await until(() => request('DELETE', `/deploy/${idOf(0)}`), 404);
    return [gone, await until(() => request('POST', `/trash/${idOf(0)}/restore`), 200)];
  }
  async function takenDown(): Promise<number[]> {
    const down = await until(() => takeDown(stage.db, idOf(0), 'measured'), 451);
    return [down, await until(() => restore(stage.db, idOf(0)), 200)];
  }
  /** The connection on which changes are announced is lost a while before the change. */
  async function lost(): Promise<number> {
    await sql(
      stage.connection,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'formhost pages'",
    );
    await delay(Math.random() * 600);
    return put(0, 8_192);
  }

  add('PUT', await series(() => put(0, 8_192)));
  add('DELETE and restore', await series(deleted));
  add('take-down and its end', await series(takenDown));
  add('PUT of 1 MiB', await series(() => put(0, LARGE_BYTES), FEWER));
  add(`${BURST} PUTs, ${CONCURRENT_PUTS} at once`, await series(burst));
  add('PUT after a lost connection', await series(lost, FEWER));
  await underLoad(stage, [changed.port, watched.port], async () => {
    add('PUT, under load', await series(() => put(0, 8_192)));
    add('DELETE and restore, under load', await series(deleted));
    add('PUT of 1 MiB, under load', await series(() => put(0, LARGE_BYTES), FEWER));
    add(`${BURST} PUTs, ${CONCURRENT_PUTS} at once, under load`, await series(burst));
  });
  return rows;
};

/** Sends submissions to each of these ports, and asks it for pages, until `play` ends. */
async function underLoad(stage: Stage, ports: readonly number[], play: () => Promise<void>): Promise<void> {
  let isOver = false;
  async function send(name: string, count: number, request: string, port: number): Promise<void> {
    const script = join(stage.folder, `${name}-${port}.lua`);
    while (!isOver) {
      await writeFile(script, stridingScript(count, request, Math.floor(Math.random() * count)));
      // A second at a time: a longer round could not be stopped.
      await wrk(script, port, { connections: CONNECTIONS, seconds: 1 });
    }
  }
  const sent = Promise.all(
    ports.flatMap((port) => [
      send('submissions', MANY, submitRequest('Hello.'), port),
      send('pages', DEPLOYMENTS, pageRequest, port),
    ]),
  );
  try {
    await Promise.race([play(), sent]);
  } finally {
    isOver = true;
    await sent;
  }
}
