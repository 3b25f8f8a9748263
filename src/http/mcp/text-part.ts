import { z } from 'zod';
import { checkQuery } from '../request/query-values.ts';
import { maxCharsField } from './bounded-answer.ts';
import { isInCharacter } from './json-cut.ts';

/*
 * Answers with one long text, of which a model reads a part at a time.
 */

const INVALID_OFFSET = 'offset is invalid: send next_offset of the answer before, or leave it out.';

/** The arguments of tools with such answers, in UTF-16 units. */
export const PART = z.object({
  max_chars: maxCharsField(1),
  offset: z.coerce
    .number(INVALID_OFFSET)
    .int(INVALID_OFFSET)
    .min(0, INVALID_OFFSET)
    .default(0)
    .meta({ short: 'The last next_offset.' }),
});

/**
 * Returns the answer `json` with a part of its text `field`, and `next_offset`: where the next part begins, null at the end. No part
 * begins or ends inside a character, also where that is longer than the part.
 */
export function partOf(json: string, field: string, given: Readonly<Record<string, unknown>>): string {
  const { max_chars: maxChars, offset } = checkQuery({ max_chars: given.max_chars, offset: given.offset }, PART);
  const answer: Record<string, unknown> = JSON.parse(json);
  const text = String(answer[field]);
  const start = isInCharacter(text, offset) ? offset + 1 : offset;
  const most = start + maxChars;
  const cut = isInCharacter(text, most) ? most - 1 : most;
  const end = cut > start ? cut : start + 2;
  return JSON.stringify({
    ...answer,
    [field]: text.slice(start, end),
    next_offset: end < text.length ? end : null,
  });
}
