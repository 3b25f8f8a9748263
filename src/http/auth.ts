import type { Request, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { Knex } from 'knex';
import { findOwnerByKey, type Owner } from '../db/owners.ts';
import { isApiKey } from '../ids.ts';
import type { ClientAddress } from './client-address.ts';
import { HttpError } from './errors.ts';
import { createTurns } from './turns.ts';

/** The owner whose key a request carries; throws 401, or 429 when its address tries too many unknown keys. */
export type Authenticate = (request: Request, response: Response) => Promise<Owner>;

const WINDOW_MS = 60_000;
const UNKNOWN_KEYS = 300;

const unauthorized = (message: string): HttpError => new HttpError(401, message, { 'WWW-Authenticate': 'Bearer' });

const tooManyUnknownKeys = (): HttpError =>
  new HttpError(429, 'Too many unknown API keys: wait a minute, then use a valid one.', {
    'Retry-After': String(WINDOW_MS / 1_000),
  });

export function createAuthenticate(db: Knex, clientAddress: ClientAddress): Authenticate {
  const guard = rateLimit({
    windowMs: WINDOW_MS,
    limit: UNKNOWN_KEYS,
    keyGenerator: (request) => ipKeyGenerator(clientAddress(request)),
    handler: (_request, _response, next) => next(tooManyUnknownKeys()),
    legacyHeaders: false,
    // Its checks warn about proxy settings on the console; ours are in TRUST_PROXY.
    validate: false,
  });

  const turn = createTurns();

  /** Counts an unknown key; a valid one never comes here. */
  const countUnknownKey = (request: Request, response: Response): Promise<void> =>
    new Promise((resolve, reject) => guard(request, response, (error) => (error ? reject(error) : resolve())));

  return async (request, response) => {
    const [, key = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!isApiKey(key)) throw unauthorized('An API key is needed: send Authorization: Bearer <API_KEY>.');
    await turn(key, response);
    const owner = await findOwnerByKey(db, key);
    if (owner) return owner;
    await countUnknownKey(request, response);
    throw unauthorized('The API key is not known, or was revoked: send a valid one.');
  };
}
