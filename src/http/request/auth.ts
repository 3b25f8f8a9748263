import type { Request, Response } from 'express';
import type { Knex } from 'knex';
import { isCredentialValid } from '../../db/account/credentials.ts';
import { findOwnersByKeys, type Owner } from '../../db/account/owners.ts';
import { findOwnersBySessions } from '../../db/account/sessions.ts';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { hashOfKey, isApiKey } from '../../lib/ids.ts';
import { networkOf } from '../../lib/public-address.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { errorKind, HttpError, retryAfter } from '../response/errors.ts';
import type { ClientAddress } from './client-address.ts';
import { CredentialLookUps } from './credentials.ts';
import { pathOf } from './hosts.ts';
import { RateLimit } from './rate-limit.ts';
import type { SessionCookie } from './session-cookie.ts';

/**
 * Finds the owner whose key a request carries, or whose session while it has no key. Throws 401; 429 when its address tries too
 * many unknown keys.
 */
export type Authenticate = (request: Request, response: Response) => Promise<Owner>;

export type Authentication = {
  ofRequest: Authenticate;
  /** As `ofRequest`, with a key that is given otherwise; it is one by its form. */
  ofKey(request: Request, key: string): Promise<Owner>;
  /** Whether the key or the session with this id is still valid. */
  isCredentialValid(id: string): Promise<boolean>;
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

export const tooManyUnknownKeys = errorKind(
  {
    id: 'UnknownKeys',
    description:
      `More than ${SIZES.unknownKeys.max} unknown API keys in ${SIZES.unknownKeys.seconds} seconds from one address. ` +
      'A valid key is never refused for that reason.',
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many unknown API keys: wait a minute, then use a valid one.', retryAfter(leftMs)),
  SIZES.unknownKeys.seconds * 1_000,
);

export function createAuthentication({
  db,
  clientAddress,
  sessionCookie,
  limits,
}: {
  db: Knex;
  sessionCookie: Pick<SessionCookie, 'name' | 'tokenOf' | 'isSameOrigin' | 'keep' | 'removeOthers'>;
  clientAddress: ClientAddress;
  limits: Limits;
}): Authentication {
  /** The hashes of keys and sessions that were valid. */
  const known = createBoundedCache<string, true>(limits.owners.rememberedKeys);
  const unknownKeys = new RateLimit(SIZES.unknownKeys);
  const keys = new CredentialLookUps((hashes) => findOwnersByKeys(db, hashes), limits);
  const sessions = new CredentialLookUps((hashes) => findOwnersBySessions(db, hashes), limits);

  /** The owner of a credential, by its hash. Counts it as unknown when there is none. */
  async function findOwner<Found extends Owner>(
    request: Request,
    hash: Buffer,
    lookUps: CredentialLookUps<Found>,
  ): Promise<Found | undefined> {
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(clientAddress(request));
    const name = hash.toString('base64');
    // One that was valid waits for no unknown ones of its network.
    const owner = await lookUps.find(known.get(name) ? name : network, hash);
    if (owner) {
      known.set(name, true);
      return owner;
    }
    known.delete(name);
    const leftMs = await unknownKeys.use(network);
    if (leftMs !== undefined) throw tooManyUnknownKeys(leftMs);
    return undefined;
  }

  async function ofSession(request: Request, response: Response, token: string): Promise<Owner> {
    const owner = await findOwner(request, hashOfKey(token), sessions);
    if (!owner) {
      removeOthers(request, response);
      throw sessionEnded();
    }
    const { isRenewed, ...found } = owner;
    // The browser keeps it as long as the database.
    if (isRenewed) response.append('Set-Cookie', sessionCookie.keep(token));
    return found;
  }

  /** A cookie of another host may be why: the browser's next request has its own alone. */
  function removeOthers(request: Request, response: Response): void {
    if (!request.headers.cookie?.includes(`${sessionCookie.name}=`) || !sessionCookie.isSameOrigin(request)) return;
    response.append('Set-Cookie', sessionCookie.removeOthers(pathOf(request)));
  }

  async function ofKey(request: Request, key: string): Promise<Owner> {
    const owner = await findOwner(request, hashOfKey(key), keys);
    if (!owner) throw keyRefused();
    return owner;
  }

  return {
    ofKey,
    isCredentialValid: (id) => isCredentialValid(db, id),
    async ofRequest(request, response) {
      const { authorization } = request.headers;
      const token = authorization === undefined ? sessionCookie.tokenOf(request) : undefined;
      if (token !== undefined) return ofSession(request, response, token);
      const [, key = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (!isApiKey(key)) {
        removeOthers(request, response);
        throw unauthorized();
      }
      return ofKey(request, key);
    },
  };
}
