import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** One that has lived so long is replaced as if it were the first. */
const LONG_LIFE_MS = 60_000;

/** A process could not start, and has said why: another one would fare no better. */
export class WorkerStartError extends Error {}

/** Tells the process that forked this one, if one did, that it serves. */
export const reportReady = (): void => void process.send?.('ready');

/**
 * Runs `count` processes of this program behind one port, each replaced when it dies, until `stopping` settles; then tells
 * all to stop and waits for them. Rejects with WorkerStartError when one ends before it has ever served.
 */
export async function runWorkers(
  count: number,
  {
    stopping,
    onLoss,
  }: {
    stopping: Promise<void>;
    /** One has ended that nobody stopped. */
    onLoss(lost: { worker: number | undefined; code: number | null; signal: string | null }): void;
  },
): Promise<void> {
  // Each process accepts by itself: what the kernel still holds when one dies, another takes.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const stop = new AbortController();
  const alive = new Set<Worker>();
  const serving = Promise.withResolvers<void>();
  let isServing = false;

  /** Settles when the process has ended; rejects with WorkerStartError where another one would end as well. */
  function life(): Promise<void> {
    const worker = cluster.fork();
    alive.add(worker);
    worker.once('message', () => {
      isServing = true;
      serving.resolve();
    });
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) => {
        alive.delete(worker);
        if (!stop.signal.aborted) onLoss({ worker: worker.process.pid, code, signal });
        if (code === 1 && !isServing && !stop.signal.aborted) reject(new WorkerStartError());
        else resolve();
      });
    });
  }

  /** Keeps one place filled. */
  async function place(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !stop.signal.aborted; ) {
      const bornAt = performance.now();
      await life();
      if (stop.signal.aborted) return;
      if (performance.now() - bornAt > LONG_LIFE_MS) pause = FIRST_PAUSE_MS;
      await delay(pause, undefined, { signal: stop.signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  // One first: what keeps it from serving would keep them all, and be said by each.
  const others = serving.promise.then(() => Promise.all(Array.from({ length: count - 1 }, place)));
  const places = Promise.all([place(), others]);
  try {
    await Promise.race([places, stopping]);
  } finally {
    stop.abort();
    for (const worker of alive) worker.process.kill('SIGTERM');
    await Promise.all(Array.from(alive, (worker) => new Promise((resolve) => worker.once('exit', resolve))));
  }
}
