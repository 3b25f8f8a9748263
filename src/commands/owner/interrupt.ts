import { Interrupted } from '../command-error.ts';

// The exit codes that a shell gives to a process that a signal has ended.
const CODES = { SIGINT: 130, SIGTERM: 143 };

/** Signals within this time count as one: npm and the launcher pass on what the terminal has sent to this process too. */
const SAME_SIGNAL_MS = 250;

/** Runs work that goes on until Ctrl-C, or cleans up after it; the exit code says that it was ended. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => {
    if (stopping.signal.aborted) return;
    process.exitCode = CODES[name];
    stopping.abort(new Interrupted());
    // A later one ends the process at once.
    setTimeout(forget, SAME_SIGNAL_MS).unref();
  };
  const [interrupt, terminate] = [() => stop('SIGINT'), () => stop('SIGTERM')];
  const forget = () => void process.off('SIGINT', interrupt).off('SIGTERM', terminate);
  process.on('SIGINT', interrupt).on('SIGTERM', terminate);
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    forget();
  }
}
