import { beforeAll, describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { JSON_TYPE, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService({ MAX_HTML_BYTES: '100', MAX_SITE_FILES: '4', SMTP_URL: 'smtp://127.0.0.1:1' });
const owner = await service.owner();
const { id } = await owner.deploy();
const submissionId = await service.submit(id, '{"a":"b"}');
const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url: 'https://receiver.example/' });
const settings = `/deploy/${id}`;
const webhooks = `/webhooks/${id}`;
const search = `/submissions/${id}/search`;
const stats = `/deploy/${id}/stats`;
const bulk = `/submissions/${id}/bulk`;
const { maxOrigins, maxUrlChars, maxRetentionDays, maxBlocked, maxBlockedChars } = SIZES.settings;
const { maxKeyChars } = SIZES.idempotencyKey;
const MAX_INT = 2 ** 31 - 1;

type Sent = { headers?: Record<string, string>; body?: string };
type Problem = { code: string; errors?: Wrong[] };
type Wrong = { code: string; detail: string; limit?: number } & Record<string, string | number>;

async function ask(
  method: string,
  path: string,
  { headers = JSON_TYPE, body }: Sent,
  accept = 'application/problem+json',
) {
  const answer = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${owner.key}`, Accept: accept, ...headers },
    ...(body !== undefined && { body }),
  });
  const problem: Problem = JSON.parse(await answer.text());
  return { answer, body: problem };
}

/** The errors without their sentences, of which each has to be one. */
async function errorsOf(method: string, path: string, sent: Sent): Promise<unknown> {
  const { answer, body } = await ask(method, path, sent);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  if (body.errors === undefined) return undefined;
  const { errors } = body;
  expect(errors.map(({ detail }) => detail).join('')).not.toMatch(/Invalid|undefined/);
  for (const { code, limit } of errors) expect([code, limit !== undefined]).toEqual([code, code.startsWith('too-')]);
  return errors.map(({ detail: _sentence, ...rest }) => rest);
}

const json = (value: unknown): Sent => ({ body: JSON.stringify(value) });
const at = (pointer: string, code: string, limit?: number) => ({
  pointer,
  code,
  ...(limit !== undefined && { limit }),
});
const inQuery = (parameter: string, code: string, limit?: number) => ({
  ...{ parameter, code },
  ...(limit !== undefined && { limit }),
});

describe('the wrong values of a body', () => {
  it.each<[string, string, unknown, unknown[]]>([
    ['POST', '/deploy', {}, [at('/html', 'missing')]],
    ['POST', '/deploy', { html: null, slug: 'www' }, [at('/html', 'wrong-type'), at('/slug', 'not-allowed')]],
    ['POST', '/deploy', { slug: 'A1', html: '' }, [at('/html', 'too-short', 1), at('/slug', 'wrong-format')]],
    ['POST', '/deploy', { html: 'x\ud800', slug: 5 }, [at('/html', 'wrong-format'), at('/slug', 'wrong-type')]],
    ['POST', '/deploy', { html: 'x', files: [] }, [at('/files', 'wrong-type')]],
    [
      'POST',
      '/deploy',
      { html: 'x', files: { 'a/b.css': 1, '../c': 'x', 'd~e.txt': { content: '%', encoding: 'base64' } } },
      [at('/files/..~1c', 'wrong-format'), at('/files/a~1b.css', 'wrong-type'), at('/files/d~0e.txt', 'wrong-format')],
    ],
    [
      'POST',
      '/deploy',
      { html: 'x', files: { 'index.html': 'y' }, slug: 1 },
      [at('/files/index.html', 'not-allowed'), at('/slug', 'wrong-type')],
    ],
    [
      'POST',
      '/deploy',
      // The last two have one path in NFC.
      { html: 'x', files: { [`${'x'.repeat(5_000)}/`]: 'y', 'é.txt': 'x', 'e\u0301.txt': 'x' } },
      [at('/files', 'wrong-format'), at('/files/e\u0301.txt', 'not-allowed')],
    ],
    [
      'PATCH',
      settings,
      { email_notifications: 'yes', notify_every: 'week' },
      [at('/email_notifications', 'wrong-type'), at('/notify_every', 'unknown-value')],
    ],
    [
      'PATCH',
      settings,
      { notify_every: 5, language: 'xx' },
      [at('/notify_every', 'wrong-type'), at('/language', 'unknown-value')],
    ],
    ['PATCH', settings, { redirect_url: 'x'.repeat(maxUrlChars + 1) }, [at('/redirect_url', 'too-long', maxUrlChars)]],
    [
      'PATCH',
      settings,
      { allowed_origins: ['https://a.example', 'a', 'https://b.example', 7], retention_days: 0 },
      [
        at('/allowed_origins/1', 'wrong-format'),
        at('/allowed_origins/3', 'wrong-type'),
        at('/retention_days', 'too-low', 1),
      ],
    ],
    [
      'PATCH',
      settings,
      { allowed_origins: Array(maxOrigins + 1).fill('https://a.example') },
      [at('/allowed_origins', 'too-long', maxOrigins)],
    ],
    [
      'PATCH',
      settings,
      { retention_days: 1e300, max_submissions: 1.5 },
      [at('/retention_days', 'too-high', maxRetentionDays), at('/max_submissions', 'wrong-type')],
    ],
    [
      'PATCH',
      settings,
      {
        spam: {
          blocklist: ['', 'x'.repeat(maxBlockedChars + 1), 'ok', '\0x'],
          captcha: { provider: 'x', site_key: '', secret: 1 },
        },
      },
      [
        at('/spam/blocklist/0', 'too-short', 1),
        at('/spam/blocklist/1', 'too-long', maxBlockedChars),
        at('/spam/blocklist/3', 'wrong-format'),
        at('/spam/captcha/provider', 'unknown-value'),
        at('/spam/captcha/site_key', 'too-short', 1),
        at('/spam/captcha/secret', 'wrong-type'),
      ],
    ],
    ['PATCH', settings, { spam: { captcha: {} } }, [at('/spam/captcha/provider', 'missing')]],
    [
      'PATCH',
      settings,
      { spam: { captcha: { provider: 'turnstile', site_key: 'x' } } },
      [at('/spam/captcha/secret', 'missing')],
    ],
    ['PATCH', settings, { spam: [] }, [at('/spam', 'wrong-type')]],
    [
      'PATCH',
      settings,
      { confirmation: { subject: ' ', text: '{{nobody}}' } },
      [
        at('/confirmation/field', 'missing'),
        at('/confirmation/subject', 'too-short', 1),
        at('/confirmation/text', 'unknown-value'),
      ],
    ],
    // In the order of the declaration, though zod finds the conflict last.
    [
      'PATCH',
      settings,
      { opens_at: '2030-01-02T00:00:00Z', closes_at: '2030-01-01T00:00:00Z', closed_message: 7 },
      [at('/opens_at', 'conflict'), at('/closed_message', 'wrong-type')],
    ],
    [
      'PATCH',
      settings,
      { opens_at: 'soon', closes_at: '1950-01-01T00:00:00Z' },
      [at('/opens_at', 'wrong-format'), at('/closes_at', 'not-allowed')],
    ],
    ['PATCH', settings, { recipients: ['ada@example.org', 'ada'] }, [at('/recipients/1', 'wrong-format')]],
    ['POST', webhooks, {}, [at('/url', 'missing')]],
    [
      'POST',
      webhooks,
      { url: 'ftp://a.example', type: 'x', events: [] },
      [at('/url', 'wrong-format'), at('/type', 'unknown-value'), at('/events', 'too-short', 1)],
    ],
    [
      'POST',
      webhooks,
      { url: 'https://a:b@c.example/', events: ['x', 5] },
      [at('/url', 'not-allowed'), at('/events/0', 'unknown-value'), at('/events/1', 'wrong-type')],
    ],
    ['POST', webhooks, { url: 'https://10.0.0.1/' }, [at('/url', 'not-allowed')]],
    ['POST', webhooks, { url: `https://a.${PAGES_DOMAIN}/` }, [at('/url', 'not-allowed')]],
    ['POST', webhooks, { url: 'https://discord.com/api/webhooks/1/x', type: 'slack' }, [at('/url', 'not-allowed')]],
    ['POST', webhooks, { url: 'https://a.invalid', format: 'xml' }, [at('/format', 'unknown-value')]],
    ['POST', webhooks, { url: 'https://a.invalid', type: 'slack', format: 'teams' }, [at('/format', 'conflict')]],
    ['POST', webhooks, { url: 'https://a.invalid', format: 'telegram' }, [at('/chat_id', 'missing')]],
    ['POST', webhooks, { url: 'https://a.invalid', chat_id: '1' }, [at('/chat_id', 'conflict')]],
    ['POST', webhooks, { url: 'https://a.invalid', chat_id: '' }, [at('/chat_id', 'wrong-format')]],
    ['POST', webhooks, { url: 'https://a.invalid', headers: { host: 'a' } }, [at('/headers/host', 'not-allowed')]],
    [
      'POST',
      webhooks,
      { url: 'https://a.invalid', headers: { a: 'x'.repeat(2_001) } },
      [{ ...at('/headers/a', 'too-long'), limit: 2_000 }],
    ],
    [
      'PATCH',
      `${webhooks}/${webhook.id}`,
      { active: 1, events: 'submission' },
      [at('/events', 'wrong-type'), at('/active', 'wrong-type')],
    ],
    [
      'POST',
      '/keys',
      { name: ' ', scope: 'all', expires_at: '2020-01-01T00:00:00Z' },
      [at('/name', 'too-short', 1), at('/scope', 'unknown-value'), at('/expires_at', 'not-allowed')],
    ],
    [
      'POST',
      '/keys',
      { name: 'x'.repeat(SIZES.apiKey.maxNameChars + 1) },
      [at('/name', 'too-long', SIZES.apiKey.maxNameChars)],
    ],
    [
      'PATCH',
      '/me',
      { time_zone: 'Mars/North', email: 'ada' },
      [at('/time_zone', 'unknown-value'), at('/email', 'wrong-format')],
    ],
    ['POST', '/session/mail', {}, [at('/email', 'missing')]],
    ['POST', '/session', { key: 1 }, [at('/key', 'wrong-type')]],
    ['POST', `/deploy/${id}/domains`, { domain: 'https://a.example/' }, [at('/domain', 'wrong-format')]],
    ['POST', `/deploy/${id}/domains`, { domain: `x.${PAGES_DOMAIN}` }, [at('/domain', 'not-allowed')]],
    ['POST', `/deploy/${id}/domains`, { domain: `${'x'.repeat(64)}.example` }, [at('/domain', 'too-long', 63)]],
    [
      'PATCH',
      `/submissions/${id}/${submissionId}`,
      { read: 0, starred: 'x', note: null, status: 'closed' },
      [
        at('/read', 'wrong-type'),
        at('/starred', 'wrong-type'),
        at('/note', 'wrong-type'),
        at('/status', 'unknown-value'),
      ],
    ],
    ['PATCH', `/submissions/${id}/${submissionId}`, { note: 'x'.repeat(2_001) }, [at('/note', 'too-long', 2_000)]],
    ['PATCH', `/submissions/${id}/${submissionId}`, { note: 'a\0b' }, [at('/note', 'wrong-format')]],
    ['POST', bulk, { action: 'done', filter: { status: 'closed' } }, [at('/filter/status', 'unknown-value')]],
    ['POST', bulk, { action: 'burn', ids: ['sub_1', 2] }, [at('/action', 'unknown-value'), at('/ids/1', 'wrong-type')]],
    [
      'POST',
      bulk,
      { action: 'read', ids: Array(3 * SIZES.search.maxBulkIds).fill('sub_0VbbZBZeswpZ5bGpjxVeCiYz') },
      [at('/ids', 'too-long', SIZES.search.maxBulkIds)],
    ],
    ['POST', bulk, { action: 'read' }, [at('/ids', 'missing')]],
    ['POST', bulk, { action: 'read', ids: [], filter: {} }, [at('/ids', 'conflict')]],
    ['POST', bulk, { action: 'read', ids: [], cursor: '1' }, [at('/cursor', 'conflict')]],
    [
      'POST',
      bulk,
      { action: 'read', filter: { q: 'a', 'r/s': 1, unread: false } },
      [at('/filter/unread', 'unknown-value'), at('/filter/r~1s', 'not-allowed')],
    ],
    [
      'POST',
      bulk,
      { action: 'read', filter: { from: '2026-02-02', to: '2026-02-01' } },
      [at('/filter/from', 'conflict')],
    ],
    ['POST', `/submissions/${id}/test`, { fields: { 'a/b': 1, c: 'x' } }, [at('/fields/a~1b', 'wrong-type')]],
    [
      'POST',
      `/submissions/${id}/test`,
      {
        fields: Object.fromEntries(Array.from({ length: SIZES.submission.maxFields + 1 }, (_, at) => [`f${at}`, 'x'])),
      },
      [at('/fields', 'too-long', SIZES.submission.maxFields)],
    ],
  ])('%s %s %#', async (method, path, body, errors) => {
    expect(await errorsOf(method, path, json(body))).toEqual(errors);
  });

  it('are at most 100', async () => {
    const { body } = await ask('PATCH', settings, json({ spam: { blocklist: Array(maxBlocked).fill(7) } }));
    expect(body.errors).toHaveLength(100);
    expect(body.errors?.at(-1)).toMatchObject(at('/spam/blocklist/99', 'wrong-type'));
  });

  it('are the stored time and the new one where these do not go together', async () => {
    await owner.change(id, { opens_at: '2030-01-02T00:00:00Z' });
    expect(await errorsOf('PATCH', settings, json({ closes_at: '2030-01-01T00:00:00Z' }))).toEqual([
      at('/closes_at', 'conflict'),
    ]);
    await owner.change(id, { opens_at: null, closes_at: '2030-01-01T00:00:00Z' });
    expect(await errorsOf('PATCH', settings, json({ opens_at: '2030-01-03T00:00:00Z' }))).toEqual([
      at('/opens_at', 'conflict'),
    ]);
  });

  it('have their status and their limit where the request is too large', async () => {
    const { answer, body } = await ask('POST', '/deploy', json({ html: 'x'.repeat(101), slug: 'WWW' }));
    expect([answer.status, body.code, body.errors]).toEqual([
      413,
      'too-large',
      [{ ...at('/html', 'too-long', 100), detail: 'html is too large: send at most 100 bytes.' }],
    ]);
    const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, 'x']));
    expect(await errorsOf('POST', '/deploy', json({ html: 'x', files }))).toEqual([at('/files', 'too-long', 3)]);
  });

  it('are none where the body can not be read', async () => {
    for (const body of ['{', '[]', '{"html":}', '']) {
      const { answer, body: problem } = await ask('POST', '/session', { body });
      expect([answer.status, problem.errors?.length ?? 0, body]).toEqual([400, body === '' ? 1 : 0, body]);
    }
    expect(await errorsOf('POST', '/deploy', { headers: { 'Content-Type': 'application/zip' }, body: 'zip' })).toBe(
      undefined,
    );
  });

  it('are in the query, or the body itself, where the body is no JSON', async () => {
    const html = { headers: { 'Content-Type': 'text/html' }, body: '' };
    expect(await errorsOf('POST', '/deploy?slug=api', html)).toEqual([
      at('', 'too-short', 1),
      inQuery('slug', 'not-allowed'),
    ]);
    expect(await errorsOf('POST', '/deploy?slug=a&slug=b', { ...html, body: '<p>' })).toEqual([
      inQuery('slug', 'not-allowed'),
    ]);
    expect(await errorsOf('POST', '/deploy?slug=a', json({ html: 'x' }))).toEqual([inQuery('slug', 'not-allowed')]);
  });
});

