import { z } from 'zod';
import { countSubmissionsBetween } from '../../../db/submissions/statistics-queries.ts';
import { refused } from '../../../problems/refusal.ts';
import { operation } from '../../operation/operation.ts';
import { badQuery, NOT_BEFORE, timeBound } from '../../request/query-values.ts';
import { answerObject, countField, time } from '../../request/shared-fields.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { isTimeZone, startOfDay, startOfDayBefore, startsBetween, type Unit } from './time-buckets.ts';

const MAX_BUCKETS = 1_000;
const DEFAULT_DAYS = 30;
const TOO_MANY_BUCKETS = `That is more than ${MAX_BUCKETS} buckets: ask for less time, or by day.`;
const Query = z.object({
  from: timeBound('from').meta({
    description:
      'The first time that counts, in ISO 8601: a time with Z or an offset, or a day, from its beginning in `tz`. ' +
      `Left out: ${DEFAULT_DAYS} days, up to that of \`to\`.`,
    short: 'Time or day (ISO 8601), included.',
    example: '2026-11-01',
  }),
  to: timeBound('to').meta({
    description: 'The first time that no longer counts. Left out: now.',
    short: 'Before this time or day.',
    example: '2026-12-01',
  }),
  by: z
    .enum(['hour', 'day'], 'by is invalid: send hour or day{once}.')
    .default('day')
    .meta({ description: 'How long a bucket is.' }),
  tz: z
    .string('tz is invalid: send a time zone such as Europe/Berlin{once}.')
    .refine(
      isTimeZone,
      refused('unknown-value', 'tz is invalid: send the IANA name of a time zone, such as Europe/Berlin.'),
    )
    .default('UTC')
    .meta({ description: 'The time zone of hours and days, by its IANA name.', example: 'Europe/Berlin' }),
});

const Statistics = answerObject('Statistics', {
  buckets: z
    .array(
      z.strictObject({
        start: time.meta({ description: 'When the hour or day begins.', example: '2026-11-21T23:00:00.000Z' }),
        submissions: countField('How many were accepted in it, from `from` and before `to`.', 3),
      }),
    )
    .max(MAX_BUCKETS),
  total: countField('How many were accepted from `from` and before `to`.', 3),
});

type Range = { from: number; to: number; by: Unit; timeZone: string };

/** Reads the range of a query, in milliseconds since 1970; throws 400. */
function rangeOf({ from, to, by, tz: timeZone }: z.infer<typeof Query>): Range {
  const instantOf = (text: string): number => (text.includes('T') ? Date.parse(text) : startOfDay(text, timeZone));
  const end = to === undefined ? Date.now() : instantOf(to);
  // The last moment before the end is in the last day.
  const start = from === undefined ? startOfDayBefore(end - 1, DEFAULT_DAYS - 1, timeZone) : instantOf(from);
  if (start >= end) throw badQuery([{ parameter: 'from', code: 'conflict', detail: NOT_BEFORE }]);
  return { from: start, to: end, by, timeZone };
}

/** Statistics of submissions. */
export const statisticsOperation = operation('GET', '/deploy/:id/stats', 'getStatistics', {
  guests: 'reader',
  tool: {
    name: 'get_stats',
    description: 'How many submissions came in each hour or day.',
    isBounded: true,
  },
  command: {
    usage: 'stats <id>',
    help: ['$ stats contact --by hour --tz Europe/Berlin'],
    as: { from: '--from <time>', to: '--to <time>', by: '--by <unit>', tz: '--tz <zone>' },
    texts: {
      from: 'from this time or day on (30 days ago)',
      to: 'before this time or day',
      by: 'day or hour',
      tz: 'time zone, such as Europe/Berlin',
    },
    shows: 'chart',
  },
  summary: 'Count submissions by hour or day',
  description: `A bucket for each hour or day, oldest first, at most ${MAX_BUCKETS}. Deleted submissions are not counted.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: Query,
  answer: { description: 'The numbers of submissions.', schema: Statistics },
  async handle({ resource, query }, { db }) {
    const range = rangeOf(query);
    const starts = startsBetween(range, MAX_BUCKETS);
    if (starts.length > MAX_BUCKETS)
      throw badQuery([{ parameter: 'from', code: 'conflict', detail: TOO_MANY_BUCKETS }]);
    const times = [range.from, ...starts.slice(1), range.to];
    const counts = await countSubmissionsBetween(db, resource, times);
    const buckets = starts.map((start, index) => ({
      start: new Date(start).toISOString(),
      submissions: counts[index] ?? 0,
    }));
    return { buckets, total: counts.reduce((sum, count) => sum + count, 0) };
  },
});
