/** A mistake that a person can correct, in one line: exit code 1. */
export class CommandError extends Error {}

/** The command was not used as its help says: exit code 2. */
export class UsageError extends Error {}

/** Ctrl-C: exit code 130. */
export class Interrupted extends Error {}

export const hasCode = (error: unknown, pattern: RegExp): error is Error =>
  error instanceof Error && 'code' in error && pattern.test(String(error.code));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
