import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../limits.ts';

/** A process could not start, and has logged why: another one would fail in the same way. */
export class WorkerStartError extends Error {}

/** Tells the parent process, if there is one, that this process serves requests. */
export const reportReady = (): void => void process.send?.('ready');

/**
 * Runs `count` processes of this program on one port, and replaces each that ends, until `stopping` settles; then stops
 * all of them and waits for their end. Rejects with WorkerStartError when one ends before any has served.
 */
export async function runWorkers(
  count: number,
  {
    stopping,
    limits: { server: limits },
    onLoss,
  }: {
    stopping: Promise<void>;
    limits: Limits;
    /** A process has ended without being stopped. */
    onLoss(lost: { worker: number | undefined; code: number | null; signal: string | null }): void;
  },
): Promise<void> {
  // Each process accepts connections itself: those that the kernel has queued when one process ends are accepted by
  // another.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const stop = new AbortController();
  const alive = new Set<Worker>();
  const serving = Promise.withResolvers<void>();
  let isServing = false;

  /** Settles when a process has ended; rejects with WorkerStartError when another one would fail in the same way. */
  function runWorker(): Promise<void> {
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

  /** Runs a process, and another when it has ended, until all are stopped. */
  async function keepRunning(): Promise<void> {
    for (let pause = limits.minWorkerPauseMs; !stop.signal.aborted; ) {
      const startedAt = performance.now();
      await runWorker();
      if (stop.signal.aborted) return;
      if (performance.now() - startedAt > limits.stableWorkerMs) pause = limits.minWorkerPauseMs;
      await delay(pause, undefined, { signal: stop.signal }).catch(() => undefined);
      pause = Math.min(pause * 2, limits.maxWorkerPauseMs);
    }
  }

  // One process starts first: an error that stops it would stop the others too, and each would log it.
  const others = serving.promise.then(() => Promise.all(Array.from({ length: count - 1 }, keepRunning)));
  const all = Promise.all([keepRunning(), others]);
  try {
    await Promise.race([all, stopping]);
  } finally {
    stop.abort();
    for (const worker of alive) worker.process.kill('SIGTERM');
    await Promise.all(Array.from(alive, (worker) => new Promise((resolve) => worker.once('exit', resolve))));
  }
}
