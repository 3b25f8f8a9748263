import { titleOf } from './catalogue.ts';
import type { ValueError } from './value-errors.ts';

/** The media type of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Below this path of the service is a page about each code. */
export const CODES_PATH = '/docs/errors';

/** An error of the API: its status, its name for programs, a sentence that says what to do, and the values that are wrong. */
export type ApiError = { status: number; code: string; message: string; errors: readonly ValueError[] };

/** The document of RFC 9457 about an error. */
export type ProblemDocument = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: readonly ValueError[];
};

export const problemOf = ({ status, code, message, errors }: ApiError, baseUrl: string): ProblemDocument => ({
  type: `${baseUrl}${CODES_PATH}/${code}`,
  title: titleOf(code),
  status,
  detail: message,
  code,
  ...(errors.length > 0 && { errors }),
});
