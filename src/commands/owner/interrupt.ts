import { Interrupted } from './output.ts';

/** What a shell says of a process that a signal has ended. */
export const INTERRUPTED_CODE = 130;
const TERMINATED_CODE = 143;

/** Runs work that goes on until Ctrl-C, or cleans up after it; the exit code says that it was ended. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const interrupt = (): void => {
    process.exitCode = INTERRUPTED_CODE;
    stopping.abort(new Interrupted());
  };
  const terminate = (): void => {
    process.exitCode = TERMINATED_CODE;
    stopping.abort(new Interrupted());
  };
  process.once('SIGINT', interrupt).once('SIGTERM', terminate);
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', terminate);
  }
}
