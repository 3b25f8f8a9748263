import { Interrupted } from '../command-error.ts';

// The exit codes that a shell gives to a process that a signal has ended.
const CODES = { SIGINT: 130, SIGTERM: 143 };

/** Runs work that goes on until Ctrl-C, or cleans up after it; the exit code says that it was ended. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => {
    process.exitCode = CODES[name];
    stopping.abort(new Interrupted());
  };
  const [interrupt, terminate] = [() => stop('SIGINT'), () => stop('SIGTERM')];
  process.once('SIGINT', interrupt).once('SIGTERM', terminate);
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', terminate);
  }
}
