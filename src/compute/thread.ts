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

/** A task has needed more time or memory than it may have. */
export class OverLimitError extends Error {}

/**
 * Runs tasks in a thread, one at a time: that is up to the caller (src/compute/pool.ts). The thread is started by its
 * first task, ends when it is idle, and does not keep the process alive. A task that takes longer than it may, or needs
 * more than the thread's heap, fails, and the thread is replaced.
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
    this.#worker ??= this.#start();
    try {
      return await this.#answer(this.#worker, { task, input }, moved);
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

  async #answer<Name extends TaskName>(
    worker: Worker,
    { task, input }: { task: Name; input: InputOf<Name> },
    moved: readonly Transferable[],
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