describe('the wrong values of a query', () => {
  it.each<[string, unknown]>([
    ['/deploy?page=0&limit=x', [inQuery('page', 'too-low', 1), inQuery('limit', 'wrong-type')]],
    ['/deploy?page=-3', [inQuery('page', 'too-low', 1)]],
    ['/deploy?page=99999999999', [inQuery('page', 'too-high', MAX_INT)]],
    [`/deploy?limit=${'9'.repeat(400)}`, [inQuery('limit', 'too-high', MAX_INT)]],
    ['/deploy?page=1&page=2&limit=', [inQuery('page', 'not-allowed'), inQuery('limit', 'wrong-type')]],
    [
      `${search}?q=${'x'.repeat(201)}&unread=false&from=soon`,
      [inQuery('q', 'too-long', 200), inQuery('from', 'wrong-format'), inQuery('unread', 'unknown-value')],
    ],
    [`${search}?from=0001-01-01&cursor=x`, [inQuery('from', 'not-allowed'), inQuery('cursor', 'wrong-format')]],
    [`${search}?from=2026-02-02&to=2026-02-01`, [inQuery('from', 'conflict')]],
    ['/inbox?from=2026-02-02&to=2026-02-01', [inQuery('from', 'conflict')]],
    [`${stats}?by=week&tz=Mars`, [inQuery('by', 'unknown-value'), inQuery('tz', 'unknown-value')]],
    [`${stats}?by=hour&from=2020-01-01`, [inQuery('from', 'conflict')]],
    [`${stats}?from=2026-02-02&to=2026-02-01`, [inQuery('from', 'conflict')]],
    [`/submissions/${id}/after/0?wait=-1`, [inQuery('wait', 'too-low', 0)]],
    [
      `/submissions/${id}/after/0?wait=${SIZES.live.maxWaitSeconds + 1}`,
      [inQuery('wait', 'too-high', SIZES.live.maxWaitSeconds)],
    ],
    [`/submissions/${id}/after/x`, undefined],
    [
      `/submissions/${id}/export.csv?bom=2&labels=1&labels=1`,
      [inQuery('labels', 'not-allowed'), inQuery('bom', 'unknown-value')],
    ],
    [`/submissions/${id}/export.ndjson?after=x`, [inQuery('after', 'wrong-format')]],
    ['/altcha/challenge', [inQuery('deployment', 'missing')]],
  ])('GET %s', async (path, errors) => {
    expect(await errorsOf('GET', path, {})).toEqual(errors);
  });
});

