import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { alternate, type Row, residentMb, wrk, wrkScript } from './measure.ts';
import { type Case, freePort, type Stage, stop } from './stage.ts';
import { submitRound, submitScript } from './submit.ts';

/*
 * Where a process' time goes: the microseconds of processor that a request takes, divided among its steps by a
 * profile (node --cpu-prof).
 */

const SECONDS = 5;

type Frame = { functionName: string; url: string };
type Profile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

/** A sample belongs to the step of the innermost frame that has one. */
const STEPS: readonly [step: string, tells: (frame: Frame) => boolean][] = [
  ['garbage collection', ({ functionName }) => functionName === '(garbage collector)'],
  ['outside of JavaScript (libuv, the kernel)', ({ functionName }) => functionName === '(program)'],
  ['pg: the protocol, the socket to Postgres', ({ url }) => /node_modules\/pg/.test(url)],
  ['knex: bindings, the way to pg', ({ url }) => /node_modules\/(?:knex|lodash)\//.test(url)],
  [
    'the answer: its head, the write',
    ({ functionName }) => /^(?:writeHead|end|detachSocket|resOnFinish)$/.test(functionName),
  ],
  [
    'the form: validated, parsed',
    ({ url }) => /src\/(?:json-text|http\/submit\/(?:form-body|multipart|read-submission))\.ts/.test(url),
  ],
  ['the body: collected', ({ url }) => /src\/http\/body\.ts/.test(url)],
  ['the queue: batches made and settled', ({ url }) => /src\/(?:db|delivery|intake)\//.test(url)],
  ['the page: host, cache, conditions', ({ url }) => /src\/http\/(?:pages\/|hosts)/.test(url)],
  ['the rest of ours: routing, ids, addresses, counting', ({ url }) => url.includes('/src/')],
  ['node:http: parsing, requests and responses', ({ url }) => /^node:_?http|internal\/http/.test(url)],
];
const REST = 'the rest of Node: streams, timers, promises';

/** Shares of all samples that weren't idle, by step. */
function sharesOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const stepOf = new Map<number, string | undefined>();
  for (const { id, callFrame } of nodes) {
    let step: string | undefined = REST;
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      const found = frame && STEPS.find(([, tells]) => tells(frame));
      if (!found) continue;
      [step] = found;
      break;
    }
    stepOf.set(id, callFrame.functionName === '(idle)' ? undefined : step);
  }
  const shares = new Map<string, number>();
  let all = 0;
  samples.forEach((id, index) => {
    const step = stepOf.get(id);
    const time = timeDeltas[index] ?? 0;
    if (step === undefined) return;
    all += time;
    shares.set(step, (shares.get(step) ?? 0) + time);
  });
  return new Map(Array.from(shares, ([step, time]) => [step, time / all]));
}

/** One kind of load on a process that is profiled from its start; what it took at the start is left out by its size. */
async function profiled(stage: Stage, name: string, load: (port: number) => Promise<number>): Promise<void> {
  const port = await freePort();
  const folder = join(stage.folder, name);
  const child = spawn(
    process.execPath,
    ['--cpu-prof', '--cpu-prof-interval', '250', `--cpu-prof-dir=${folder}`, 'src/main.ts'],
    {
      env: { ...process.env, PORT: String(port), DATABASE_URL: stage.url, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  while (
    !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await delay(50);
  await load(port);
  let requests = 0;
  const watched = () => ({ formhost: child.pid ?? 0, postgres: stage.postmaster });
  const round = async () => {
    requests = await load(port);
    return {};
  };
  const [measured] = (await alternate({ round }, watched, 1))('round');
  console.log(`\n${name}: ${(await residentMb(child.pid)).toFixed(0)} MB`);
  await stop(child);
  const [file = ''] = await readdir(folder);
  const shares = sharesOf(JSON.parse(await readFile(join(folder, file), 'utf8')));
  const each = (who: string): number => ((measured?.used.by.get(who) ?? 0) / requests) * 1e6;
  for (const [step, share] of [...shares].toSorted(([, a], [, b]) => b - a)) {
    console.log(`| ${step} | ${(share * each('formhost')).toFixed(1)} |`);
  }
  console.log(`| all of it in Node | ${each('formhost').toFixed(1)} |\n| Postgres | ${each('postgres').toFixed(1)} |`);
}

export const steps: Case = async (stage): Promise<Row[]> => {
  const script = await submitScript(stage);
  await profiled(stage, 'submission, microseconds', async (port) => {
    const { rate = 0 } = await submitRound(stage, script, port, { seconds: SECONDS });
    return rate * SECONDS;
  });
  await stage.db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(repeat('x', 8192), 'UTF8') FROM deployments ORDER BY id LIMIT 1",
  );
  const page = join(stage.folder, 'page.lua');
  await writeFile(page, wrkScript(1, '"GET / HTTP/1.1\\r\\nHost: bench-a.localhost\\r\\n\\r\\n"'));
  await profiled(
    stage,
    'page of 8 KB, microseconds',
    async (port) => (await wrk(page, port, { seconds: SECONDS })).answers,
  );
  return [];
};
