import {
  type FormLimits,
  hexByte,
  honeypotOf,
  type Submitted,
  tooLarge,
  tooManyFields,
  utf8,
  writeFields,
} from './form-body.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PLUS = 0x2b;
const PERCENT = 0x25;
const SPACE = 0x20;

/** The positions of a decoded field; `nameEnd` is -1 when it has no `=`. */
type Span = { start: number; nameEnd: number; end: number };

/** Reads application/x-www-form-urlencoded (WHATWG URL, section 5.1). Throws 400 for what is not UTF-8. */
export function readUrlencoded(body: Buffer, { maxBytes, maxFields }: FormLimits): Submitted {
  const spans = decodeFields(body, maxFields);
  if (spans.length > maxFields) throw tooManyFields(maxFields);
  if (spans.reduce((sum, { start, end }) => sum + end - start, 0) > maxBytes) throw tooLarge(maxBytes);
  const fields = spans.map(({ start, nameEnd, end }) => {
    const valueStart = nameEnd === -1 ? end : nameEnd;
    return [utf8(body.subarray(start, valueStart)), utf8(body.subarray(valueStart, end))] as const;
  });
  const text = writeFields(fields);
  return { honeypot: honeypotOf(fields), fields, files: [], dataWith: () => text };
}

/**
 * Decodes a form in one pass, in the memory of its body: decoded, no text is longer. A `%` without two digits stays. Returns
 * the fields, up to the first too many; nothing between two separators is no field.
 */
function decodeFields(body: Buffer, maxFields: number): Span[] {
  const spans: Span[] = [];
  const { length } = body;
  let start = 0;
  let nameEnd = -1;
  let end = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === AMPERSAND) {
      if (end > start || nameEnd !== -1) spans.push({ start, nameEnd, end });
      if (spans.length > maxFields) return spans;
      start = end;
      nameEnd = -1;
    } else if (byte === EQUALS && nameEnd === -1) {
      nameEnd = end;
    } else {
      const escaped = byte === PERCENT ? hexByte(body, at + 1) : -1;
      if (escaped >= 0) at += 2;
      body[end] = escaped >= 0 ? escaped : byte === PLUS ? SPACE : byte;
      end += 1;
    }
  }
  if (end > start || nameEnd !== -1) spans.push({ start, nameEnd, end });
  return spans;
}
