/** Why the database can't do something now. */
export type OutOfReach = 'unreachable' | 'busy' | 'slow' | 'read-only';

/** Reasons by error code: SQLSTATE classes, and codes of system calls. The first that matches counts. */
const CODES: readonly [RegExp, OutOfReach][] = [
  [/^(?:25006|53100)/, 'read-only'],
  [/^(?:53300|55P03|40)/, 'busy'],
  [/^(?:57014|25P03)/, 'slow'],
  [/^(?:08|53|57|58|55P03|ECONN|ENOENT|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/, 'unreachable'],
];
/** Errors of knex' pool: no connection was free in time; the pool is closed. */
const NO_CONNECTION = /Timeout acquiring a connection/;
const CLOSED = /^aborted$|Unable to acquire a connection/;
const NO_ANSWER = /timeout|Connection terminated|connection error|not queryable/i;

/**
 * Why a statement failed, if the database can't be reached, or is full, read-only, too slow or in use; undefined when the
 * statement is wrong.
 */
export function whyOutOfReach(error: unknown): OutOfReach | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError) return error.errors.map(whyOutOfReach).find((reason) => reason !== undefined);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code !== '') return CODES.find(([pattern]) => pattern.test(code))?.[1];
  if (NO_CONNECTION.test(error.message)) return 'busy';
  return NO_ANSWER.test(error.message) || CLOSED.test(error.message) ? 'unreachable' : undefined;
}

export const isOutOfReach = (error: unknown): boolean => whyOutOfReach(error) !== undefined;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Returns whether a statement failed because another row has the same unique value (unique_violation). */
export const isDuplicate = (error: unknown): boolean => hasCode(error, '23505');

/** Returns whether a statement failed because its transaction and others waited for each other (deadlock_detected). */
export const isDeadlock = (error: unknown): boolean => hasCode(error, '40P01');
