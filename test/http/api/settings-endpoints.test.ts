import { describe, expect, it } from 'vitest';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { NOTICE } from '../../../src/http/response/notice-header.ts';
import { FIRST_OWNER } from '../../../src/lib/mail-address.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer } from '../../support/answers.ts';
import { asOwner, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
const { url: mailUrl } = await service.another({ SMTP_URL: 'smtp://127.0.0.1:1' });
/** The owner's requests to a service that has a mail server. */
const withMail = asOwner(mailUrl, owner.key);

const AT_FIRST = {
  email_notifications: false,
  notify_every: 'submission',
  notify_owner: true,
  recipients: [],
  redirect_url: null,
  allowed_origins: [],
  language: null,
  retention_days: null,
  opens_at: null,
  closes_at: null,
  expires_at: null,
  max_submissions: null,
  places_field: null,
  submissions_per_minute: null,
  closed_message: null,
  closed_page: false,
  form_tools: false,
  thanks_message: null,
  spam: { blocklist: [], captcha: null },
  confirmation: null,
};
const CONFIRMATION = { field: 'email', subject: 'Thank you', text: 'We have it.' };

const { maxFieldChars, maxSubjectChars, maxTextChars } = SIZES.confirmation;
const confirmationsWith = (name: keyof typeof CONFIRMATION, values: unknown[]) =>
  values.map((value) => ({ ...CONFIRMATION, [name]: value }));

const settingsOf = async (id: string) => (await owner.get(`/deploy/${id}/settings`)).body;

describe('GET /deploy/:id/settings', () => {
  it('answers 200 with every setting: as they are at first, and as PATCH has left them', async () => {
    const { id } = await owner.deploy();
    expect(answer(await owner.get(`/deploy/${id}/settings`))).toEqual({ status: 200, body: AT_FIRST });
    const states: unknown[] = [];
    const changes = [{ email_notifications: true }, {}, { email_notifications: 1 }];
    const others = [{ email_notifications: false, language: 'de' }, { language: 'tlh' }, { language: null }];
    for (const change of [...changes, ...others]) {
      await owner.patch(`/deploy/${id}`).send(change);
      states.push(await settingsOf(id));
    }
    expect(states).toEqual([
      ...[true, true, true].map((on) => ({ ...AT_FIRST, email_notifications: on })),
      ...['de', 'de', null].map((language) => ({ ...AT_FIRST, language })),
    ]);
  });

  it('keeps what PATCH has taken, and takes it back', async () => {
    const { id } = await owner.deploy();
    const { email_notifications: _, ...others } = AT_FIRST;
    const LONGEST = {
      field: 'é'.repeat(maxFieldChars),
      subject: '{{page}} {'.padEnd(maxSubjectChars, '}'),
      text: '{{reference}}\r\n\t{{date}}'.padEnd(maxTextChars, 'é'),
    };
    for (const change of [
      { redirect_url: `HTTPS://Example.org/%20é?a=b#c${'d'.repeat(2_015)}` },
      { allowed_origins: ['https://example.org', 'http://localhost:8080', 'http://[::1]:8080', 'http://192.0.2.1'] },
      { allowed_origins: ['null', 'capacitor://localhost', 'ionic://localhost', 'tauri://localhost'] },
      { allowed_origins: ['chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai', 'safari-web-extension://a-b'] },
      { allowed_origins: ['moz-extension://0b0f1f34-9a4c-4a3c-8f11-4d0c4ba4bd1c', 'capacitor://app.example.org'] },
      { allowed_origins: Array.from({ length: 20 }, (_, n) => `https://a${n}.example.org`) },
      { retention_days: 1 },
      { language: 'ar', retention_days: 3_650, spam: { blocklist: ['casino', 'é'], captcha: null } },
      { spam: { blocklist: [], captcha: { provider: 'altcha' } } },
      { confirmation: CONFIRMATION },
      { confirmation: LONGEST },
      { opens_at: '1970-01-01T00:00:00.000Z', closes_at: '9999-12-31T23:59:59.999Z' },
      { closed_message: 'é'.repeat(1_000), thanks_message: 'é\n'.repeat(500), closed_page: true },
      { max_submissions: 1, submissions_per_minute: 1, closed_message: ' "Sold out"\n ' },
      { max_submissions: 1_000_000_000, submissions_per_minute: 600 },
    ]) {
      const changed = answer(await owner.patch(`/deploy/${id}`).send(change));
      expect(changed).toEqual({ status: 200, body: { success: true, id } });
      expect(await settingsOf(id)).toEqual({ ...AT_FIRST, ...change });
      await owner.change(id, others);
      expect(await settingsOf(id)).toEqual(AT_FIRST);
    }
  });

  it('writes origins as browsers do, each once', async () => {
    const { id } = await owner.deploy();
    const origins = [
      'HTTPS://Example.ORG',
      'https://example.org:443',
      'http://münchen.example:80',
      'http://a.test:81',
      'Tauri://LocalHost',
    ];
    await owner.change(id, { allowed_origins: origins });
    const written = ['https://example.org', 'http://xn--mnchen-3ya.example', 'http://a.test:81', 'tauri://localhost'];
    expect((await settingsOf(id)).allowed_origins).toEqual(written);
  });

  it('writes times in UTC', async () => {
    const { id } = await owner.deploy();
    for (const [time, as] of [
      ['2030-03-04t09:00:00z', '2030-03-04T09:00:00.000Z'],
      ['2030-06-30T23:59:60Z', '2030-06-30T23:59:59.000Z'],
      ['2030-07-01T01:59:60.5+02:00', '2030-06-30T23:59:59.500Z'],
    ]) {
      for (const name of ['opens_at', 'expires_at']) {
        await owner.change(id, { [name]: time });
        expect((await owner.get(`/deploy/${id}/settings`)).body).toMatchObject({ [name]: as });
      }
    }
    await owner.change(id, { expires_at: null });
    const times = { opens_at: '2030-03-04T09:00:00+01:00', closes_at: '2030-03-04T09:00:00.1234567Z' };
    await owner.change(id, times);
    const written = { opens_at: '2030-03-04T08:00:00.000Z', closes_at: '2030-03-04T09:00:00.123Z' };
    expect(await settingsOf(id)).toEqual({ ...AT_FIRST, ...written });
  });

  it('refuses to close before opening, also where one of the times was set before', async () => {
    const { id } = await owner.deploy();
    const [first, second] = ['2030-03-04T08:00:00.000Z', '2030-03-04T08:00:00.001Z'];
    const set = async (opens_at: string | null | undefined, closes_at?: string | null) =>
      (await owner.patch(`/deploy/${id}`).send({ opens_at, closes_at, language: 'de' })).status;
    expect(await set(first, first)).toBe(400);
    expect(await settingsOf(id)).toEqual(AT_FIRST);
    expect([await set(first), await set(undefined, first), await set(undefined, second)]).toEqual([200, 400, 200]);
    expect([await set(second), await set(null), await set(second)]).toEqual([400, 200, 400]);
    expect([await set(second, null), await set(undefined, first)]).toEqual([200, 400]);
  });

  it.each<[string, unknown[]]>([
    [
      'redirect_url',
      [
        ...['', '/thanks', '//example.org', 'ftp://example.org', 'javascript:alert(1)', 'https:a', 'https:///a', 1, []],
        ...['https://a.test/a b', 'https://a.test/\n', 'https://a.test\\b', 'https://user:secret@example.org'],
        `https://a.test/${'a'.repeat(2_035)}`,
      ],
    ],
    [
      'allowed_origins',
      [
        ...['https://example.org', [null]],
        ...['*', 'NULL', 'null ', 'example.org', 'https://*.example.org', 'file://', 'data:', 'about:blank'].map(
          (one) => [one],
        ),
        ...['capacitor://', 'capacitor://*', 'tauri://localhost/', 'javascript://localhost', 'chrome-extension:a'].map(
          (one) => [one],
        ),
        ...['ws://a.test', 'blob:null', 'moz-extension://a b', 'ionic://a@localhost'].map((one) => [one]),
        ...['ftp://a.test', 'https://a.test '].map((one) => [one]),
        ...['https://example.org/', 'https://example.org?', 'https://user@example.org'].map((one) => [one]),
        Array.from({ length: 21 }, (_, n) => `https://a${n}.example.org`),
      ],
    ],
    [
      'recipients',
      [
        ...['ada@example.org', [1], [{ email: 'ada@example.org', confirmed: true }], ['Ada <ada@example.org>']],
        ...[['ada@example.org\r\nBcc: eve@example.org'], [`${'a'.repeat(64)}@${'b'.repeat(190)}.org`]],
        Array.from({ length: 6 }, (_, at) => `a${at}@example.org`),
      ],
    ],
    ['notify_every', ['week']],
    ['retention_days', [0, 3_651, 1.5, '30']],
    ['language', ['sv', 'EN', 5]],
    [
      'confirmation',
      [
        ...[[], 'email', {}, { field: 'email', subject: 'a' }],
        ...confirmationsWith('field', ['', ' ', 1, null, 'a\nb', 'a\0', '\ud800', 'a'.repeat(maxFieldChars + 1)]),
        ...confirmationsWith('subject', ['', 'a\r\nBcc: x@y.example', 'a\u2028b', '{{name}}']),
        ...confirmationsWith('subject', ['a'.repeat(maxSubjectChars + 1)]),
        ...confirmationsWith('text', ['', '{{ page }}', '{{Page}}', '{{page', 'a\0', '\udc00']),
        ...confirmationsWith('text', ['a'.repeat(maxTextChars + 1)]),
      ],
    ],
    ...['opens_at', 'closes_at'].map((name): [string, unknown[]] => [
      name,
      [
        ...['', 'Monday', '2030-03-04', '2030-03-04T09:00:00', '2030-02-29T09:00:00Z', 1_900_000_000],
        ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'],
      ],
    ]),
    ['max_submissions', [0, -1, 1.5, '40', 1_000_000_001]],
    ['submissions_per_minute', [0, 1.5, '20', 601]],
    ['thanks_message', ['', ' \n', 'a\0b', '\ud800', 5, 'x'.repeat(1_001)]],
    ['closed_page', ['true', 1, null]],
    ['form_tools', ['true', 1, null]],
    ['closed_message', ['', ' \n', 'a\0b', '\u001b[31m', '\ud800', 5, 'x'.repeat(1_001)]],
  ])('answers 400 that names %s, and changes nothing', async (field, values) => {
    const { id } = await owner.deploy();
    for (const value of values) {
      const { status, body } = await owner.patch(`/deploy/${id}`).send({ email_notifications: true, [field]: value });
      expect([value, status, body]).toEqual([value, 400, { error: expect.stringMatching(`^${field}[. ]`) }]);
    }
    expect(await settingsOf(id)).toEqual(AT_FIRST);
  });

  it('answers 400 with the first error, and with the others in a header', async () => {
    const { id } = await owner.deploy();
    const times = { opens_at: '2030-03-05T08:00:00Z', closes_at: '2030-03-04T08:00:00+01:00' };
    const change = { retention_days: 0, allowed_origins: ['a', 'b'], confirmation: 'é', language: 'de', ...times };
    const { body, headers } = await owner.patch(`/deploy/${id}`).send(change).expect(400);
    expect(body.error).toMatch(/^allowed_origins has a value that is not an origin: /);
    expect(headers[NOTICE]?.split('; ')).toEqual([
      'retention_days is too low: send at least 1, or null',
      'confirmation is not an object: send {"field": "email", "subject": "?", "text": "?"}, or null',
      'opens_at is not before closes_at: send an earlier opens_at, or a later closes_at',
    ]);
    expect(await settingsOf(id)).toEqual(AT_FIRST);
    const many = { spam: { blocklist: [], captcha: null }, allowed_origins: Array.from({ length: 20 }, () => 5) };
    expect((await owner.patch(`/deploy/${id}`).send(many).expect(400)).headers).not.toHaveProperty(NOTICE);
  });

  it('keeps all of several changes at once', async () => {
    const { id } = await owner.deploy();
    const changes = [{ redirect_url: 'https://example.org/' }, { retention_days: 5 }, { language: 'de' }];
    await Promise.all(changes.map((change) => owner.change(id, change)));
    expect(await settingsOf(id)).toEqual(Object.assign({}, AT_FIRST, ...changes));
  });

  it('has each field that PATCH takes', async () => {
    const { paths, components } = (await service.anonymous.get('/openapi.json')).body;
    const { slug: _, ...taken } = paths['/deploy/{id}'].patch.requestBody.content['application/json'].schema.properties;
    expect(Object.keys(components.schemas.Settings.properties)).toEqual(Object.keys(taken));
    expect(components.schemas.Settings.required).toEqual(Object.keys(taken));
  });
});

describe(`${NOTICE} of a deployment that is taken down`, () => {
  const ASK = 'To ask why, contact the operator';
  const DOWN = `The operator has taken this page down: visitors see an error in its place, and its form accepts no submissions. ${ASK}`;

  it('is on its status and its settings, and on neither while it is up', async () => {
    const { id } = await owner.deploy();
    const notices = async () => {
      const answers = [
        await owner.get(`/deploy/${id}`).expect(200),
        await owner.get(`/deploy/${id}/settings`).expect(200),
      ];
      return answers.map(({ headers }) => headers[NOTICE]);
    };
    expect(await notices()).toEqual([undefined, undefined]);
    await takeDown(service.db, id, 'phishing');
    expect(await notices()).toEqual([DOWN, DOWN]);
  });

  it('is on PUT, which stores the page, and says that it is not shown', async () => {
    const { id } = await owner.deploy();
    expect((await owner.put(`/deploy/${id}`).send({ html: 'one' })).headers).not.toHaveProperty(NOTICE);
    await takeDown(service.db, id, 'phishing');
    const { status, headers } = await owner.put(`/deploy/${id}`).send({ html: 'two' });
    expect([status, headers[NOTICE]]).toEqual([
      200,
      `The operator has taken this page down: the new HTML is stored, and is not shown before the operator restores the page. ${ASK}`,
    ]);
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: 'two' });
    expect((await owner.put(`/deploy/${id}`).send({ html: '' })).headers).not.toHaveProperty(NOTICE);
  });
});

