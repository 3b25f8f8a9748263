import { z } from 'zod';
import { checkQuery } from '../request/query-values.ts';
import { BOUNDS } from './bounded-answer.ts';

/*
 * Answers with one long text, of which a model reads a part at a time.
 */

const INVALID_OFFSET = 'offset is invalid: send next_offset of the answer before, or leave it out.';

/** The arguments of tools with such answers, in UTF-16 units. */
export const PART = z.object({
  max_chars: BOUNDS.shape.max_chars,
  offset: z.coerce
    .number(INVALID_OFFSET)
    .int(INVALID_OFFSET)
    .min(0, INVALID_OFFSET)
    .default(0)
    .meta({ short: 'The last next_offset.' }),
});

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Returns the answer `json` with a part of its text `field`, and `next_offset`: where the next part begins, null at the end. */
export function partOf(json: string, field: string, given: Readonly<Record<string, unknown>>): string {
  const { max_chars: maxChars, offset } = checkQuery({ max_chars: given.max_chars, offset: given.offset }, PART);
  const answer: Record<string, unknown> = JSON.parse(json);
  const text = String(answer[field]);
  const most = offset + maxChars;
  // No part ends inside a character.
  const end = most < text.length && isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
  return JSON.stringify({
    ...answer,
    [field]: text.slice(offset, end),
    next_offset: end < text.length ? end : null,
  });
}
