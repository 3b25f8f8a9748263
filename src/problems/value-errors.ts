/*
 * Values that are wrong, as data for programs: which one, how, and the limit that it exceeds.
 */

/** How a value can be wrong. The texts are for people who look a code up. */
export const VALUE_CODES = {
  missing: 'The value is needed, and was not sent.',
  'wrong-type': 'The value has another type, such as a number in place of a text, or null where null has no meaning.',
  'wrong-format': 'The text is not written as it has to be, such as an address without a scheme.',
  'too-long': 'The text has more characters or bytes, or the list more items, than `limit`.',
  'too-short': 'The text has fewer characters, or the list fewer items, than `limit`.',
  'too-high': 'The number is higher than `limit`.',
  'too-low': 'The number is lower than `limit`.',
  'unknown-value': 'The value is none of those that there are.',
  'not-allowed':
    'The value is well-formed, and is not accepted: it is reserved, out of range, sent twice, or has no place here.',
  conflict: 'The value does not go together with another one.',
} as const;

type ValueCode = keyof typeof VALUE_CODES;
type SizeCode = Extract<ValueCode, `too-${string}`>;
/** A code that says all. */
export type PlainCode = Exclude<ValueCode, SizeCode>;

/** How a value is wrong. Every code about a size has its limit, the last value that would be accepted. */
export type Fault = { code: SizeCode; limit: number } | { code: PlainCode };

/** The place of a value: a JSON Pointer into the body, or the name of a parameter of the query or of a header. */
export type Place = { pointer: string } | { parameter: string } | { header: string };

/** A wrong value. `detail`: the template of a sentence that says what to send. */
export type ValueError = Fault & { detail: string } & Place;

/** The list of one request has at most so many errors. */
export const MAX_VALUE_ERRORS = 100;

/** A longer pointer is that of an object with a huge name, which no answer repeats. */
const MAX_POINTER_CHARS = 4_096;

/** The JSON Pointer of a value (RFC 6901); one that would be too long leads to what the value is in. */
export function pointerTo(path: readonly PropertyKey[]): string {
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return pointer.length > MAX_POINTER_CHARS ? pointerTo(path.slice(0, -1)) : pointer;
}