describe(`${NOTICE} of PATCH /deploy/:id`, () => {
  const OFF = 'Mail is off: the operator must set SMTP_URL';
  const NOBODY = 'Your address is owner@localhost, which gets no mail: change it under Account or with PATCH /me';

  it('says that mail is off when it is switched on, each time, and at no other change', async () => {
    const { id } = await owner.deploy();
    const noticeTo = async (change: object, who = owner) => {
      const { status, body, headers } = await who.patch(`/deploy/${id}`).send(change);
      expect([status, body]).toEqual([200, { success: true, id }]);
      return headers[NOTICE];
    };
    expect(await noticeTo({})).toBeUndefined();
    expect(await noticeTo({ email_notifications: true })).toBe(OFF);
    expect(await noticeTo({ email_notifications: true })).toBe(OFF);
    expect(await noticeTo({})).toBeUndefined();
    expect(await noticeTo({ email_notifications: false })).toBeUndefined();
    expect(await noticeTo({ email_notifications: true }, withMail)).toBeUndefined();
    expect(await noticeTo({ confirmation: CONFIRMATION })).toBe(OFF);
    expect(await noticeTo({ confirmation: null })).toBeUndefined();
    expect(await noticeTo({ confirmation: CONFIRMATION }, withMail)).toBeUndefined();
    expect((await owner.patch(`/deploy/${id}`).send({ email_notifications: 1 })).headers).not.toHaveProperty(NOTICE);
  });

  it(`says that ${FIRST_OWNER} gets no mail; two sentences have a semicolon between them`, async () => {
    const first = await service.owner({ email: FIRST_OWNER });
    const { id } = await first.deploy();
    const firstWithMail = asOwner(mailUrl, first.key);
    const change = { email_notifications: true };
    expect((await firstWithMail.patch(`/deploy/${id}`).send(change)).headers[NOTICE]).toBe(NOBODY);
    expect((await first.patch(`/deploy/${id}`).send(change)).headers[NOTICE]).toBe(`${OFF}; ${NOBODY}`);
    await service.db('owners').where({ email: FIRST_OWNER }).update({ email: 'you@example.com' });
    expect((await firstWithMail.patch(`/deploy/${id}`).send(change)).headers).not.toHaveProperty(NOTICE);
  });
});
