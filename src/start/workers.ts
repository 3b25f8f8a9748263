import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';

/** A process could not start, and has logged why: another one would fail in the same way. */
export class WorkerStartError extends Error {}

/** Tells the parent process, if there is one, that this process serves requests. */
export const reportReady = (): void => void process.send?.('ready');

/** The pause before a process is replaced that has ended. */
const PAUSE_MS = 1_000;

/** Called when a process has ended without being stopped. */
type OnLoss = (lost: { worker: number | undefined; code: number | null; signal: string | null }) => void;

/** The processes of this program that serve one port. */
class Workers {
  readonly #onLoss: OnLoss;
  readonly #stop = new AbortController();
  readonly #alive = new Set<Worker>();
  readonly #serving = Promise.withResolvers<void>();
  #isServing = false;

  constructor(onLoss: OnLoss) {
    this.#onLoss = onLoss;
  }

  /** Runs `count` processes. One starts first: an error that stops it would stop the others too, and each would log it. */
  async run(count: number): Promise<void> {
    const others = this.#serving.promise.then(() =>
      Promise.all(Array.from({ length: count - 1 }, () => this.#keepRunning())),
    );
    await Promise.all([this.#keepRunning(), others]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const worker of this.#alive) worker.process.kill('SIGTERM');
    await Promise.all(Array.from(this.#alive, (worker) => new Promise((resolve) => worker.once('exit', resolve))));
  }

  /** Runs a process, and another when it has ended, until all are stopped. */
  async #keepRunning(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#runOne();
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Settles when a process has ended; rejects with WorkerStartError when another one would fail in the same way. */
  #runOne(): Promise<void> {
    const worker = cluster.fork();
    this.#alive.add(worker);
    worker.once('message', () => {
      this.#isServing = true;
      this.#serving.resolve();
    });
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) => {
        this.#alive.delete(worker);
        const isLost = !this.#stop.signal.aborted;
        if (isLost) this.#onLoss({ worker: worker.process.pid, code, signal });
        if (isLost && code === 1 && !this.#isServing) reject(new WorkerStartError());
        else resolve();
      });
    });
  }
}

/**
 * Runs `count` processes of this program on one port, and replaces each that ends, until `stopping` settles; then stops
 * all of them and waits for their end. Rejects with WorkerStartError when one ends before any has served.
 */
export async function runWorkers(count: number, stopping: Promise<void>, onLoss: OnLoss): Promise<void> {
  // Each process accepts connections itself: those that the kernel has queued when one process ends are accepted by
  // another.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = new Workers(onLoss);
  try {
    await Promise.race([workers.run(count), stopping]);
  } finally {
    await workers.stop();
  }
}
