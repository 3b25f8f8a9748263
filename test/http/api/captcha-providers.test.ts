import { describe, expect, it } from 'vitest';
import { CaptchaProviders } from '../../../src/delivery/captcha-providers.ts';
import { parseCidr } from '../../../src/lib/public-address.ts';
import { SIZES } from '../../../src/sizes.ts';
import {
  type Answer,
  closesAtOnce,
  drips,
  neverAnswers,
  pours,
  resetsAtOnce,
  startRawReceiver,
  startReceiver,
} from '../../support/receivers.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { testLimits } from '../../support/test-limits.ts';
import { ownAddress } from '../../support/test-own-address.ts';
import { testService } from '../../support/test-service.ts';

/*
 * Turnstile, hCaptcha and reCAPTCHA, by local servers that answer as their documentation says. The real ones are not
 * reached from here.
 */

const FIELDS = {
  turnstile: 'cf-turnstile-response',
  hcaptcha: 'h-captcha-response',
  recaptcha: 'g-recaptcha-response',
} as const;
type Provider = keyof typeof FIELDS;
const PROVIDERS: readonly Provider[] = ['turnstile', 'hcaptcha', 'recaptcha'];

const json =
  (body: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

const used = new Set<string>();
/** Genuine tokens begin with `good`, and count once. */
const byTheBook = (token: string): unknown => {
  if (!token.startsWith('good')) return { success: false, 'error-codes': ['invalid-input-response'] };
  if (used.has(token)) return { success: false, 'error-codes': ['timeout-or-duplicate'] };
  used.add(token);
  return { success: true, challenge_ts: '2026-11-22T10:00:00Z', hostname: 'example.org' };
};

/** The provider's answers to tokens. */
let tell: (token: string) => unknown = byTheBook;
const provider = await startReceiver((response, request) =>
  json(tell(new URLSearchParams(request.body).get('response') ?? ''))(response, request),
);
const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, undefined, {
  siteverifyUrls: {
    turnstile: `${provider.url}/turnstile/v0/siteverify`,
    hcaptcha: `${provider.url}/siteverify`,
    recaptcha: `${provider.url}/recaptcha/api/siteverify`,
  },
});
const owner = await service.owner();

