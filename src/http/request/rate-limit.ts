import type { Request, Response } from 'express';
import { type IncrementResponse, type RateLimitRequestHandler, rateLimit, type Store } from 'express-rate-limit';
import type { Owner } from '../../db/account/owner-queries.ts';
import { countTry } from '../../db/account/session-queries.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { SIZES } from '../../sizes.ts';
import type { HttpError } from '../response/errors.ts';

/** The headers that express-rate-limit writes (draft-ietf-httpapi-ratelimit-headers-08), for the declaration of an answer. */
export const RATE_LIMIT_HEADERS = {
  RateLimit: {
    description:
      'For each limit that counted the request: its name, how many more it allows in this window (`r`), and in how many seconds the window ends (`t`).',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'For each of them: its name, how many it allows (`q`) in a window of so many seconds (`w`), and a hash that stands for who is counted (`pk`).',
    schema: { type: 'string' },
  },
} as const;

/** These headers, for an answer to requests that are not all counted. */
export const OPTIONAL_RATE_LIMIT_HEADERS = {
  RateLimit: { ...RATE_LIMIT_HEADERS.RateLimit, required: false },
  'RateLimit-Policy': { ...RATE_LIMIT_HEADERS['RateLimit-Policy'], required: false },
} as const;

const RETRY_AFTER = 'Retry-After';

/** The time in so many milliseconds, rounded up: a window that has not ended has some left. */
const after = (ms: number): Date => new Date(Date.now() + Math.ceil(ms));

/** Counts, in this process alone, how often each key is used in a window that begins with its first use. */
export class ProcessStore implements Store {
  readonly #windowMs: number;
  /** `endsAt`: by performance.now(), which no change of the clock moves. */
  readonly #windows = createBoundedCache<string, { hits: number; endsAt: number }>(SIZES.rateLimitKeys);

  constructor(seconds: number) {
    this.#windowMs = seconds * 1_000;
  }

  increment(key: string): IncrementResponse {
    // Differences of fractions are not exact: a window would begin with a second too many.
    const now = Math.floor(performance.now());
    const last = this.#windows.get(key);
    const window = last && last.endsAt > now ? last : { hits: 0, endsAt: now + this.#windowMs };
    window.hits += 1;
    this.#windows.set(key, window);
    return { totalHits: window.hits, resetTime: after(window.endsAt - now) };
  }

  decrement(key: string): void {
    const window = this.#windows.get(key);
    if (window && window.hits > 0) window.hits -= 1;
  }

  resetKey(key: string): void {
    this.#windows.delete(key);
  }
}

/** Counts in the database, over all processes. */
class SharedStore implements Store {
  readonly #db: Database;
  readonly #name: string;
  readonly #limit: { limit: number; seconds: number };

  constructor(db: Database, name: string, limit: { limit: number; seconds: number }) {
    this.#db = db;
    this.#name = name;
    this.#limit = limit;
  }

  async increment(key: string): Promise<IncrementResponse> {
    const { tries, leftMs } = await countTry(this.#db, `${this.#name} ${key}`, this.#limit);
    return { totalHits: tries, resetTime: after(leftMs) };
  }

  /** Only options that no limit has take a use back. */
  decrement(): void {
    throw new Error('A use that the database has counted stays counted.');
  }

  resetKey(): void {
    this.decrement();
  }
}

type Exchange = { request: Request; response: Response };

type Limit = {
  /** Its name in the headers. */
  name: string;
  max: number;
  seconds: number;
  /** Makes the error of a use that is one too many. `leftMs`: until there may be another. */
  refusal(leftMs: number): HttpError;
  /** Where the uses in all processes are counted. Left out: each process counts its own. */
  sharedIn?: Database;
  /** Only a refusal has the headers then: with them, one client would learn what others do. */
  isDiscreet?: boolean;
};

/** Limits how often each key is used, and writes the headers about that. */
export class RateLimit {
  /** The keys of the requests that are being counted. */
  readonly #keys = new WeakMap<Request, string>();
  readonly #isDiscreet: boolean;
  readonly #limiter: RateLimitRequestHandler;

  constructor({ name, max, seconds, refusal, sharedIn, isDiscreet = false }: Limit) {
    this.#isDiscreet = isDiscreet;
    this.#limiter = rateLimit({
      identifier: name,
      limit: max,
      windowMs: seconds * 1_000,
      store: sharedIn ? new SharedStore(sharedIn, name, { limit: max, seconds }) : new ProcessStore(seconds),
      keyGenerator: (request) => String(this.#keys.get(request)),
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      // Its checks keep every store in memory, and print keys.
      validate: false,
      handler(_request, response, next) {
        const leftSeconds = Math.max(Number(response.get(RETRY_AFTER) ?? 0), 1);
        // The error has it, and the answer of a tool, which is a 200, has none.
        if (!response.headersSent) response.removeHeader(RETRY_AFTER);
        next(refusal(leftSeconds * 1_000));
      },
    });
  }

  /** Counts a use of an owner, as `count` does. */
  countOwner({ owner, ...exchange }: Exchange & { owner: Pick<Owner, 'id'> }): Promise<void> {
    return this.count(String(owner.id), exchange);
  }

  /** Counts a use of a key, whatever becomes of the request. Throws the limit's error for one that is too many. */
  async count(key: string, { request, response }: Exchange): Promise<void> {
    this.#keys.set(request, key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#limiter(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    await promise.catch((error: unknown) => {
      // The limit that refuses is the one that matters.
      arrange(response, (limits) => limits.slice(-1));
      throw error;
    });
    arrange(response, (limits) => (this.#isDiscreet ? limits.slice(0, -1) : limits.toReversed()));
  }
}

/** Changes the parts of both headers, of which the last is about the limit that has just counted. */
function arrange(response: Response, change: (limits: string[]) => string[]): void {
  if (response.headersSent) return;
  for (const name of Object.keys(RATE_LIMIT_HEADERS)) {
    const limits = change([response.getHeader(name) ?? []].flat().map(String));
    if (limits.length > 0) response.setHeader(name, limits.join(', '));
    else response.removeHeader(name);
  }
}
