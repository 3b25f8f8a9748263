/*
 * The codes of errors: what each means, for people who look one up.
 */

/** Errors that have no name of their own, by their status. */
const GENERAL_ERRORS: Readonly<Record<number, { code: string; description: string }>> = {
  400: {
    code: 'bad-request',
    description: "The request can't be read: its path, its target, its Host header or its body is malformed.",
  },
  404: { code: 'not-found', description: 'No endpoint has this path.' },
  405: { code: 'method-not-allowed', description: 'The path has no such method. `Allow` lists those that it has.' },
  408: { code: 'too-slow', description: 'The request arrives too slowly.' },
  413: { code: 'too-large', description: 'The body, or something in it, is too large.' },
  415: { code: 'wrong-type', description: 'The content type, the charset or the content encoding is not supported.' },
  417: { code: 'expectation-failed', description: 'The header `Expect` asks for something other than `100-continue`.' },
  429: {
    code: 'too-many-requests',
    description: 'The owner of the key has too many requests in progress. `Retry-After` has the seconds to wait.',
  },
  431: { code: 'headers-too-large', description: 'The headers are too large.' },
  500: { code: 'internal-error', description: 'An unexpected error. Only the log has the cause.' },
  501: { code: 'not-implemented', description: 'The method CONNECT is refused: the service is not a proxy.' },
  503: {
    code: 'unavailable',
    description: 'The service is starting or busy, or its database or its files are out of reach.',
  },
};

/** Returns the code of an error that has no name of its own. */
export const generalCode = (status: number): string => GENERAL_ERRORS[status]?.code ?? 'internal-error';

/** Returns the title of an error, which follows from its code: `slug-taken` is `Slug taken`. */
export const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');

/** An error that an endpoint declares. `detail`: the sentence of one of them. */
export type Known = { code: string; status: number; description: string; detail?: string | undefined };

/** A code with all that is known of it. */
export type CodeEntry = {
  code: string;
  title: string;
  status: number;
  descriptions: readonly string[];
  details: readonly string[];
};

/** Returns every code, in alphabetical order. `declared`: the errors of endpoints. */
export function catalogueOf(declared: readonly Known[]): readonly CodeEntry[] {
  const general = Object.entries(GENERAL_ERRORS).map(
    ([status, error]): Known => ({ ...error, status: Number(status) }),
  );
  const byCode = Map.groupBy([...general, ...declared], ({ code }) => code);
  return Array.from(byCode, ([code, errors]) => ({
    code,
    title: titleOf(code),
    status: errors[0]?.status ?? 500,
    descriptions: [...new Set(errors.map(({ description }) => description))],
    details: [...new Set(errors.flatMap(({ detail = [] }) => detail))],
  })).toSorted((one, other) => (one.code < other.code ? -1 : 1));
}
