/*
 * How commands fail. Exit code 0: done; 1: an error; 2: wrong usage.
 */

/** A mistake that a person can correct, in one line. */
export class CommandError extends Error {}

/** The command was not used as its usage says. `message`: what is wrong, if more can be said. */
export class UsageError extends Error {}

export const hasCode = (error: unknown, pattern: RegExp): error is Error =>
  error instanceof Error && 'code' in error && pattern.test(String(error.code));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const printError = (line: string): void => void process.stderr.write(`formhost: ${line}\n`);
