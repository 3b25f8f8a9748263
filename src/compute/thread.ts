import { setTimeout as delay } from 'node:timers/promises';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Limits } from '../limits.ts';
import { type InputOf, type ResultOf, type TaskName, WORKER_ROLE, WORKER_URL } from './worker.ts';

/** Growth of the heap for each MiB of the largest page: JSON may have six characters for each byte. */
const HEAP_GROWTH_MIB = 48;
/**
 * The part of the heap where objects are made first. The rest of them moves to the other part at once: more than Node allows above
 * a full heap (16 MB) would end the process, and not the thread alone.
 */
const YOUNG_HEAP_MIB = 12;
/** The shortest time after which the processor time of a check is looked at again. */
const MIN_WATCH_MS = 20;

/** The tasks that read pages as HTML: others wait behind them, so each has little of the processor. */
const CHECKS: ReadonlySet<TaskName> = new Set<TaskName>(['checkPage', 'checkScript', 'readForms', 'addToForms']);

/** A task has needed more time or memory than it may have. */
export class OverLimitError extends Error {}

type Job<Name extends TaskName> = { task: Name; input: InputOf<Name> };

/**
 * Runs tasks in a thread, one at a time: that is up to the caller (src/compute/pool.ts). The thread is started by its
 * first task, ends when it is idle, and does not keep the process alive. A task that takes longer than it may, or needs
 * more than the thread's heap, fails, and the thread is replaced. A check is measured by the processor that it uses, so that a busy
 * machine refuses no page.
 */
export class Thread {
  readonly #limits: Limits['compute'];
  readonly #heapMib: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `maxHtmlBytes`: of the largest page. The thread's heap, without buffers, grows with it. */
  constructor(maxHtmlBytes: number, limits: Limits['compute']) {
    this.#limits = limits;
    this.#heapMib = limits.threadHeapMib + Math.ceil((HEAP_GROWTH_MIB * maxHtmlBytes) / 1024 ** 2);
  }

  /** `moved`: memory of the input that the thread gets, so that it is not copied; the caller can't read it any more. */
  async run<Name extends TaskName>(
    task: Name,
    input: InputOf<Name>,
    moved: readonly Transferable[] = [],
  ): Promise<ResultOf<Name>> {
    if (this.#isClosed) throw new Error(`The thread was closed before ${task}.`);
    clearTimeout(this.#idle);
    const isNew = this.#worker === undefined;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    try {
      if (!CHECKS.has(task)) return await this.#answer(worker, { task, input }, moved);
      // Its start is no part of a check.
      if (isNew) await this.#answer(worker, { task: 'loadCheck', input: undefined });
      return await this.#answerCheck(worker, { task, input }, moved);
    } catch (error) {
      // The thread may have ended, or may hang.
      await this.#end();
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new OverLimitError(`${task} needed more than ${this.#heapMib} MB.`);
      }
      throw error;
    } finally {
      this.#idle = setTimeout(() => void this.#end(), this.#limits.idleThreadMs).unref();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(WORKER_URL, {
      name: WORKER_ROLE,
      workerData: WORKER_ROLE,
      // The flags of the process are meant for its main program.
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: this.#heapMib,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MIB,
      },
    });
    worker.unref();
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  /** Rejects with OverLimitError when the thread has used more of the processor than a check may. */
  async #answerCheck<Name extends TaskName>(
    worker: Worker,
    job: Job<Name>,
    moved: readonly Transferable[],
  ): Promise<ResultOf<Name>> {
    const over = Promise.withResolvers<never>();
    const isDone = new AbortController();
    void this.#watch(worker, isDone.signal).then((isOver) => {
      const message = `${job.task} used more than ${this.#limits.checkCpuTimeoutMs} ms of the processor.`;
      if (isOver) over.reject(new OverLimitError(message));
    });
    try {
      return await Promise.race([this.#answer(worker, job, moved), over.promise]);
    } finally {
      isDone.abort();
    }
  }

  /** Resolves with true once the thread has used up the time of a check, and with false at the end of that. */
  async #watch(worker: Worker, signal: AbortSignal): Promise<boolean> {
    const usedMs = async (): Promise<number> => {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1_000;
    };
    try {
      const limitMs = (await usedMs()) + this.#limits.checkCpuTimeoutMs;
      for (let leftMs = this.#limits.checkCpuTimeoutMs; leftMs > 0; leftMs = limitMs - (await usedMs())) {
        await delay(Math.max(leftMs, MIN_WATCH_MS), undefined, { signal, ref: false });
      }
      return true;
    } catch {
      // The check has ended, or the thread, whose end fails the check.
      return false;
    }
  }

  async #answer<Name extends TaskName>(
    worker: Worker,
    { task, input }: Job<Name>,
    moved: readonly Transferable[] = [],
  ): Promise<ResultOf<Name>> {
    const { jobTimeoutMs } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<ResultOf<Name>>();
    const onExit = () => reject(new Error(`The thread ended during ${task}.`));
    const onTimeout = () => reject(new OverLimitError(`${task} took longer than ${jobTimeoutMs} ms.`));
    worker.on('message', resolve).on('error', reject).on('messageerror', reject).on('exit', onExit);
    const timer = setTimeout(onTimeout, jobTimeoutMs);
    try {
      worker.postMessage({ task, input }, moved);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', reject).off('messageerror', reject).off('exit', onExit);
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const ended = this.#worker;
    this.#worker = undefined;
    await ended?.terminate();
  }
}
