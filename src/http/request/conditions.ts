import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { issueTemplate, valueErrors } from '../../problems/from-zod.ts';
import { errorKind, HttpError } from '../response/errors.ts';

/*
 * Requests that depend on what a client has seen (RFC 9110, 13), by the entity tags that src/db/deployments/page-version-queries.ts makes.
 */

/** The header of an answer, for its declaration. */
export const ETAG_HEADER = {
  ETag: {
    description: 'The entity tag of the content, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string' },
  },
} as const;

/** The header of a request that Express compares, for a declaration. */
export const ifNoneMatch = z.object({
  'If-None-Match': z.string().optional().meta({ description: 'An ETag that the client has: 304 if it is still this.' }),
});

/** The header of a request that changes what GET returns at `source`. */
export const ifMatch = (source: string) =>
  z.object({
    'If-Match': z
      .string()
      .optional()
      .meta({ description: `The ETag of \`GET ${source}\`, or several: 412 if the content has none of them.` }),
  });

export const changedMeanwhile = errorKind(
  { id: 'ChangedMeanwhile', description: 'The content has none of the ETags that `If-Match` names.' },
  (source: string) => new HttpError(412, `It has changed: get ${source} again, and send its ETag in If-Match.`),
  '/deploy/:id/html',
);

/** The headers of a request that stores what GET returns at `source`, also where there is nothing yet. */
export const storeConditions = (source: string) =>
  ifMatch(source).extend({
    'If-None-Match': z
      .literal('*', 'If-None-Match is not *: send it so, or leave it out.')
      .optional()
      .meta({ description: '412 if there is something already.' }),
  });

/** The tags of which If-Match wants one; undefined where any content will do. A weak tag equals none of ours. */
export function wantedTags(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => tag.trim());
}

/** The headers of a request that a schema names; throws 400. */
export function readHeaders<S extends z.ZodObject>({ headers }: IncomingMessage, schema: S): z.infer<S> {
  const names = Object.keys(schema.shape);
  const values = Object.fromEntries(names.map((name) => [name, headers[name.toLowerCase()]]));
  const read = schema.safeParse(values);
  if (read.success) return read.data;
  const { issues } = read.error;
  const errors = valueErrors(issues, values, names, ([name]) => ({ header: String(name) }));
  throw new HttpError(400, issues[0] ? issueTemplate(issues[0]) : '', {}, { errors });
}

/**
 * Returns the tags that what is stored may have, as `wantedTags` does; none of them where nothing may be stored yet, and `any` where
 * something has to be.
 */
export function storableTags(
  headers: z.infer<ReturnType<typeof storeConditions>>,
): readonly string[] | 'any' | undefined {
  if (headers['If-Match']?.trim() === '*') return 'any';
  return wantedTags(headers['If-Match']) ?? (headers['If-None-Match'] === '*' ? [] : undefined);
}
