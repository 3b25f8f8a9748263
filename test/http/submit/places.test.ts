import { describe, expect, it } from 'vitest';
import { removeExpired } from '../../../src/db/submissions/expired-submission-queries.ts';
import { LANGUAGES } from '../../../src/lib/languages.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { JSON_TYPE, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
/** Two services on one database. */
const urls = [service.url, (await service.another()).url];

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };

type Sent = { url?: string | undefined; headers?: Record<string, string> };

async function submit(id: string, body: string | Buffer, { url = service.url, headers = JSON_TYPE }: Sent = {}) {
  const sent = { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers, redirect: 'manual' } as const;
  const response = await fetch(`${url}/submit/${id}`, sent);
  return { status: response.status, code: response.headers.get('error-code'), text: await response.text() };
}

async function deployWith(settings: object, html = '<p>Hello'): Promise<string> {
  const { id } = await owner.deploy({ html });
  await owner.change(id, { submissions_per_minute: 600, ...settings });
  return id;
}

const placesOf = async (id: string) => (await owner.get(`/overview/${id}`)).body.places;
const takenOf = async (id: string): Promise<number> => (await placesOf(id)).taken;
const stateOf = async (id: string): Promise<string> => (await owner.get(`/overview/${id}`)).body.state;
const idsOf = async (id: string): Promise<string[]> =>
  Array.from((await owner.get(`/submissions/${id}`)).body.submissions, (one: { id: string }) => one.id);

/** JSON texts, and how many places each takes by its field `guests`. */
const JSON_TEXTS: readonly [string, number][] = [
  ['{"guests":"3"}', 3],
  ['{"guests":4}', 4],
  ['{"guests":5.9}', 5],
  ['{"guests":"12 people"}', 12],
  ['{"guests":"2\\n"}', 2],
  ['{"guests":" 12"}', 1],
  ['{"guests":"\\n7"}', 1],
  ['{"guests":"a\\n7"}', 1],
  ['{"guests":"-3"}', 1],
  ['{"guests":"+3"}', 1],
  ['{"guests":-3}', 1],
  ['{"guests":"1e3"}', 1],
  ['{"guests":6e2}', 6],
  ['{"guests":"0x20"}', 1],
  ['{"guests":"0"}', 1],
  ['{"guests":0}', 1],
  ['{"guests":"000"}', 1],
  ['{"guests":"0.5"}', 1],
  ['{"guests":"0000000000000000000000000008"}', 8],
  ['{"guests":"1000"}', 1000],
  ['{"guests":"1001"}', 1000],
  ['{"guests":"00099999"}', 1000],
  [`{"guests":"${'9'.repeat(5_000)}"}`, 1000],
  [`{"guests":${'4'.repeat(400)}}`, 1000],
  ['{"guests":"٣"}', 1],
  ['{"guests":"３"}', 1],
  ['{"guests":"²"}', 1],
  ['{"guests":"5٣"}', 5],
  ['{"guests":""}', 1],
  ['{"guests":null}', 1],
  ['{"guests":true}', 1],
  ['{"guests":{"guests":9}}', 1],
  ['{"guests":[]}', 1],
  ['{"guests":["3","9"]}', 3],
  ['{"guests":[7,"9"]}', 7],
  ['{"guests":["many","9"]}', 1],
  ['{"guests":[["4"],"9"]}', 1],
  ['{"guests":"2","guests":"9"}', 2],
  ['{"guests":"x","guests":"9"}', 1],
  ['{"Guests":"9","guests ":"8","other":{"guests":"7"}}', 1],
  ['{}', 1],
  ['{"gue\\u0073ts":"\\u0034"}', 4],
  ['{"a":"\\u0000","guests":"3"}', 3],
  ['{"\\u0000":1,"a":"\\ud800\\ud800","guests":"4\\u0000"}', 4],
  ['{"a":"\\\\u0000","guests":"6"}', 6],
  ['{"a":"\\\\\\u0000\\\\","guests":"7"}', 7],
  ['{"guests\\u0000":"9","guests":"2"}', 2],
  ['{"guests":"\\\\8","a":"\\udc00"}', 1],
  ['{"guests":["3\\udc00"]}', 3],
];

