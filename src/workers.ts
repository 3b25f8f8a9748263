import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';

/** A process could not start, and has logged why: another one would fail in the same way. */
export class WorkerStartError extends Error {}

/** Tells the primary process that this one serves requests. `firstRunMessage`: what a person is told when all of them do. */
export const reportReady = (firstRunMessage = ''): void => void process.send?.(firstRunMessage);

/** The pause before a process is replaced that has ended. */
const PAUSE_MS = 1_000;

/** Called when a process has ended without being stopped. */
export type OnLoss = (lost: { worker: number | undefined; code: number | null; signal: string | null }) => void;

/** `onServing`: called once, when all processes serve, or when they are stopped before, with a message if one of them has sent it. */
type Listeners = { onLoss: OnLoss; onServing: (firstRunMessage: string | undefined) => void };

/** The processes of this program that serve one port. */
class Workers {
  readonly #listeners: Listeners;
  readonly #stop = new AbortController();
  readonly #alive = new Set<Worker>();
  readonly #serving = Promise.withResolvers<void>();
  #awaited = 0;
  #firstRunMessage: string | undefined;
  #isServing = false;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** Runs `count` processes. One starts first: an error that stops it would stop the others too, and each would log it. */
  async run(count: number): Promise<void> {
    this.#awaited = count;
    const others = this.#serving.promise.then(() =>
      Promise.all(Array.from({ length: count - 1 }, () => this.#keepRunning())),
    );
    await Promise.all([this.#keepRunning(), others]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const worker of this.#alive) worker.process.kill('SIGTERM');
    await Promise.all(Array.from(this.#alive, (worker) => new Promise((resolve) => worker.once('exit', resolve))));
    this.#announce();
  }

  /** Shows the message once. Its key is shown nowhere else, so it is shown also if not all processes have started. */
  #announce(): void {
    this.#listeners.onServing(this.#firstRunMessage);
    this.#firstRunMessage = undefined;
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
    worker.on('message', (firstRunMessage: unknown) => {
      // Metrics are objects.
      if (typeof firstRunMessage !== 'string') return;
      this.#isServing = true;
      this.#firstRunMessage ||= firstRunMessage;
      this.#awaited -= 1;
      // Lines of the log about other starts would hide it.
      if (this.#awaited === 0) this.#announce();
      this.#serving.resolve();
    });
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) => {
        this.#alive.delete(worker);
        const isLost = !this.#stop.signal.aborted;
        if (isLost) this.#listeners.onLoss({ worker: worker.process.pid, code, signal });
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
export async function runWorkers(count: number, stopping: Promise<void>, listeners: Listeners): Promise<void> {
  // Each process accepts connections itself: those that the kernel has queued when one process ends are accepted by
  // another.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = new Workers(listeners);
  try {
    await Promise.race([workers.run(count), stopping]);
  } finally {
    await workers.stop();
  }
}
