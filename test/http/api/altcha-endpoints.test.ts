import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { createAltcha } from '../../../src/forms/altcha.ts';
import { newDeploymentId } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { challengeFor, solve, tokenOf } from '../../support/solve-altcha.ts';
import { testLimits } from '../../support/test-limits.ts';
import { BASE_URL, testService, UNKNOWN_ID } from '../../support/test-service.ts';

/** Less work than in production: most of it would be that of the tests. */
const EASY = { challengeCost: 50, minChallengeCounter: 3, maxChallengeCounter: 6 };

const service = await testService({}, undefined, { limits: { spam: EASY } });
const owner = await service.owner();

const ALTCHA = { captcha: { provider: 'altcha' } };
async function deploy(): Promise<string> {
  const { id } = await owner.deploy();
  await owner.change(id, { spam: ALTCHA });
  return id;
}
const submit = async (id: string, data: object, headers: Record<string, string> = {}, url = service.url) =>
  (await request(url).post(`/submit/${id}`).set(headers).send(data)).status;

type Kept = { data: Record<string, unknown>; reason: string };
/** Why each is kept apart, oldest first. */
const reasonsOf = async (id: string): Promise<string[]> =>
  (await owner.get(`/deploy/${id}/spam`)).body.submissions.map(({ reason }: Kept) => reason).toReversed();
const totalOf = async (id: string): Promise<number> => (await owner.get(`/submissions/${id}`)).body.total;

describe('GET /altcha/challenge', () => {
  it('answers a new challenge each time, for pages of any origin', async () => {
    const id = await deploy();
    const response = await service.anonymous.get('/altcha/challenge').query({ deployment: id }).expect(200);
    const expires = Math.floor(Date.now() / 1_000) + SIZES.captcha.challengeMinutes * 60;
    expect(response.body).toEqual({
      parameters: {
        algorithm: 'PBKDF2/SHA-256',
        cost: EASY.challengeCost,
        data: { deployment: id },
        expiresAt: expect.toSatisfy((at: number) => Math.abs(at - expires) < 60),
        keyLength: 32,
        keyPrefix: expect.stringMatching(/^[0-9a-f]{32}$/),
        keySignature: expect.stringMatching(/^[0-9a-f]{64}$/),
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
        salt: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'no-store',
    });
    const again = await service.anonymous.get('/altcha/challenge').query({ deployment: id });
    expect(again.body.signature).not.toBe(response.body.signature);
  });

  it('takes the address of the form too, which {{FORM_ACTION}} becomes', async () => {
    const id = await deploy();
    const { parameters } = await challengeFor(service.url, `${BASE_URL}/submit/${id}`);
    expect(parameters.data).toEqual({ deployment: id });
  });

  it('answers 404 where there is no such form, and 400 to other queries; pages may read both', async () => {
    const id = await deploy();
    const { id: deleted } = await owner.deploy();
    await owner.delete(`/deploy/${deleted}`).expect(200);
    for (const deployment of [UNKNOWN_ID, deleted, '', 'x', '\0', `${id}/`, `${id}?x`]) {
      const response = await service.anonymous.get('/altcha/challenge').query({ deployment });
      expect([deployment, answer(response)]).toEqual([deployment, refused(404)]);
      expect(response.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Retry-After, error-code',
      });
    }
    for (const query of ['', '?deployment=a&deployment=b', `?Deployment=${id}`]) {
      expect(answer(await service.anonymous.get(`/altcha/challenge${query}`))).toEqual(refused(400));
    }
  });
});

describe('GET /altcha.js', () => {
  it('answers the widget, as a module that pages of any origin may load', async () => {
    const { headers, text } = await service.anonymous.get('/altcha.js').buffer(true).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    });
    expect(text).toContain('altcha-widget');
  });
});

