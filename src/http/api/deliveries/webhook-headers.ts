import { z } from 'zod';
import type { Header } from '../../../db/deliveries/webhook-queries.ts';
import { refused, refusedIssue } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';

const { maxHeaders, maxHeaderNameChars, maxHeaderValueChars } = SIZES.webhook;

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters of Latin-1, with spaces between them: what the platform sends, and no proxy changes (RFC 9110, 5.5). */
const VALUE = /^(?:[\x21-\x7e\xa1-\xff](?:[\t\x20-\x7e\xa1-\xff]*[\x21-\x7e\xa1-\xff])?)?$/;

/**
 * Headers of the connection, of the content, of the signature, and those by which the service says who it is and reads the answer. Many
 * servers read `_` as `-`.
 */
const RESERVED =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|http2-settings|user-agent|accept-encoding|(?:content|proxy|webhook|formhost)(?:-.*)?)$/i;

const isReserved = (name: string): boolean => RESERVED.test(name.replaceAll('_', '-'));

/** Why a header is refused; undefined where it is accepted. */
function problemOf([name, value]: Header): ReturnType<typeof refused> | undefined {
  if (name.length > maxHeaderNameChars) {
    const fault = { code: 'too-long', limit: maxHeaderNameChars } as const;
    return refused(fault, `headers has a name that is too long: use at most ${maxHeaderNameChars} characters.`);
  }
  if (!NAME.test(name)) return refused('wrong-format', 'headers has a wrong name: use letters, digits and hyphens.');
  if (isReserved(name)) {
    return refused(
      'not-allowed',
      'headers has a name that the service, the connection or the signature needs: leave it out.',
    );
  }
  if (value.length > maxHeaderValueChars) {
    const fault = { code: 'too-long', limit: maxHeaderValueChars } as const;
    return refused(fault, `headers has a value that is too long: use at most ${maxHeaderValueChars} characters.`);
  }
  return VALUE.test(value)
    ? undefined
    : refused(
        'wrong-format',
        'headers has a wrong value: use visible characters of Latin-1, without spaces at the ends.',
      );
}

/** The owner's headers: an object, which becomes a list. */
export const headersField = z
  .record(z.string(), z.string('headers has a value that is not a text: send an object of texts.'), {
    error: 'headers is not an object: send an object of texts by their names.',
  })
  .superRefine((headers, context) => {
    const all = Object.entries(headers);
    if (all.length > maxHeaders) {
      const fault = { code: 'too-long', limit: maxHeaders } as const;
      context.addIssue(refusedIssue(refused(fault, `headers has too many names: use at most ${maxHeaders}.`)));
      return;
    }
    const seen = new Set<string>();
    for (const header of all) {
      const [name] = header;
      const isTwice = seen.has(name.toLowerCase());
      seen.add(name.toLowerCase());
      const problem = isTwice
        ? refused('conflict', 'headers has a name twice: letters have no case there.')
        : problemOf(header);
      if (problem) context.addIssue(refusedIssue(problem, [name]));
    }
  })
  .transform((headers): Header[] => Object.entries(headers))
  .meta({
    short: 'Request headers of your own, by their names.',
    description:
      `Headers that each request has besides, such as \`authorization\`: at most ${maxHeaders}. They replace those before. The values are secrets, ` +
      'which no answer returns. None that the service, the connection or the signature needs.',
    example: { authorization: 'Bearer abc' },
  });
