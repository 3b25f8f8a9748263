import { z } from 'zod';
import { SIZES } from '../../sizes.ts';

const DEFAULT_LIMIT = 50;
/** The maximum of a page and of a limit, which is that of an integer in Postgres. */
const MAX_NUMBER = 2 ** 31 - 1;
const { maxLimit } = SIZES.list;

export const invalidNumber = (name: string): string =>
  `${name} is invalid: send a whole number from 1 to ${MAX_NUMBER}{once}.`;

/** A number from 1: digits only. */
const number = (name: string) =>
  z.int(invalidNumber(name)).min(1, invalidNumber(name)).max(MAX_NUMBER, invalidNumber(name));
/** A number below zero is read as one, because its error is that it is too low. */
const INTEGER = /^(?:[0-9]+|-0*[1-9][0-9]*)$/;
export const fromDigits = (text: unknown): unknown =>
  typeof text === 'string' && INTEGER.test(text) ? Math.min(Number(text), Number.MAX_VALUE) : text;

/** A limit. One above `max` becomes that. */
export const limitField = (max: number, otherwise: number) =>
  z.preprocess(
    fromDigits,
    number('limit')
      .overwrite((limit) => Math.min(limit, max))
      .default(otherwise),
  );

/** The query of a list. A limit above `maxLimit` becomes that. */
export const Paging = z.object({
  page: z
    .preprocess(fromDigits, number('page').default(1))
    .meta({ description: 'Page number, from 1. A page past the end is empty.', short: 'From 1.' }),
  limit: limitField(maxLimit, DEFAULT_LIMIT).meta({
    description: `Items on a page. More than ${maxLimit} counts as ${maxLimit}.`,
    short: `Items, at most ${maxLimit}.`,
  }),
});
export type Paging = z.infer<typeof Paging>;

/** The fields of a list's answer that say which page it is. */
export const paged = {
  total: z.int().min(0).meta({ description: 'The number of items on all pages together.', example: 1 }),
  page: z.int().min(1).max(MAX_NUMBER).meta({ description: 'The number of this page.', example: 1 }),
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .meta({ description: 'How many items a page has at most.', example: DEFAULT_LIMIT }),
};
