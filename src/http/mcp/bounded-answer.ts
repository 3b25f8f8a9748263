import { z } from 'zod';
import { SIZES } from '../../sizes.ts';
import { Paging } from '../request/paging.ts';
import { checkQuery } from '../request/query-values.ts';
import { HttpError } from '../response/errors.ts';
import { cutStrings, cutTo } from './json-cut.ts';

/** The characters of an answer's maximum that are kept free for the warning about untrusted texts, notices and `next`. */
const OTHER_CHARS = 500;
/** Values of a list are cut to this many before it has fewer items, and those of a single item to fewer. */
const VALUE_CHARS = 1_000;
const MIN_VALUE_CHARS = 250;

/*
 * Answers that can be too long for a model. Where one has too many characters, long values are cut; where that is not
 * enough, a list has fewer items, and `next` says where it goes on: the arguments that change, written as a query. A single item has
 * fewer members.
 */

const { maxAnswerChars, listChars, minListChars } = SIZES.mcp;

/** Returns the schema of the argument `max_chars`. */
export function maxCharsField(min: number) {
  const invalid = `max_chars is invalid: send a whole number from ${min} to ${maxAnswerChars}.`;
  return z.coerce
    .number(invalid)
    .int(invalid)
    .min(min, invalid)
    .max(maxAnswerChars, invalid)
    .default(listChars)
    .meta({ short: 'Longer values are cut.' });
}

/** The arguments of tools with such answers. */
export const BOUNDS = z.object({
  max_chars: maxCharsField(minListChars),
  next: z
    .string('next is invalid: send that of the answer before, or leave it out.')
    .optional()
    .meta({ short: 'The last next.' }),
});

/** A JSON text with strings as long as `maxChars` in all allows, but no shorter than `leastChars`; it may be longer then. */
function cutToFit(json: string, maxChars: number, leastChars: number): string {
  let text = json;
  let chars = Math.floor(maxChars / 2);
  while (text.length > maxChars && chars >= leastChars) {
    text = cutStrings(json, chars);
    chars = Math.floor(chars / 2);
  }
  return text;
}

/**
 * Returns a page of a list that begins with the same item and has at most `share` of its items. Its limit divides the old
 * one.
 */
function withFewer({ page, limit }: Paging, share: number): Paging {
  let fewer = Math.max(1, Math.floor(limit * share));
  while (limit % fewer !== 0) fewer -= 1;
  return { page: ((page - 1) * limit) / fewer + 1, limit: fewer };
}

/** The query of a list's rest, null at the end; undefined for an answer that is no list of items. */
function nextOf(json: string): string | null | undefined {
  const answer: Partial<Paging & { total: number; cursor: string; next_cursor: string | null }> = JSON.parse(json);
  const { page, limit = 1, total = 0, cursor, next_cursor: nextCursor = cursor } = answer;
  if (page !== undefined) return page * limit < total ? `page=${page + 1}&limit=${limit}` : null;
  return nextCursor && `cursor=${nextCursor}`;
}

/** The error for a single item that is longer than any answer. A list goes on after it. */
function tooLong({ page }: Paging, isCounted: boolean): HttpError {
  const skip = isCounted ? `, and go on after it with next "page=${page + 1}&limit=1"` : '';
  return new HttpError(413, `The answer has more than ${maxAnswerChars} characters: read it over the HTTP API${skip}.`);
}

/**
 * The answer of a tool in at most so many characters; throws 413. `ask` calls its endpoint, which answers a JSON text;
 * undefined: one of more than `maxAnswerChars`. `isPaged`: whether it takes a `limit`.
 */
export async function boundedAnswer(
  ask: (input: Readonly<Record<string, unknown>>) => Promise<string | undefined>,
  { max_chars: given, ...input }: Readonly<Record<string, unknown>>,
  isPaged: boolean,
): Promise<string> {
  const { max_chars: bound } = checkQuery({ max_chars: given }, BOUNDS);
  const maxChars = bound - OTHER_CHARS;
  let paging = isPaged ? checkQuery(input, Paging) : { page: 1, limit: 1 };
  for (;;) {
    const json = await ask(isPaged ? { ...input, ...paging } : input);
    const text = json && cutToFit(json, maxChars, paging.limit > 1 ? VALUE_CHARS : MIN_VALUE_CHARS);
    if (text && (text.length <= maxChars || paging.limit === 1)) {
      const cut = cutTo(text, maxChars);
      const next = nextOf(cut);
      return next === undefined ? cut : `${cut.slice(0, -1)},"next":${JSON.stringify(next)}}`;
    }
    if (paging.limit === 1) throw tooLong(paging, isPaged && input.cursor === undefined);
    paging = withFewer(paging, maxChars / (text?.length ?? 2 * maxChars));
  }
}
