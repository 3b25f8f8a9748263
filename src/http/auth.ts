import type { Request, Response } from 'express';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import limitConcurrency, { type LimitFunction } from 'p-limit';
import { findOwnerByKey, type Owner } from '../db/owners.ts';
import { hashOfKey, isApiKey } from '../ids.ts';
import { networkOf } from '../public-address.ts';
import type { ClientAddress } from './client-address.ts';
import { errorKind, HttpError } from './errors.ts';
import type { OwnerConcurrency } from './owner-concurrency.ts';
import type { CountUnknownKey } from './unknown-keys.ts';

/**
 * Finds the owner whose key a request carries. Throws 401; 429 when its address tries too many unknown keys; 503 when
 * too many requests of the owner are under way.
 */
export type Authenticate = (request: Request, response: Response) => Promise<Owner>;

const MAX_REMEMBERED_KEYS = 10_000;
/** Look-ups at a time for one network, of keys that are not remembered. */
const MAX_CONCURRENT_LOOKUPS = 2;

export const unauthorized = errorKind(
  { id: 'Unauthorized', description: 'The API key is missing, malformed, unknown, expired or revoked.' },
  (message?: string) =>
    new HttpError(401, message ?? 'An API key is needed: send Authorization: Bearer <API_KEY>.', {
      'WWW-Authenticate': 'Bearer',
    }),
);

export const keyRefused = (): HttpError =>
  unauthorized('The API key is unknown, has expired, or was revoked: send a valid one.');

export const readOnlyKey = errorKind(
  { id: 'ReadOnlyKey', description: 'The API key has the scope `read`.' },
  () => new HttpError(403, 'This API key may only read: use a key with the scope full.'),
);

export function createAuthenticate({
  db,
  clientAddress,
  concurrency,
  countUnknownKey,
}: {
  db: Knex;
  clientAddress: ClientAddress;
  concurrency: Pick<OwnerConcurrency, 'begin'>;
  countUnknownKey: CountUnknownKey;
}): Authenticate {
  /**
   * The owners of keys that were valid, by the keys' hashes: their requests count as the owner's before the database is
   * asked.
   */
  const ownerIds = new LRUCache<string, number>({ max: MAX_REMEMBERED_KEYS });
  const lookups = new Map<string, LimitFunction>();

  /**
   * Finds the owner of a key that is not remembered. A network that sends many keys waits and is not refused: one of
   * them may be valid.
   */
  async function findNewKey(hash: Buffer, network: string): Promise<Owner | undefined> {
    const limit = lookups.get(network) ?? limitConcurrency(MAX_CONCURRENT_LOOKUPS);
    lookups.set(network, limit);
    try {
      return await limit(() => findOwnerByKey(db, hash));
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) lookups.delete(network);
    }
  }

  return async (request, response) => {
    const [, key = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!isApiKey(key)) throw unauthorized();
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(clientAddress(request));
    const hash = hashOfKey(key);
    const name = hash.toString('base64');
    const ownerId = ownerIds.get(name);
    if (ownerId !== undefined) await concurrency.begin(request, response, ownerId);
    const owner = await (ownerId === undefined ? findNewKey(hash, network) : findOwnerByKey(db, hash));
    if (owner) {
      if (ownerId === undefined) {
        ownerIds.set(name, owner.id);
        await concurrency.begin(request, response, owner.id);
      }
      return owner;
    }
    ownerIds.delete(name);
    await countUnknownKey(network);
    throw keyRefused();
  };
}
