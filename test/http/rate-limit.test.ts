import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import request from 'supertest';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientAddressFrom } from '../../src/http/request/client-address.ts';
import { ProcessStore, RateLimit } from '../../src/http/request/rate-limit.ts';
import { HttpError, retryAfter, toHttpError, writeError } from '../../src/http/response/errors.ts';
import { networkOf } from '../../src/lib/public-address.ts';
import { SIZES } from '../../src/sizes.ts';
import { testLimits } from '../support/test-limits.ts';
import { BASE_URL } from '../support/test-service.ts';

const START = new Date('2026-03-01T12:00:00Z');

function stopClocks(): void {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: START });
  onTestFinished(() => void vi.useRealTimers());
}

const refusal = (leftMs: number): HttpError => new HttpError(429, 'Too many.', retryAfter(leftMs));

/** The answers of a server that counts each request, with the headers about the limit. `use`: counts one. */
function answering(use: (request: Request, response: Response) => Promise<unknown>) {
  const app = express();
  app.get('/', async (asked, response) => {
    await use(asked, response);
    response.send('done');
  });
  app.use(((error, _request, response, _next) =>
    writeError(
      response,
      toHttpError(error),
      {},
      { config: { baseUrl: BASE_URL }, limits: testLimits() },
    )) satisfies ErrorRequestHandler);
  return async (key = 'a') => {
    const { status, headers } = await request(app).get('/').set('x-key', key);
    const { ratelimit: limit, 'ratelimit-policy': policy, 'retry-after': retry } = headers;
    return { status, limit, policy, ...(retry !== undefined && { retry }) };
  };
}

const keyOf = ({ headers }: Request): string => String(headers['x-key']);

describe('a limit of a process', () => {
  beforeEach(stopClocks);

  const counting = (limit: RateLimit) =>
    answering((asked, response) => limit.count(keyOf(asked), { request: asked, response }));
  const policy = (q: number, w: number, pk: string) => `"cups"; q=${q}; w=${w}; pk=:${pk}:`;
  // The base64 of the first 12 digits of the SHA-256 of the key.
  const [OF_A, OF_B] = ['Y2E5NzgxMTJjYTFi', 'M2UyM2U4MTYwMDM5'];

  it('allows each key so many in a window that begins with its first use, and says so in each answer', async () => {
    const ask = counting(new RateLimit({ name: 'cups', max: 2, seconds: 90, refusal }));
    const told = (r: number, t: number, pk = OF_A) => ({ limit: `"cups"; r=${r}; t=${t}`, policy: policy(2, 90, pk) });
    expect(await ask()).toEqual({ status: 200, ...told(1, 90) });
    vi.advanceTimersByTime(30_001);
    expect(await ask()).toEqual({ status: 200, ...told(0, 60) });
    expect(await ask('b')).toEqual({ status: 200, ...told(1, 90, OF_B) });
    expect(await ask()).toEqual({ status: 429, ...told(0, 60), retry: '60' });
    vi.advanceTimersByTime(59_998);
    expect(await ask()).toEqual({ status: 429, ...told(0, 1), retry: '1' });
    vi.advanceTimersByTime(1);
    expect(await ask()).toEqual({ status: 200, ...told(1, 90) });
    expect(await ask('b')).toEqual({ status: 200, ...told(0, 31, OF_B) });
  });

  it('is exact when requests come together', async () => {
    const ask = counting(new RateLimit({ name: 'cups', max: 7, seconds: 60, refusal }));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? 'a' : 'b')));
    const told = answers.map(({ status, limit }) => `${status} ${limit}`).toSorted();
    const allowed = [0, 1, 2, 3, 4, 5, 6].flatMap((r) => Array(2).fill(`200 "cups"; r=${r}; t=60`));
    expect(told).toEqual([...allowed, ...Array(6).fill('429 "cups"; r=0; t=60')]);
  });

  it('has counted a request that then finds another error', async () => {
    const ask = answering(async (asked, response) => {
      const limit = new RateLimit({ name: 'cups', max: 1, seconds: 60, refusal });
      await limit.count('a', { request: asked, response });
      throw new HttpError(409, 'Counted, and then refused.');
    });
    expect(await ask()).toEqual({ status: 409, limit: '"cups"; r=0; t=60', policy: policy(1, 60, OF_A) });
  });
});

