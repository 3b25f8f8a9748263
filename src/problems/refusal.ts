import type { Fault, PlainCode } from './value-errors.ts';

/** The `params` of a check that zod knows nothing about: how a value that it refuses is wrong. */
export class Refusal {
  readonly fault: Fault;
  /** True if the request is too large because of this value: a 413, which comes before any other error. */
  readonly isTooLarge: boolean;

  constructor(fault: Fault, isTooLarge: boolean) {
    this.fault = fault;
    this.isTooLarge = isTooLarge;
  }
}

/** Returns the options of a `refine`: how a value that it refuses is wrong, and the sentence about it. */
export const refused = (fault: Fault | PlainCode, error: string): { error: string; params: Refusal } => ({
  error,
  params: new Refusal(typeof fault === 'string' ? { code: fault } : fault, false),
});

/** Returns the same for a value that makes the request too large. */
export const tooLargeFor = (limit: number, error: string): { error: string; params: Refusal } => ({
  error,
  params: new Refusal({ code: 'too-long', limit }, true),
});

type CustomIssue = { code: 'custom'; message: string; params: Refusal; path: string[] };

/** Returns the issue that a check adds itself. `path`: of a value inside the one that is checked. */
export const refusedIssue = (
  { error, params }: ReturnType<typeof refused>,
  path: readonly string[] = [],
): CustomIssue => ({ code: 'custom', message: error, params, path: [...path] });
