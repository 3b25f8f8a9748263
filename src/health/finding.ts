/** The result of a check: what it saw, and what to do about it. */
export type Finding =
  | { status: 'ok'; saw: string }
  | { status: 'skip'; saw: string }
  | { status: 'warn' | 'fail'; saw: string; mend: string };

export const ok = (saw: string): Finding => ({ status: 'ok', saw });
/** `why` there was nothing to check. */
export const skip = (why: string): Finding => ({ status: 'skip', saw: why });
export const warn = (saw: string, mend: string): Finding => ({ status: 'warn', saw, mend });
export const fail = (saw: string, mend: string): Finding => ({ status: 'fail', saw, mend });

/** An error in one line: its message, or else its code. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError') return 'no answer in time';
  const code = 'code' in error ? String(error.code) : error.name;
  return (error.message === '' ? code : error.message).replaceAll(/\s+/g, ' ');
}