describe('several limits of a request', () => {
  beforeEach(stopClocks);

  /** The names in the headers, and how many each allows. */
  const asking = (wide: number, narrow: number, discreet: number) => {
    const limits = [
      new RateLimit({ name: 'wide', max: wide, seconds: 60, refusal }),
      new RateLimit({ name: 'narrow', max: narrow, seconds: 60, refusal }),
      new RateLimit({ name: 'discreet', max: discreet, seconds: 60, refusal, isDiscreet: true }),
    ];
    const ask = answering(async (asked, response) => {
      for (const limit of limits) await limit.count(keyOf(asked), { request: asked, response });
    });
    return async () => {
      const { status, limit, policy } = await ask();
      return [status, limit, policy?.replaceAll(/; pk=:\w+:/g, '')];
    };
  };
  const policies = '"narrow"; q=3; w=60, "wide"; q=9; w=60';

  it('are listed with the narrowest first, without those that would tell what others do', async () => {
    const ask = asking(9, 3, 20);
    expect(await ask()).toEqual([200, '"narrow"; r=2; t=60, "wide"; r=8; t=60', policies]);
    expect(await ask()).toEqual([200, '"narrow"; r=1; t=60, "wide"; r=7; t=60', policies]);
  });

  it.each<[string, [number, number, number], string]>([
    ['the first', [1, 3, 20], '"wide"; q=1; w=60'],
    ['a later one', [9, 1, 20], '"narrow"; q=1; w=60'],
    ['one that is not told otherwise', [9, 3, 1], '"discreet"; q=1; w=60'],
  ])('are represented by the one that refuses: %s', async (_which, maxima, policy) => {
    const ask = asking(...maxima);
    expect((await ask())[0]).toBe(200);
    expect(await ask()).toEqual([429, `${policy.replace(/q.*/, 'r=0; t=60')}`, policy]);
  });
});

describe('the counts of a process', () => {
  beforeEach(stopClocks);

  const hits = (store: ProcessStore, key: string) => store.increment(key).totalHits;

  it('go by a clock that nobody sets', () => {
    const store = new ProcessStore(60);
    expect([hits(store, 'a'), hits(store, 'a')]).toEqual([1, 2]);
    vi.setSystemTime(new Date(START.getTime() + 3_600_000));
    const { totalHits, resetTime } = store.increment('a');
    expect([totalHits, resetTime]).toEqual([3, new Date(START.getTime() + 3_660_000)]);
    vi.advanceTimersByTime(60_000);
    expect(hits(store, 'a')).toBe(1);
  });

  it('begin a window of the right length at each fraction of a millisecond', () => {
    const store = new ProcessStore(60);
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    for (const at of [0.1, 5_567.551, 5_827.71, 6_086.869]) {
      now.mockReturnValue(at);
      expect(store.increment(String(at)).resetTime).toEqual(new Date(START.getTime() + 60_000));
    }
  });

  it('can be taken back', () => {
    const store = new ProcessStore(60);
    store.decrement('unknown');
    hits(store, 'a');
    store.decrement('a');
    store.decrement('a');
    expect([hits(store, 'a'), hits(store, 'a')]).toEqual([1, 2]);
    store.resetKey('a');
    expect(hits(store, 'a')).toBe(1);
  });

  it(`are of ${SIZES.rateLimitKeys} keys at most: that whose last use is longest ago is forgotten`, () => {
    const store = new ProcessStore(60);
    for (const key of ['oldest', 'used again', 'used again', 'newer']) hits(store, key);
    for (let other = 3; other < SIZES.rateLimitKeys; other += 1) hits(store, String(other));
    expect(hits(store, 'used again')).toBe(3);
    hits(store, 'one more');
    expect([hits(store, 'used again'), hits(store, 'newer'), hits(store, 'oldest')]).toEqual([4, 2, 1]);
  });
});

describe('the network that an address is counted by', () => {
  const clientAddress = clientAddressFrom(1);

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:7:1ff::1', '2001:db8:7:100::/56'],
    ['2001:DB8:7:0100:ffff:ffff:ffff:ffff', '2001:db8:7:100::/56'],
    ['2001:db8:7:200::1', '2001:db8:7:200::/56'],
    ['::1', '::/56'],
    ['64:ff9b::203.0.113.7', '64:ff9b::/56'],
  ])('is that of express-rate-limit: %s', async (address, network) => {
    const ask = express().get('/', (asked, response) => void response.send(networkOf(clientAddress(asked))));
    const { text } = await request(ask).get('/').set('X-Forwarded-For', address);
    expect([text, ipKeyGenerator(address)]).toEqual([network, network]);
  });
});
