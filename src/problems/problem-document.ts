import { titleOf } from './catalogue.ts';
import { inApiWords } from './sentence.ts';
import type { ValueError } from './value-errors.ts';

/** The media type of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';

/** The Accept of a client that has words of its own: the sentences of errors and notices are templates (sentence.ts). */
export const TEMPLATE_TYPE = `${PROBLEM_TYPE}; detail=template`;

/** Below this path of the service is a page about each code. */
export const CODES_PATH = '/docs/errors';

/**
 * An error of the API: its status, its name for programs, the template of a sentence that says what to do, and the values that
 * are wrong.
 */
export type ApiError = { status: number; code: string; template: string; errors: readonly ValueError[] };

/** The document of RFC 9457 about an error. */
export type ProblemDocument = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: readonly ValueError[];
  /** The next step, as a template: only where `detail` is one. */
  next?: string;
};

/** Returns the document about an error with sentences in the words of the API. */
export const problemOf = (error: ApiError, baseUrl: string): ProblemDocument => documentOf(error, baseUrl, inApiWords);

/** Returns the document for a client that has words of its own: its sentences are templates. `next`: that of the next step. */
export const problemTemplateOf = (error: ApiError, baseUrl: string, next?: string): ProblemDocument => ({
  ...documentOf(error, baseUrl, (template) => template),
  ...(next !== undefined && { next }),
});

const documentOf = (
  { status, code, template, errors }: ApiError,
  baseUrl: string,
  toSentence: (template: string) => string,
): ProblemDocument => ({
  type: `${baseUrl}${CODES_PATH}/${code}`,
  title: titleOf(code),
  status,
  detail: toSentence(template),
  code,
  ...(errors.length > 0 && { errors: errors.map((error) => ({ ...error, detail: toSentence(error.detail) })) }),
});
