import { destination, type Level, type Logger, pino } from 'pino';

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

/** One JSON line for each event, on standard error; standard output is for results of commands. */
export const createLog = (level: Level | 'silent'): Logger =>
  pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describe } },
    destination({ fd: 2, sync: true }),
  );

export type Log = Logger;