describe('a form with ALTCHA', () => {
  it('accepts a solution once, from each encoding, and keeps it with the other fields', async () => {
    const id = await deploy();
    const [one, two, three] = [
      await solve(service.url, id),
      await solve(service.url, id),
      await solve(service.url, id),
    ];
    await service.anonymous.post(`/submit/${id}`).send({ altcha: one }).expect(200);
    await service.anonymous.post(`/submit/${id}`).type('form').send({ altcha: two }).expect(200);
    await service.anonymous
      .post(`/submit/${id}`)
      .field('altcha', three)
      .attach('f', Buffer.from('x'), 'a.txt')
      .expect(200);
    expect(await reasonsOf(id)).toEqual([]);
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    expect(submissions.map(({ data }: Kept) => data.altcha)).toEqual([three, two, one]);
    for (const altcha of [one, two, three]) expect(await submit(id, { altcha })).toBe(200);
    expect(await reasonsOf(id)).toEqual(['captcha-reused', 'captcha-reused', 'captcha-reused']);
  });

  it('accepts a solution whose field comes several times, and uses it up once', async () => {
    const id = await deploy();
    const altcha = await solve(service.url, id);
    expect(await submit(id, { altcha: ['', altcha, altcha] })).toBe(200);
    const form = new URLSearchParams([
      ['altcha', await solve(service.url, id)],
      ['altcha', ''],
    ]);
    await service.anonymous.post(`/submit/${id}`).type('form').send(`${form}`).expect(200);
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([2, []]);
    expect(await submit(id, { altcha: [altcha, altcha] })).toBe(200);
    expect(await submit(id, { altcha: [await solve(service.url, id), await solve(service.url, id)] })).toBe(200);
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([2, ['captcha-reused', 'captcha-failed']]);
  });

  it('accepts a solution once over all processes at once', async () => {
    const id = await deploy();
    const altcha = await solve(service.url, id);
    await Promise.all([0, 1, 2, 3, 4, 5].map((n) => submit(id, { n, altcha })));
    expect(await totalOf(id)).toBe(1);
    expect(await reasonsOf(id)).toEqual(Array.from({ length: 5 }, () => 'captcha-reused'));
  });

  it('keeps apart what has no solution, or another than its own', async () => {
    const id = await deploy();
    const other = await deploy();
    const challenge = await challengeFor(service.url, id);
    const good = JSON.parse(Buffer.from(await tokenOf(challenge), 'base64').toString());
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
    const changed = (parameters: object): string =>
      encode({ ...good, challenge: { ...challenge, parameters: { ...challenge.parameters, ...parameters } } });
    const wrong: unknown[] = [
      'x',
      1,
      ['a', 'b'],
      {},
      encode(null),
      encode({}),
      encode({ ...good, solution: { counter: 1, derivedKey: '00' } }),
      encode({ ...good, solution: { ...good.solution, derivedKey: challenge.parameters.keyPrefix } }),
      encode({ ...good, challenge: { ...challenge, signature: '0'.repeat(64) } }),
      changed({ expiresAt: challenge.parameters.expiresAt + 1 }),
      changed({ cost: 1, keyPrefix: '00' }),
      encode({ test: true, challenge: null, solution: null }),
      await solve(service.url, other),
      'x'.repeat(100_000),
      encode({ ...good, more: '{'.repeat(4_000) }),
    ];
    for (const altcha of wrong) expect(await submit(id, { altcha })).toBe(200);
    expect(await reasonsOf(id)).toEqual(wrong.map(() => 'captcha-failed'));
    const missing = [{}, { altcha: '' }, { Altcha: 'x' }, { altcha: null }, { altcha: [] }, { altcha: ['', null] }];
    for (const data of missing) expect(await submit(id, data)).toBe(200);
    expect((await reasonsOf(id)).slice(wrong.length)).toEqual(missing.map(() => 'captcha-missing'));
    expect(await totalOf(id)).toBe(0);
    expect(await submit(id, { altcha: encode(good) })).toBe(200);
    expect(await totalOf(id)).toBe(1);
  });

  it('does not use a solution up with a 429', async () => {
    const id = await deploy();
    const altcha = await solve(service.url, id);
    await setAccepted(service.db, id, 10);
    expect(await submit(id, { altcha })).toBe(429);
    await setAccepted(service.db, id, 0);
    // This process remembers the limit.
    const { url } = await service.another();
    expect(await submit(id, { altcha }, {}, url)).toBe(200);
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([1, []]);
  });

  it('stores what is sent again once, by its Idempotency-Key, with the solution of the first', async () => {
    const id = await deploy();
    const body = { altcha: await solve(service.url, id) };
    const key = { 'Idempotency-Key': 'a' };
    const all = await Promise.all(
      Array.from({ length: 4 }, () => service.anonymous.post(`/submit/${id}`).set(key).send(body)),
    );
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([1, []]);
  });

  it('looks at the blocklist before a solution counts', async () => {
    const { id } = await owner.deploy();
    await owner.change(id, { spam: { ...ALTCHA, blocklist: ['casino'] } });
    const altcha = await solve(service.url, id);
    expect(await submit(id, { altcha, text: 'casino' })).toBe(200);
    expect(await submit(id, { altcha, text: 'ok' })).toBe(200);
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([1, ['blocklist']]);
  });
});

describe('used solutions', () => {
  it('are removed an hour after their challenges have expired', async () => {
    const id = await deploy();
    await submit(id, { altcha: await solve(service.url, id) });
    const age = (minutes: number) =>
      service.db('altcha_solutions').update({ expires_at: new Date(Date.now() - minutes * 60_000) });
    const all = await age(59);
    await removeOldRows(service.db, { logStart: new Date(0) });
    expect((await service.db('altcha_solutions')).length).toBe(all);
    await age(61);
    await removeOldRows(service.db, { logStart: new Date(0) });
    expect(await service.db('altcha_solutions')).toEqual([]);
  });
});

describe('createAltcha', () => {
  it('makes challenges that count for 20 minutes, for one deployment and under one secret', async () => {
    const altcha = createAltcha(Buffer.alloc(32), testLimits({ spam: EASY }));
    const id = newDeploymentId();
    const token = await tokenOf(await altcha.challenge(id));
    expect(await altcha.check(id, token)).toEqual({ hash: expect.any(Buffer), expiresAt: expect.any(Date) });
    expect(await altcha.check(newDeploymentId(), token)).toBeUndefined();
    expect(await createAltcha(Buffer.alloc(32, 1), testLimits({ spam: EASY })).check(id, token)).toBeUndefined();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (SIZES.captcha.challengeMinutes * 60 - 5) * 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await altcha.check(id, token)).toBeDefined();
    vi.setSystemTime(Date.now() + 10_000);
    expect(await altcha.check(id, token)).toBeUndefined();
  });
});