describe('a form with a captcha of a provider', () => {
  async function deploy(name: Provider, more: object = {}): Promise<string> {
    const { id } = await owner.deploy();
    const captcha = { provider: name, site_key: 'public', secret: 'shh', ...more };
    await owner.change(id, { spam: { captcha } });
    return id;
  }
  const submit = async (id: string, data: object) => (await service.anonymous.post(`/submit/${id}`).send(data)).status;
  const reasonsOf = async (id: string): Promise<string[]> =>
    (await owner.get(`/deploy/${id}/spam`)).body.submissions
      .map(({ reason }: { reason: string }) => reason)
      .toReversed();
  const totalOf = async (id: string): Promise<number> => (await owner.get(`/submissions/${id}`)).body.total;

  it.each(PROVIDERS)('%s: accepts genuine tokens, and keeps the rest apart with its reason', async (name) => {
    tell = byTheBook;
    provider.received.length = 0;
    const id = await deploy(name);
    const field = FIELDS[name];
    expect(await submit(id, { name: 'Ada', [field]: `good ${name}&=` })).toBe(200);
    const [asked] = provider.received;
    const fields = { secret: 'shh', response: `good ${name}&=`, remoteip: '127.0.0.1' };
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual(
      name === 'hcaptcha' ? { ...fields, sitekey: 'public' } : fields,
    );
    expect(asked?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(await submit(id, { [field]: `good ${name}&=` })).toBe(200);
    expect(await submit(id, { [field]: 'bad' })).toBe(200);
    expect(provider.received.length).toBe(3);
    // These are not asked about.
    expect(await submit(id, {})).toBe(200);
    expect(await submit(id, { [field]: '' })).toBe(200);
    expect(await submit(id, { [field]: 'x'.repeat(10_000) })).toBe(200);
    expect(await submit(id, { [field]: ['a', 'b'] })).toBe(200);
    expect(provider.received.length).toBe(3);
    expect(await reasonsOf(id)).toEqual([
      ...['captcha-reused', 'captcha-failed', 'captcha-missing', 'captcha-missing', 'captcha-failed', 'captcha-failed'],
    ]);
    expect(await totalOf(id)).toBe(1);
  });

  it.each(PROVIDERS)('%s: reads a token from a field that comes several times', async (name) => {
    tell = byTheBook;
    provider.received.length = 0;
    const id = await deploy(name);
    const field = FIELDS[name];
    const form = (...values: string[]) =>
      `${new URLSearchParams(values.map((value): [string, string] => [field, value]))}`;
    const post = (type: string, body: string) => service.anonymous.post(`/submit/${id}`).type(type).send(body);
    const multipart = service.anonymous.post(`/submit/${id}`).field(field, '').field(field, `good form ${name}`);
    const genuine = [
      post('form', form('', `good 1 ${name}`)),
      post('form', form(`good 2 ${name}`, '')),
      post('form', form(`good 3 ${name}`, `good 3 ${name}`, '')),
      multipart.attach('file', Buffer.from('x'), 'x.txt'),
      post('json', `{"${field}":[null,"good 5 ${name}"]}`),
      post('json', `{"${field}":["good 6 ${name}",[]],"${field}":""}`),
      post('json', `{"${field}":"good 7 ${name}","a":1,"${field}":"good\\u00207 ${name}"}`),
    ];
    for (const sent of genuine) await sent.expect(200);
    expect(await reasonsOf(id)).toEqual([]);
    expect([await totalOf(id), provider.received.length]).toEqual([7, 7]);
    const others: [body: string, reason: string][] = [
      ...['null', '[]', '[null]', '["",""]', '[[],[""]]', `"","${field}":null`].map((value): [string, string] => [
        `{"${field}":${value}}`,
        'captcha-missing',
      ]),
      ...[`["good 8","good 9"]`, `"good 8","${field}":"good 9"`, '5', 'true', '{}', '["good 8",5]'].map(
        (value): [string, string] => [`{"${field}":${value}}`, 'captcha-failed'],
      ),
    ];
    for (const [body] of others) await post('json', body).expect(200);
    await post('form', form('', '')).expect(200);
    await post('form', form('good 8', 'good 9')).expect(200);
    expect(await reasonsOf(id)).toEqual([...others.map(([, reason]) => reason), 'captcha-missing', 'captcha-failed']);
    expect([await totalOf(id), provider.received.length]).toEqual([7, 7]);
  });

  it('takes a low score for a robot', async () => {
    const id = await deploy('recaptcha');
    for (const score of [0.1, 0.49, 0.5, 0.9]) {
      tell = () => ({ success: true, score, action: 'submit' });
      expect(await submit(id, { 'g-recaptcha-response': `${score}` })).toBe(200);
    }
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([2, ['captcha-failed', 'captcha-failed']]);
  });

  it('says when the provider does not know the secret', async () => {
    const id = await deploy('turnstile');
    tell = () => ({ success: false, 'error-codes': ['invalid-input-secret'] });
    expect(await submit(id, { 'cf-turnstile-response': 'good' })).toBe(200);
    expect(await reasonsOf(id)).toEqual(['captcha-misconfigured']);
  });

  it('loses nothing where the provider answers something strange', async () => {
    const id = await deploy('turnstile');
    for (const strange of [null, [], 'yes', { ok: true }, { success: 'true' }, { success: true, score: 'high' }]) {
      tell = () => strange;
      expect(await submit(id, { 'cf-turnstile-response': 'good' })).toBe(200);
    }
    expect(new Set(await reasonsOf(id))).toEqual(new Set(['captcha-unavailable']));
    expect((await reasonsOf(id)).length).toBe(6);
  });

  it('does not ask twice about what is sent again after a 429 or a 403', async () => {
    const id = await deploy('hcaptcha');
    tell = byTheBook;
    provider.received.length = 0;
    const fill = (count: number) => setAccepted(service.db, id, count);
    await fill(10);
    expect(await submit(id, { 'h-captcha-response': 'good a' })).toBe(429);
    await owner.change(id, { closes_at: '2000-01-01T00:00:00Z' });
    expect(await submit(id, { 'h-captcha-response': 'good a' })).toBe(403);
    expect(provider.received.length).toBe(1);
    await fill(9);
    await owner.change(id, { closes_at: null });
    const tokens = ['good 1', 'good 2', 'good 3'];
    const statuses = await Promise.all(tokens.map((token) => submit(id, { 'h-captcha-response': token })));
    expect(statuses.toSorted()).toEqual([200, 429, 429]);
    await fill(0);
    await owner.change(id, { language: null });
    for (const token of tokens) expect(await submit(id, { 'h-captcha-response': token })).toBe(200);
    expect([await totalOf(id), await reasonsOf(id)]).toEqual([3, ['captcha-reused']]);
    // Once more: each has counted.
    for (const token of tokens) expect(await submit(id, { 'h-captcha-response': token })).toBe(200);
    expect(await totalOf(id)).toBe(3);
  });

  it('answers 429, and no success, where the provider gave no answer and a minute of spam is kept already', async () => {
    tell = (token) => (token === 'good later' ? byTheBook(token) : 'no object');
    const id = await deploy('turnstile');
    await Promise.all(Array.from({ length: SIZES.spam.rateMax }, () => submit(id, {})));
    const person = { 'cf-turnstile-response': 'good', name: 'Ada' };
    // By the database, and from memory.
    for (let count = 0; count < 2; count += 1) {
      const { status, headers } = await service.anonymous.post(`/submit/${id}`).send(person);
      expect([status, Number(headers['retry-after']) > 30]).toEqual([429, true]);
      expect(await submit(id, {})).toBe(200);
    }
    expect(new Set(await reasonsOf(id))).toEqual(new Set(['captcha-missing']));
    expect(await submit(id, { 'cf-turnstile-response': 'good later' })).toBe(200);
    expect(await totalOf(id)).toBe(1);
  });

  it('never shows the secret, which stays until another is given', async () => {
    const id = await deploy('turnstile');
    const shown = async () => {
      const { text, body } = await owner.get(`/deploy/${id}/settings`);
      expect(text).not.toContain('shh');
      return body.spam;
    };
    expect(await shown()).toEqual({ blocklist: [], captcha: { provider: 'turnstile', site_key: 'public' } });
    const change = (spam: object) => owner.patch(`/deploy/${id}`).send({ spam });
    await change({ blocklist: ['x'], captcha: { provider: 'turnstile' } }).expect(200);
    expect(await shown()).toEqual({ blocklist: ['x'], captcha: { provider: 'turnstile' } });
    tell = (token) => byTheBook(token);
    provider.received.length = 0;
    await submit(id, { 'cf-turnstile-response': 'good kept' });
    expect(new URLSearchParams(provider.received[0]?.body).get('secret')).toBe('shh');
    // The secret of one provider is not given to another.
    const refused = await change({ captcha: { provider: 'hcaptcha' } });
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: 'spam.captcha.secret is missing: send the one that the provider gave you.' },
    ]);
    await change({ captcha: null }).expect(200);
    expect(await shown()).toEqual({ blocklist: [], captcha: null });
    expect((await change({ captcha: { provider: 'turnstile' } })).status).toBe(400);
    expect(await shown()).toEqual({ blocklist: [], captcha: null });
    await change({ captcha: { provider: 'altcha', secret: 'shh', site_key: 'public' } }).expect(200);
    expect(await shown()).toEqual({ blocklist: [], captcha: { provider: 'altcha' } });
  });
});

