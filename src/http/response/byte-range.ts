import type { IncomingMessage } from 'node:http';

/** The first and the last byte of a part. */
export type Range = { start: number; end: number };

/**
 * The part of content that a request asks for (RFC 9110, 14.1.2 and 14.2); undefined: the whole, also where it asks for several
 * parts. `etag`: of the content without an encoding; `bytes`: its length. The package range-parser refuses a suffix that is
 * longer than the content, and a range that ends before it begins.
 */
export function rangeOf(
  { method, headers: { range, 'if-range': ifRange } }: IncomingMessage,
  { etag, bytes }: { etag: string; bytes: number },
): Range | 'unsatisfiable' | undefined {
  // If-Range may have a date, which no content here has.
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first = '', last = ''] = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return start >= bytes ? 'unsatisfiable' : { start, end };
}