describe('the wrong values of headers', () => {
  const key = (value: string) => ({ headers: { ...JSON_TYPE, 'Idempotency-Key': value } });

  it.each<[string, string, Sent, unknown]>([
    [
      'POST',
      '/deploy',
      { ...key('x'.repeat(maxKeyChars + 1)), ...json({ html: 'x' }) },
      [{ header: 'Idempotency-Key', code: 'too-long', limit: maxKeyChars }],
    ],
    [
      'POST',
      webhooks,
      { ...key(''), ...json({ url: 'https://a.example' }) },
      [{ header: 'Idempotency-Key', code: 'too-short', limit: 1 }],
    ],
    [
      'POST',
      `/submit/${id}`,
      { ...key(''), ...json({}) },
      [{ header: 'Idempotency-Key', code: 'too-short', limit: 1 }],
    ],
    [
      'GET',
      `/submissions/${id}/stream`,
      { headers: { 'Last-Event-ID': 'x' } },
      [{ header: 'Last-Event-ID', code: 'wrong-format' }],
    ],
  ])('%s %s', async (method, path, sent, errors) => {
    expect(await errorsOf(method, path, sent)).toEqual(errors);
  });
});

describe('a problem about wrong values', () => {
  let made: Awaited<ReturnType<typeof ask>>;
  beforeAll(async () => {
    made = await ask('PATCH', settings, json({ notify_owner: 1, retention_days: 'x', langage: 'de' }));
  });

  it('says what the header and the other form say, and lists all values', async () => {
    const first = 'notify_owner is not a boolean: send true or false.';
    const second = 'retention_days is not a whole number: send days, or null.';
    expect(made.body).toEqual({
      type: 'http://api.test/docs/errors/invalid-field',
      title: 'Invalid field',
      status: 400,
      detail: first,
      code: 'invalid-field',
      errors: [
        { pointer: '/notify_owner', code: 'wrong-type', detail: first },
        { pointer: '/retention_days', code: 'wrong-type', detail: second },
      ],
    });
    const plain = await ask('PATCH', settings, json({ notify_owner: 1, retention_days: 'x', langage: 'de' }), '*/*');
    expect(plain.body).toEqual({ error: first });
    const notice = `Ignored, because no field has this name: langage (did you mean language?); ${second.slice(0, -1)}`;
    for (const { answer } of [made, plain]) {
      expect(answer.headers.get('formhost-notice')).toBe(notice);
      expect(answer.headers.get('error-code')).toBe('invalid-field');
    }
  });
});
