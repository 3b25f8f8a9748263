import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { z } from 'zod';
import { makeOnce } from '../../db/account/idempotency-key-queries.ts';
import type { Owner } from '../../db/account/owner-queries.ts';
import { mailRefusal, StorageFull } from '../../db/account/storage-queries.ts';
import { SIZES } from '../../sizes.ts';
import { errorKind, HttpError } from '../response/errors.ts';

/*
 * The header Idempotency-Key: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */

const { lifetimeHours, maxKeyChars, maxOfOwner } = SIZES.idempotencyKey;

const INVALID_KEY = `The Idempotency-Key is empty or too long: send 1 to ${maxKeyChars} characters, or none at all.`;

export const keyReused = errorKind(
  {
    id: 'IdempotencyKeyReused',
    description: `The \`Idempotency-Key\` was used with another request in the last ${lifetimeHours} hours.`,
  },
  () =>
    new HttpError(422, 'The Idempotency-Key was used with another request: send each request with a key of its own.'),
);

/** The header of a request, for its declaration. */
export const idempotencyKeyHeader = (description: string) =>
  z.object({
    // Without an example: the page that shows the reference would fill it in, and send everything under one key.
    'Idempotency-Key': z
      .string()
      .min(1, INVALID_KEY)
      .max(maxKeyChars, INVALID_KEY)
      .optional()
      .meta({
        description: `Names this request for ${lifetimeHours} hours: sent again under the same key, ${description}`,
      }),
  });

/** The header of a request that makes something of an owner. */
export const idempotencyKey = idempotencyKeyHeader(
  'it makes nothing, and gets the first answer. Make a new key for each request, such as a UUID. Only successes are ' +
    `remembered, the last ${maxOfOwner} of an owner.`,
);

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Returns the answer of `make`, or the first answer where the owner has sent the same request under its key before.
 * `request`: its path and its body, in any form that is the same each time. Throws 422 where the key names another request.
 */
export async function answerOnce<Answer extends object>(
  db: Knex,
  owner: Owner,
  { key, ...request }: { key: string | undefined; path: string; body: unknown },
  make: (db: Knex) => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return make(db);
  const hashes = { hash: sha256(key), requestHash: sha256(JSON.stringify(request)) };
  const answer = await makeOnce(db, { ownerId: owner.id, ...hashes }, make).catch(async (error: unknown) => {
    if (error instanceof StorageFull) await mailRefusal(db, error);
    throw error;
  });
  if (answer === 'key-reused') throw keyReused();
  return answer;
}