describe('places_field', () => {
  it.each(JSON_TEXTS)('makes %s take %i', async (text, places) => {
    const id = await deployWith({ max_submissions: 5_000, places_field: 'guests' });
    expect(await submit(id, text)).toMatchObject({ status: 200 });
    expect(await placesOf(id)).toEqual({ taken: places, of: 5_000 });
    // Counted anew, deleted and restored, it takes as many.
    await owner.change(id, { places_field: null });
    expect(await takenOf(id)).toBe(1);
    await owner.change(id, { places_field: 'guests' });
    expect(await takenOf(id)).toBe(places);
    const [submission] = await idsOf(id);
    await owner.delete(`/submissions/${id}/${submission}`).expect(200);
    expect(await takenOf(id)).toBe(0);
    await owner.post(`/submissions/${id}/trash/${submission}/restore`).expect(200);
    expect(await takenOf(id)).toBe(places);
  });

  it.each([
    ['guests=3', FORM, 3],
    ['guests=3&guests=40', FORM, 3],
    ['guests=&guests=40', FORM, 1],
    ['a=1&guests=%2B3', FORM, 1],
    ['guests=3%00', FORM, 3],
    [multipartBody(['name="guests"', '4'], ['name="guests"', '50']), MULTIPART, 4],
    [multipartBody(['name="guests"; filename="9.txt"', '9']), MULTIPART, 1],
    [multipartBody(['name="f"; filename="9.txt"', '9'], ['name="guests"', '6']), MULTIPART, 6],
  ])('reads a form: %s', async (body, headers, places) => {
    const id = await deployWith({ max_submissions: 50, places_field: 'guests' });
    expect((await submit(id, body, { headers })).status).toBeLessThan(400);
    expect(await takenOf(id)).toBe(places);
  });

  it('takes the name of any field', async () => {
    for (const [field, text] of [
      ['Wie viele? 🎉', '{"Wie viele? 🎉":"5"}'],
      ['🎉', '{"\\ud83c\\udf89":"5"}'],
      ["it's $1 :id ?", `{"it's $1 :id ?":5}`],
      ['__proto__', '{"__proto__":"5"}'],
    ] as const) {
      const id = await deployWith({ max_submissions: 50, places_field: field });
      await submit(id, text);
      expect([field, await takenOf(id)]).toEqual([field, 5]);
    }
  });

  it.each(['', 7, ['guests'], 'a\nb', 'x'.repeat(201)])('is a 400 for %j', async (places_field) => {
    const { id } = await owner.deploy();
    expect((await owner.patch(`/deploy/${id}`).send({ places_field })).status).toBe(400);
  });

  it('refuses what takes more than are left, says how many these are, and accepts what fits', async () => {
    const id = await deployWith({
      ...{ max_submissions: 7, places_field: 'guests', closed_message: 'Not now', spam: { blocklist: ['casino'] } },
    });
    await submit(id, '{"guests":4}');
    const file: [string, string] = ['name="f"; filename="a.txt"', 'text'];
    const ways = [
      ['{"guests":"4"}', {}],
      ['guests=5', { headers: FORM }],
      [multipartBody(['name="guests"', '6'], file), { headers: MULTIPART }],
      ['{"guests":"7"}', { headers: { ...JSON_TYPE, 'Idempotency-Key': 'one' } }],
      ['{"guests":"8","a":"casino"}', {}],
    ] as const;
    const three = '{"error":"This form has only 3 places left: send it for no more than that."}';
    for (const [body, sent] of ways) {
      expect(await submit(id, body, sent)).toEqual({ status: 403, code: 'too-few-places', text: three });
    }
    const problem = await submit(id, '{"guests":9}', { headers: { ...JSON_TYPE, Accept: 'application/problem+json' } });
    expect(JSON.parse(problem.text)).toMatchObject({
      ...{
        status: 403,
        code: 'too-few-places',
        detail: 'This form has only 3 places left: send it for no more than that.',
      },
    });
    expect(await placesOf(id)).toEqual({ taken: 4, of: 7 });
    expect(await submit(id, '{"guests":2}')).toMatchObject({ status: 200 });
    expect((await submit(id, '{"guests":2}')).text).toContain('only 1 place left');
    expect(await stateOf(id)).toBe('open');
    expect(await submit(id, '{}')).toMatchObject({ status: 200 });
    expect([await stateOf(id), (await submit(id, '{"guests":2}')).code]).toEqual(['full', 'form-full']);
    await owner.change(id, { max_submissions: null });
    expect(await submit(id, '{"guests":900}')).toMatchObject({ status: 200 });
    expect([await placesOf(id), await stateOf(id)]).toEqual([null, 'open']);
    await owner.change(id, { max_submissions: 908 });
    expect(await placesOf(id)).toEqual({ taken: 907, of: 908 });
    await owner.change(id, { closes_at: '2000-01-01T00:00:00Z' });
    expect((await submit(id, '{"guests":2}')).text).toBe('{"error":"Not now"}');
  });

  it('still refuses what comes too fast', async () => {
    const id = await deployWith({ max_submissions: 50, places_field: 'guests', submissions_per_minute: 2 });
    const sent = [await submit(id, '{"guests":9}'), await submit(id, '{"guests":9}'), await submit(id, '{"guests":9}')];
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(await takenOf(id)).toBe(18);
  });

  it.each(LANGUAGES)('says in %s how many are left', async (language) => {
    const id = await deployWith(
      { max_submissions: 17, places_field: 'guests' },
      `<!doctype html><html lang="${language}"><p>Hello`,
    );
    const headers = { ...FORM, Accept: 'text/html' };
    const read = async (body: string) => {
      const { status, text } = await submit(id, body, { headers });
      return { status, lang: /<html lang="(\w+)/.exec(text)?.[1], words: /<h1>[\s\S]*?<\/p>/.exec(text)?.[0] };
    };
    const tooMany = await read('guests=18');
    expect(tooMany).toMatchObject({ status: 403, lang: language });
    expect(tooMany.words).toMatch(/17|١٧/);
    await submit(id, 'guests=17', { headers });
    const full = await read('guests=1');
    expect(full).toMatchObject({ status: 403, lang: language });
    expect(full.words).not.toMatch(/17|١٧/);
  });

  it('asks a visitor for a lower number, keeps the rest, and offers nothing that would be refused again', async () => {
    const id = await deployWith({ max_submissions: 9, places_field: 'guests' });
    await submit(id, '{"guests":4}');
    const headers = { ...FORM, Accept: 'text/html' };
    const { status, text } = await submit(id, 'name=Ada+%26+Bob&guests=7+adults&guests=x&note=Hi%0D%0A%22you%22', {
      headers,
    });
    expect([status, text.includes('Places left: 5.')]).toEqual([403, true]);
    expect(text).not.toContain('Send it again');
    expect(text).toContain(
      '<p><label for="number"><bdi>guests</bdi></label>\n' +
        '<input type="number" name="guests" id="number" min="1" max="5" value="7" required></p>',
    );
    const kept = [...text.matchAll(/<textarea name="(.*?)" hidden>\n([\s\S]*?)<\/textarea>/g)].map(
      ([, ...pair]) => pair,
    );
    expect(kept).toEqual([
      ['name', 'Ada &amp; Bob'],
      ['guests', 'x'],
      ['note', 'Hi\r\n&quot;you&quot;'],
    ]);
    expect(text).toMatch(/<button>Send<\/button>\n<\/form>\n<p><a href="http[^"]+">Back to the page<\/a><\/p>/);
    const [, query = ''] = /action="([^"]+)"/.exec(text) ?? [];
    const again = await submit(id + query, 'name=Ada&guests=5&guests=x&note=Hi', { headers });
    expect([again.status, await placesOf(id)]).toEqual([303, { taken: 9, of: 9 }]);
    // A full form keeps what was filled in as ever.
    expect((await submit(id, 'guests=7', { headers })).text).toContain('Send it again');
  });

  it('never over-books over all processes, also where these do not know yet that it is set', async () => {
    const id = await deployWith({});
    for (const url of urls) for (const _ of [1, 2]) await submit(id, '{"guests":"1"}', { url });
    // Without a change that processes would be told of.
    await service.db('deployments').where({ id }).update({ max_submissions: 17, places_field: 'guests' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const places = (n % 4) + 1;
        const { status } = await submit(id, `{"guests":"${places}"}`, { url: urls[n % 2] });
        return { status, places };
      }),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.reduce((sum, { places }) => sum + places, 4)).toBe(17);
    expect(answers.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    expect([await placesOf(id), await stateOf(id)]).toEqual([{ taken: 17, of: 17 }, 'full']);
  });

  it('counts exactly while it is changed and while submissions come and go', async () => {
    const id = await deployWith({ max_submissions: 10_000 });
    const toSpam = async (): Promise<void> => {
      const [last] = await idsOf(id);
      if (last) await owner.post(`/submissions/${id}/bulk`).send({ action: 'spam', ids: [last] });
    };
    await Promise.all([
      ...Array.from({ length: 40 }, async (_, n) => submit(id, `{"guests":"${n}","a":2}`, { url: urls[n % 2] })),
      ...['guests', 'a', null, 'guests'].map((places_field) => owner.change(id, { places_field })),
      ...[1, 2, 3].map(toSpam),
    ]);
    const { places_field: field } = (await owner.get(`/deploy/${id}/settings`)).body;
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    const places = Array.from(submissions, ({ data }: { data: Record<string, string> }) =>
      Math.max(1, Number(data[field] ?? 1)),
    );
    expect(await takenOf(id)).toBe(places.reduce((sum, each) => sum + each, 0));
  });

  it('frees the places of what is deleted, in each way, and takes those of what comes back', async () => {
    const id = await deployWith({ max_submissions: 20, places_field: 'guests' });
    const sent = [2, 3, 4, 5, 6];
    for (const n of sent) await submit(id, `{"guests":${n}}`);
    const [six, five, four, three] = await idsOf(id);
    expect(await stateOf(id)).toBe('full');
    await owner.delete(`/submissions/${id}/${six}?permanent=1`).expect(200);
    expect(await takenOf(id)).toBe(14);
    await owner.mark(id, 'spam', [five ?? '']);
    expect(await takenOf(id)).toBe(9);
    await owner.mark(id, 'delete', [four ?? '', three ?? '']);
    expect(await takenOf(id)).toBe(2);
    await submit(id, '{"guests":15}');
    const restored = await owner.post(`/submissions/${id}/trash/${four}/restore`);
    expect([restored.status, restored.headers['error-code']]).toEqual([403, 'no-free-place']);
    expect(await takenOf(id)).toBe(17);
    await owner.post(`/submissions/${id}/trash/${three}/restore`).expect(200);
    expect([await takenOf(id), await stateOf(id)]).toEqual([20, 'full']);
    for (const way of ['release', 'restore']) {
      const { status, headers } = await owner.post(`/deploy/${id}/spam/${five}/${way}`);
      expect([way, status, headers['error-code'], await takenOf(id)]).toEqual([way, 403, 'no-free-place', 20]);
    }
    await owner.change(id, { max_submissions: 25 });
    await owner.post(`/deploy/${id}/spam/${five}/release`).expect(200);
    expect(await placesOf(id)).toEqual({ taken: 25, of: 25 });
    await owner.change(id, { retention_days: 1 });
    const later = new Date(Date.now() + 3 * 86_400_000);
    await removeExpired(service.db, id, { now: later, signal: new AbortController().signal, onRemoved: () => {} });
    expect(await placesOf(id)).toEqual({ taken: 0, of: 25 });
  });

  it('counts no tests and no spam', async () => {
    const id = await deployWith({ max_submissions: 3, places_field: 'guests', spam: { blocklist: ['casino'] } });
    await owner
      .post(`/submissions/${id}/test`)
      .send({ fields: { guests: '900' } })
      .expect(200);
    expect(await submit(id, '{"guests":3,"a":"casino"}')).toMatchObject({ status: 200 });
    expect(await takenOf(id)).toBe(0);
  });

  it('closes the page when the last place is taken', async () => {
    const { id, slug } = await owner.deploy();
    await owner.change(id, { closed_page: true, max_submissions: 4, places_field: 'guests' });
    const status = async () => (await service.anonymous.get('/').set('Host', `${slug}.${PAGES_DOMAIN}`)).status;
    await submit(id, '{"guests":3}');
    expect(await status()).toBe(200);
    await submit(id, '{"guests":1}');
    await expect.poll(status).toBe(403);
  });
});
