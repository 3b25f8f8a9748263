import { destination, type Level, type Logger, pino } from 'pino';

/** Lines of the log that can't be written are kept up to this size, and then discarded. */
const UNWRITTEN_LOG_BYTES = 1024 * 1024;

/** An error for the log. Postgres quotes values in data exceptions (class 22) and in details: these are left out. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    code,
    message: code?.startsWith('22') && code.length === 5 ? undefined : error.message,
    stack: error.stack?.slice(error.stack.indexOf('\n    at ') + 1),
  };
}

/** One JSON line for each event, or what `show` makes of it, on standard error; standard output is for results of commands. */
export function createLog(level: Level | 'silent', show: (line: string) => string = (line) => line): Logger {
  let output = openOutput();
  function openOutput() {
    const opened = destination({ fd: 2, sync: true, maxLength: UNWRITTEN_LOG_BYTES });
    // Without a listener a full disk, or a terminal that is gone, would end the process.
    opened.on('error', () => undefined);
    // One that is full never writes again.
    opened.on('drop', () => {
      output = openOutput();
    });
    return opened;
  }
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describe } },
    { write: (line: string) => void output.write(show(line)) },
  );
}

export type Log = Logger;
