import type { Request, Response } from 'express';
import { isCredentialValid } from '../../db/account/credential-queries.ts';
import { findOwners, type Owner } from '../../db/account/owner-queries.ts';
import { Batcher } from '../../db/batcher.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { hashOfKey, isAccessToken, isApiKey } from '../../lib/ids.ts';
import { networkOf } from '../../lib/public-address.ts';
import { SIZES } from '../../sizes.ts';
import { errorKind, HttpError, retryAfter } from '../response/errors.ts';
import type { ClientAddress } from './client-address.ts';
import { RateLimit } from './rate-limit.ts';
import type { SessionCookie } from './session-cookie.ts';

/** Keys and sessions that one statement looks up: it takes some milliseconds, so that many unknown ones delay no valid one. */
const MAX_LOOK_UPS = 500;

export const unauthorized = errorKind(
  {
    id: 'Unauthorized',
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    isCounted: true,
  },
  (message?: string) =>
    new HttpError(401, message ?? 'An API key is needed: send Authorization: Bearer <API_KEY>.', {
      'WWW-Authenticate': 'Bearer',
    }),
);

export const keyRefused = (): HttpError =>
  unauthorized('The API key is unknown, has expired, or was revoked: send a valid one.');

const tokenRefused = (): HttpError =>
  unauthorized('The access token has expired, or its grant has ended: get another one.');

const sessionEnded = (): HttpError => unauthorized('The session has ended: sign in again.');

export const tooManyUnknownKeys = errorKind(
  {
    id: 'TooManyUnknownKeys',
    description:
      `More than ${SIZES.unknownKeys.max} unknown API keys in ${SIZES.unknownKeys.seconds} seconds from one address. ` +
      'A valid key is never refused for that reason.',
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many unknown API keys: wait a minute, then use a valid one.', retryAfter(leftMs)),
  SIZES.unknownKeys.seconds * 1_000,
);

type Found = Owner & { isRenewed: boolean };

/** Finds the owners of requests. */
export class Authentication {
  readonly #db: Database;
  readonly #clientAddress: ClientAddress;
  readonly #sessionCookie: SessionCookie;
  /** Finds owners by the hashes of keys and sessions. Requests that come together share a statement. */
  readonly #owners: Batcher<Buffer, Found | undefined>;
  readonly #unknownKeys = new RateLimit({
    name: 'unknown-keys',
    ...SIZES.unknownKeys,
    refusal: tooManyUnknownKeys,
  });

  constructor(db: Database, clientAddress: ClientAddress, sessionCookie: SessionCookie) {
    this.#db = db;
    this.#clientAddress = clientAddress;
    this.#sessionCookie = sessionCookie;
    this.#owners = new Batcher((hashes) => findOwners(db, hashes), { maxBatch: MAX_LOOK_UPS });
  }

  /**
   * The owner whose key a request carries, or whose session while it has no key. Throws 401; 429 when its address tries too
   * many unknown keys.
   */
  async ofRequest(request: Request, response: Response): Promise<Owner> {
    const { authorization } = request.headers;
    const token = authorization === undefined ? this.#sessionCookie.tokenOf(request) : undefined;
    if (token !== undefined) return this.#ofSession(request, response, token);
    const [, key = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (isAccessToken(key)) return this.#findOwner(request, response, key, tokenRefused);
    if (isApiKey(key)) return this.ofKey(request, response, key);
    throw unauthorized();
  }

  /** The owner of a key that does not come from the header. `key`: has the form of one. */
  ofKey(request: Request, response: Response, key: string): Promise<Owner> {
    return this.#findOwner(request, response, key, keyRefused);
  }

  /** Returns whether the key or the session with this id is still valid. */
  isCredentialValid(id: string): Promise<boolean> {
    return isCredentialValid(this.#db, id);
  }

  async #ofSession(request: Request, response: Response, token: string): Promise<Owner> {
    const owner = await this.#findOwner(request, response, token, sessionEnded);
    // The browser keeps it as long as the database.
    if (owner.isRenewed) response.append('Set-Cookie', this.#sessionCookie.keep(token));
    return owner;
  }

  /** The owner of a key or a session. Counts it as unknown when there is none. */
  async #findOwner(request: Request, response: Response, secret: string, refusal: () => HttpError): Promise<Found> {
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(this.#clientAddress(request));
    const owner = await this.#owners.add(hashOfKey(secret));
    if (owner) return owner;
    await this.#unknownKeys.count(network, { request, response });
    throw refusal();
  }
}
