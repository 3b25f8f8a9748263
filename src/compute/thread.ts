import { Worker } from 'node:worker_threads';
import type { Limits } from '../limits.ts';
import type { CheckInput, LabelsInput, PageLabels, Problem, WidgetInput } from './check/answer.ts';
import type { MembersInput, ReadMembers } from './read-members.ts';
import type { RenderedPage, RenderInput } from './render-page.ts';
import { type Job, transferable, WORKER_ROLE, WORKER_URL } from './worker.ts';

/**
 * Tasks that run in a thread, one at a time: that is up to the caller (src/compute/pool.ts). The bytes of a task are
 * transferred: the caller can't use them afterwards.
 */
export type Thread = {
  /** `widget`: what is put into forms that lack it. */
  renderPage(input: RenderInput & { widget?: WidgetInput | undefined }): Promise<RenderedPage>;
  readMembers(input: MembersInput): Promise<ReadMembers>;
  /** What is on a page and what is wrong with it, as JSON in UTF-8; undefined: it is too complex to be read. */
  checkPage(input: CheckInput): Promise<Uint8Array | undefined>;
  /** The forms that lack the widget of their captcha; none where the page is too complex. */
  checkCaptcha(input: CheckInput): Promise<Problem[]>;
  /** What people call the fields of a page; undefined: it is too complex to be read. */
  readLabels(input: LabelsInput): Promise<PageLabels | undefined>;
};

/** A job has needed more time or memory than it may have. */
export class OverLimitError extends Error {}

export type ThreadConfig = {
  /** The largest page. The thread's heap, without buffers, grows with it. */
  maxHtmlBytes: number;
};

/**
 * The thread is started by its first job, and does not keep the process alive. A job that takes longer than it may, or needs
 * more than the thread's heap, fails, and the thread is replaced.
 */
export function createThread(
  { maxHtmlBytes }: ThreadConfig,
  { jobTimeoutMs, idleThreadMs, threadHeapMib, threadHeapGrowthMib }: Limits['compute'],
): Thread & { close(): Promise<void> } {
  const heapMib = threadHeapMib + Math.ceil((threadHeapGrowthMib * maxHtmlBytes) / 1024 ** 2);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  function start(): Worker {
    const started = new Worker(WORKER_URL, {
      name: WORKER_ROLE,
      workerData: WORKER_ROLE,
      // The flags of the process are meant for its main program.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
    });
    started.unref();
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  /** The thread's answer to a job. `Result` is the type that its task returns. */
  async function answer<Result>(to: Worker, job: Job, transfer: ArrayBuffer[]): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const onExit = (): void => reject(new Error(`The thread ended during ${job.task}.`));
    to.on('message', resolve).on('error', reject).on('messageerror', reject).on('exit', onExit);
    const timer = setTimeout(
      () => reject(new OverLimitError(`${job.task} took longer than ${jobTimeoutMs} ms.`)),
      jobTimeoutMs,
    );
    try {
      to.postMessage(job, transfer);
      return await promise;
    } finally {
      clearTimeout(timer);
      to.off('message', resolve).off('error', reject).off('messageerror', reject).off('exit', onExit);
    }
  }

  async function perform<Result>(job: Job, transfer: ArrayBuffer[]): Promise<Result> {
    if (isClosed) throw new Error(`The thread was closed before ${job.task}.`);
    clearTimeout(idle);
    worker ??= start();
    try {
      return await answer<Result>(worker, job, transfer);
    } catch (error) {
      // The thread may have ended, or may hang.
      await end();
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new OverLimitError(`${job.task} needed more than ${heapMib} MB.`);
      }
      throw error;
    } finally {
      idle = setTimeout(end, idleThreadMs).unref();
    }
  }

  return {
    renderPage(input) {
      const html = transferable(input.html);
      return perform<RenderedPage>({ task: 'renderPage', input: { ...input, html } }, [html.buffer]);
    },
    readMembers(input) {
      const body = transferable(input.body);
      return perform<ReadMembers>({ task: 'readMembers', input: { ...input, body } }, [body.buffer]);
    },
    checkPage(input) {
      const html = transferable(input.html);
      return perform<Uint8Array | undefined>({ task: 'checkPage', input: { ...input, html } }, [html.buffer]);
    },
    checkCaptcha(input) {
      const html = transferable(input.html);
      return perform<Problem[]>({ task: 'checkCaptcha', input: { ...input, html } }, [html.buffer]);
    },
    readLabels(input) {
      const html = transferable(input.html);
      return perform<PageLabels | undefined>({ task: 'readLabels', input: { ...input, html } }, [html.buffer]);
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}