describe('CaptchaProviders', () => {
  const LOOPBACK = [parseCidr('127.0.0.0/8')];
  const ask = (url: string, allowedNetworks = LOOPBACK, limits = testLimits()) => {
    const providers = new CaptchaProviders({
      limits,
      allowedNetworks,
      own: ownAddress(),
      urls: { turnstile: url, hcaptcha: url, recaptcha: url },
    });
    return (deploymentId = 'd_1', token = 't') =>
      providers.ask({
        ...{ provider: 'turnstile', deploymentId, token, secret: 's', siteKey: undefined, ipAddress: '192.0.2.1' },
      });
  };

  it('says that a provider is unavailable that is not there, cuts off, or answers no JSON or too much', async () => {
    const gone = await startReceiver();
    await gone.close();
    const places = [
      gone.url,
      'http://nothing.invalid/',
      (await startRawReceiver(closesAtOnce)).url,
      (await startRawReceiver(resetsAtOnce)).url,
      (await startReceiver((response) => void response.end('<h1>Hello</h1>'))).url,
      (await startReceiver((response) => void response.end(`{"success":true,"more":"${'x'.repeat(100_000)}"}`))).url,
      (await startReceiver(json({ success: true }, 502))).url,
    ];
    for (const place of places) expect([place, await ask(place)()]).toEqual([place, 'unavailable']);
    expect(await ask((await startReceiver(json({ success: true }))).url)()).toBe('genuine');
  });

  it('reaches no address that webhooks may not reach', async () => {
    const inside = await startReceiver(json({ success: true }));
    expect(await ask(inside.url, [])()).toBe('unavailable');
    expect(await ask(`http://localhost:${inside.port}/`, [])()).toBe('unavailable');
    expect(inside.connections.made).toBe(0);
  });

  it('waits no longer than it may, whatever the provider does', async () => {
    const slow = [
      (await startRawReceiver(neverAnswers)).url,
      (await startRawReceiver(drips('HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n', ' '))).url,
      (await startRawReceiver(pours('HTTP/1.1 200 OK\r\n\r\n', 10_000_000_000))).url,
    ];
    const limits = testLimits({ spam: { providerTimeoutMs: 300 } });
    await Promise.all(
      slow.map(async (url) => {
        expect(await ask(url, LOOPBACK, limits)()).toBe('unavailable');
      }),
    );
  });

  it('asks about a few tokens of one deployment at a time, and others do not wait', async () => {
    const isOver = Promise.withResolvers<void>();
    let held = 0;
    const place = await startReceiver(async (response, request) => {
      if (request.body.includes('flood')) {
        held += 1;
        await isOver.promise;
      }
      json({ success: true })(response, request);
    });
    const question = ask(place.url);
    const flood = Array.from({ length: 30 }, () => question('d_1', 'flood'));
    await expect.poll(() => held).toBeGreaterThan(0);
    expect(await question('d_2')).toBe('genuine');
    expect(held).toBeLessThanOrEqual(12);
    isOver.resolve();
    await Promise.all(flood);
  });
});
