import { z } from 'zod';

const MAX_NUMBER = 2 ** 31 - 1;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

export const invalidNumber = (name: string): string =>
  `${name} is invalid: send a whole number from 1 to ${MAX_NUMBER}, once.`;

/** A number from 1: digits only. */
const number = (name: string) =>
  z.int(invalidNumber(name)).min(1, invalidNumber(name)).max(MAX_NUMBER, invalidNumber(name));
const fromDigits = (text: unknown): unknown =>
  typeof text === 'string' && /^[0-9]+$/.test(text) ? Number(text) : text;

/** The query of a list. A limit above MAX_LIMIT becomes that. */
export const Paging = z.object({
  page: z
    .preprocess(fromDigits, number('page').default(1))
    .meta({ description: 'Page number, from 1. A page past the end is empty.' }),
  limit: z
    .preprocess(
      fromDigits,
      number('limit')
        .overwrite((limit) => Math.min(limit, MAX_LIMIT))
        .default(DEFAULT_LIMIT),
    )
    .meta({ description: `Items on a page. More than ${MAX_LIMIT} counts as ${MAX_LIMIT}.` }),
});

/** The fields of a list's answer that say which page it is. */
export const paged = {
  page: z.int().min(1).max(MAX_NUMBER).meta({ description: 'The number of this page.' }),
  limit: z.int().min(1).max(MAX_LIMIT).meta({ description: 'How many items a page has at most.' }),
};
