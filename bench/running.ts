import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { absolute, processorOf, type Row, residentMb } from './measure.ts';
import { type Case, freePort, START, type Stage, stop } from './stage.ts';
import { submitRound, submitScript } from './submit.ts';

const STARTS = 10;
const IDLE_MS = 3_000;
/** The use of the processor is measured for a minute, when the start has been over for half a minute. */
const SETTLE_MS = 30_000;
const MEASURED_MS = 60_000;
const LOAD_SECONDS = 5;
const LOOK_MS = 5;

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

/** Runs the start command; settles when the service is ready. */
async function startOn({ url }: Stage) {
  const port = await freePort();
  const beganAt = performance.now();
  const [file = '', ...args] = START;
  const child = spawn(file, args, {
    env: { ...process.env, PORT: String(port), DATABASE_URL: url, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isReady(port))) await delay(LOOK_MS);
  return { child, port, took: performance.now() - beganAt };
}

/** The shares of a processor that an idle service and its Postgres use. */
async function idleProcessor(stage: Stage): Promise<Row[]> {
  const { child } = await startOn(stage);
  const seconds = () => processorOf({ formhost: child.pid ?? 0, postgres: stage.postmaster });
  await delay(SETTLE_MS);
  const before = seconds();
  await delay(MEASURED_MS);
  const after = seconds();
  await stop(child);
  const percent = (name: string) => (((after.get(name) ?? 0) - (before.get(name) ?? 0)) / (MEASURED_MS / 1_000)) * 100;
  return [
    absolute('processor, idle', { atMost: 1 }, [percent('formhost')], ' %'),
    absolute('processor of Postgres, idle', { atMost: 1 }, [percent('postgres')], ' %'),
  ];
}

/** How long the start command takes until the service is ready, and what it holds of memory, idle and under load. */
export const running: Case = async (stage) => {
  const script = await submitScript(stage);
  const ready: number[] = [];
  const idle: number[] = [];
  const loaded: number[] = [];
  // The first start compiles what the others find compiled.
  for (let round = 0; round <= STARTS; round += 1) {
    const { child, port, took } = await startOn(stage);
    await delay(IDLE_MS);
    const held = await residentMb(child.pid);
    let most = 0;
    const looking = setInterval(async () => {
      most = Math.max(most, await residentMb(child.pid));
    }, 200);
    await submitRound(stage, script, port, { seconds: LOAD_SECONDS });
    clearInterval(looking);
    await stop(child);
    if (round === 0) continue;
    ready.push(took);
    idle.push(held);
    loaded.push(most);
  }
  return [
    absolute('ready after start', { atMost: 500 }, ready, ' ms'),
    absolute('memory, idle', { atMost: 95 }, idle, ' MB'),
    absolute('memory, submissions', { atMost: 160 }, loaded, ' MB'),
    ...(await idleProcessor(stage)),
  ];
};
