import type { Request, Response } from 'express';
import type { Knex } from 'knex';
import limitConcurrency, { type LimitFunction } from 'p-limit';
import { createBoundedCache } from '../bounded-cache.ts';
import { findOwnerByKey, type Owner } from '../db/owners.ts';
import { findOwnerBySession } from '../db/sessions.ts';
import { hashOfKey, isApiKey } from '../ids.ts';
import type { Limits } from '../limits.ts';
import { networkOf } from '../public-address.ts';
import type { ClientAddress } from './client-address.ts';
import { errorKind, HttpError } from './errors.ts';
import { pathOf } from './hosts.ts';
import type { OwnerConcurrency } from './owner-concurrency.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { CountUnknownKey } from './unknown-keys.ts';

/**
 * Finds the owner whose key a request carries, or whose session while it has no key. Throws 401; 429 when its address tries too many unknown keys; 503 when
 * too many requests of the owner are under way.
 */
export type Authenticate = (request: Request, response: Response) => Promise<Owner>;

export type Authentication = {
  ofRequest: Authenticate;
  /** As `ofRequest`, with a key that is given otherwise; it is one by its form. */
  ofKey(request: Request, response: Response, key: string): Promise<Owner>;
};

export const unauthorized = errorKind(
  { id: 'Unauthorized', description: 'The API key is missing, malformed, unknown, expired or revoked.' },
  (message?: string) =>
    new HttpError(401, message ?? 'An API key is needed: send Authorization: Bearer <API_KEY>.', {
      'WWW-Authenticate': 'Bearer',
    }),
);

export const keyRefused = (): HttpError =>
  unauthorized('The API key is unknown, has expired, or was revoked: send a valid one.');

const sessionEnded = (): HttpError => unauthorized('The session has ended: sign in again.');

export const readOnlyKey = errorKind(
  { id: 'ReadOnlyKey', description: 'The API key has the scope `read`.' },
  () => new HttpError(403, 'This API key may only read: use a key with the scope full.'),
);

export function createAuthentication({
  db,
  clientAddress,
  sessionCookie,
  concurrency,
  countUnknownKey,
  limits,
}: {
  db: Knex;
  sessionCookie: Pick<SessionCookie, 'name' | 'tokenOf' | 'isSameOrigin' | 'keep' | 'removeOthers'>;
  clientAddress: ClientAddress;
  concurrency: Pick<OwnerConcurrency, 'begin'>;
  countUnknownKey: CountUnknownKey;
  limits: Limits;
}): Authentication {
  /**
   * The owners of keys and sessions that were valid, by their hashes: their requests count as the owner's before the database is
   * asked.
   */
  const ownerIds = createBoundedCache<string, number>(limits.owners.rememberedKeys);
  const lookups = new Map<string, LimitFunction>();

  /**
   * Finds the owner of a key that is not remembered. A network that sends many keys waits and is not refused: one of
   * them may be valid.
   */
  async function findNew(find: () => Promise<Owner | undefined>, network: string): Promise<Owner | undefined> {
    const limit = lookups.get(network) ?? limitConcurrency(limits.owners.keyLookUpsOfNetwork);
    lookups.set(network, limit);
    try {
      return await limit(find);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) lookups.delete(network);
    }
  }

  /** The owner of a credential, by its hash. Counts it as unknown when there is none. */
  async function findOwner(
    request: Request,
    response: Response,
    hash: Buffer,
    find: () => Promise<Owner | undefined>,
  ): Promise<Owner | undefined> {
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(clientAddress(request));
    const name = hash.toString('base64');
    const ownerId = ownerIds.get(name);
    if (ownerId !== undefined) await concurrency.begin(request, response, ownerId);
    const owner = await (ownerId === undefined ? findNew(find, network) : find());
    if (!owner) {
      ownerIds.delete(name);
      await countUnknownKey(network);
      return undefined;
    }
    if (ownerId === undefined) {
      ownerIds.set(name, owner.id);
      await concurrency.begin(request, response, owner.id);
    }
    return owner;
  }

  async function ofSession(request: Request, response: Response, token: string): Promise<Owner> {
    const hash = hashOfKey(token);
    const owner = await findOwner(request, response, hash, async () => {
      const found = await findOwnerBySession(db, hash);
      // The browser keeps it as long as the database.
      if (found?.isRenewed) response.append('Set-Cookie', sessionCookie.keep(token));
      return found?.owner;
    });
    if (!owner) {
      removeOthers(request, response);
      throw sessionEnded();
    }
    return owner;
  }

  /** A cookie of another host may be why: the browser's next request has its own alone. */
  function removeOthers(request: Request, response: Response): void {
    if (!request.headers.cookie?.includes(`${sessionCookie.name}=`) || !sessionCookie.isSameOrigin(request)) return;
    response.append('Set-Cookie', sessionCookie.removeOthers(pathOf(request)));
  }

  async function ofKey(request: Request, response: Response, key: string): Promise<Owner> {
    const hash = hashOfKey(key);
    const owner = await findOwner(request, response, hash, () => findOwnerByKey(db, hash));
    if (!owner) throw keyRefused();
    return owner;
  }

  return {
    ofKey,
    async ofRequest(request, response) {
      const { authorization } = request.headers;
      const token = authorization === undefined ? sessionCookie.tokenOf(request) : undefined;
      if (token !== undefined) return ofSession(request, response, token);
      const [, key = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (!isApiKey(key)) {
        removeOthers(request, response);
        throw unauthorized();
      }
      return ofKey(request, response, key);
    },
  };
}
