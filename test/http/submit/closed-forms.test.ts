import { describe, expect, it, onTestFinished } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { resubmitQuery } from '../../../src/http/submit/resubmit-query.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { JSON_TYPE, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
/** Two services on one database. */
const urls = [service.url, (await service.another()).url];

const FORM = 'application/x-www-form-urlencoded';
const PAST = '2000-01-01T00:00:00.000Z';
const FUTURE = '2999-03-01T09:00:00.000Z';

type Sent = { url?: string; query?: string; body?: string | Buffer; headers?: Record<string, string> };

async function submit(id: string, { url = service.url, query = '', body = '{"a":1}', headers = JSON_TYPE }: Sent = {}) {
  const sent = { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers, redirect: 'manual' } as const;
  const response = await fetch(`${url}/submit/${id}${query}`, sent);
  return { status: response.status, code: response.headers.get('error-code'), text: await response.text() };
}

const settingsOf = async (id: string, settings: object) => void (await owner.change(id, settings));

async function deployWith(settings: object): Promise<string> {
  const { id } = await owner.deploy();
  await settingsOf(id, settings);
  return id;
}

type Listed = { total: number; submissions: { id: string }[] };
const list = async (id: string): Promise<Listed> => (await owner.get(`/submissions/${id}`)).body;
const spamOf = async (id: string): Promise<Listed> => (await owner.get(`/deploy/${id}/spam`)).body;
const isStored = async (id: string) => [(await list(id)).total, (await spamOf(id)).total];

const REFUSALS = [
  ['not open yet', { opens_at: FUTURE }, 'form-not-open', 'This form opens at 2999-03-01T09:00:00.000Z: send it then.'],
  ['closed', { opens_at: null, closes_at: PAST }, 'form-closed', 'This form is closed: ask its owner.'],
  ['full', { closes_at: null, max_submissions: 1 }, 'form-full', 'This form is full: ask its owner.'],
] as const;

function withFile(text: string): Sent {
  const body = multipartBody(['name="a"', text], ['name="f"; filename="a.txt"', 'text']);
  return { body, headers: { 'Content-Type': 'multipart/form-data; boundary=b' } };
}

const WAYS: readonly [string, Sent][] = [
  ['as JSON', {}],
  ['by a script, urlencoded', { body: 'a=1', headers: { 'Content-Type': FORM } }],
  ['under an Idempotency-Key', { headers: { ...JSON_TYPE, 'Idempotency-Key': 'one' } }],
  ['with a file', withFile('1')],
  ['as spam', { body: '{"a":"casino"}' }],
  ['as spam with a file', withFile('casino')],
];

describe('a form that is not open yet, closed or full', () => {
  it.each(WAYS)('refuses a submission that is sent %s with a 403, and stores nothing', async (_way, sent) => {
    const id = await deployWith({ spam: { blocklist: ['casino'] } });
    expect(await submit(id)).toMatchObject({ status: 200 });
    for (const [, settings, code, error] of REFUSALS) {
      await settingsOf(id, settings);
      expect(await submit(id, sent)).toEqual({ status: 403, code, text: JSON.stringify({ error }) });
    }
    // The message is about times: a full form has a text of its own.
    const full = JSON.stringify({ error: 'This form is full: ask its owner.' });
    await settingsOf(id, { closed_message: 'Opens <soon>' });
    expect(await submit(id, sent)).toEqual({ status: 403, code: 'form-full', text: full });
    await settingsOf(id, { closes_at: PAST });
    expect(await submit(id, sent)).toEqual({ status: 403, code: 'form-closed', text: '{"error":"Opens <soon>"}' });
    expect(await isStored(id)).toEqual([1, 0]);
    expect(await service.db('submission_files').where({ deployment_id: id }).select()).toEqual([]);
    await settingsOf(id, { max_submissions: 2, opens_at: PAST, closes_at: FUTURE });
    expect(await submit(id, sent)).toMatchObject({ status: 200 });
  });

  it('is open from opens_at on, and closed from closes_at on', async () => {
    const { id } = await owner.deploy();
    const set = (column: string) =>
      service.db.raw(`UPDATE deployments SET ${column} = clock_timestamp() WHERE id = ?`, [id]);
    await set('opens_at');
    expect((await submit(id)).status).toBe(200);
    await set('closes_at');
    expect((await submit(id)).status).toBe(403);
  });

  it('is a 403 also where the rate limit is reached', async () => {
    const id = await deployWith({ max_submissions: 1 });
    await submit(id);
    await setAccepted(service.db, id, 10);
    expect((await submit(id)).status).toBe(403);
  });

  it('still answers a honeypot that is filled in with a success', async () => {
    const id = await deployWith({ closes_at: PAST });
    expect((await submit(id, { body: '{"_hp":"x"}' })).status).toBe(200);
    expect(await isStored(id)).toEqual([0, 0]);
  });

  it('accepts a test of its owner, which is no submission', async () => {
    const id = await deployWith({ closes_at: PAST });
    await owner.post(`/submissions/${id}/test`).expect(200);
    expect(await isStored(id)).toEqual([0, 0]);
  });

  it('accepts what its owner releases from the spam folder', async () => {
    const id = await deployWith({ spam: { blocklist: ['casino'] } });
    await submit(id);
    await submit(id, { body: '{"a":"casino"}' });
    const [spam] = (await spamOf(id)).submissions;
    await settingsOf(id, { closes_at: PAST, max_submissions: 2 });
    await owner.post(`/deploy/${id}/spam/${spam?.id}/release`).expect(200);
    expect(await isStored(id)).toEqual([2, 0]);
  });
});

describe('a submission that was stored before', () => {
  const key = { ...JSON_TYPE, 'Idempotency-Key': 'again' };

  it('is still a success when the form has closed', async () => {
    const { id } = await owner.deploy();
    const first = await submit(id, { headers: key });
    const stored: string = JSON.parse(first.text).id;
    await settingsOf(id, { closes_at: PAST });
    expect(await submit(id, { headers: key })).toEqual(first);
    // The page of an error sends the form with this query.
    const query = resubmitQuery(stored, [['a', '1']], new Set(), await createLinks(service.db, service.url)());
    const browser = { 'Content-Type': FORM, Accept: 'text/html' };
    expect((await submit(id, { query, body: 'a=1', headers: browser })).status).toBe(303);
    expect((await submit(id, { headers: { ...key, 'Idempotency-Key': 'other' } })).status).toBe(403);
  });

  it('is a success as often as it comes, where it takes the last place', async () => {
    const id = await deployWith({ max_submissions: 1 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => submit(id, { url: urls[n % 2] ?? '', headers: key })),
    );
    const [first] = answers;
    expect([first?.status, new Set(answers.map(({ text }) => text)).size]).toEqual([200, 1]);
    expect(await isStored(id)).toEqual([1, 0]);
  });
});

describe('max_submissions', () => {
  /** Sends many at once to two processes; how many were accepted. */
  async function flood(id: string, count: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => submit(id, { url: urls[n % 2] ?? '' })));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['form-full']));
    return count - refused.length;
  }

  it('is exact over all processes, and a deleted submission frees its place', async () => {
    const id = await deployWith({ max_submissions: 7, submissions_per_minute: 100 });
    expect(await flood(id, 40)).toBe(7);
    const { submissions } = await list(id);
    const [one, two, three] = submissions.map((submission) => submission.id);
    await owner.delete(`/submissions/${id}/${one}`).expect(200);
    expect(await flood(id, 20)).toBe(1);
    for (const change of [
      { action: 'delete', ids: [two] },
      { action: 'spam', ids: [three] },
    ]) {
      await owner.post(`/submissions/${id}/bulk`).send(change).expect(200);
    }
    expect(await flood(id, 20)).toBe(2);
    expect(await isStored(id)).toEqual([7, 1]);
  });

  it('counts no spam', async () => {
    const id = await deployWith({ max_submissions: 2, spam: { blocklist: ['casino'] } });
    for (let count = 0; count < 3; count += 1) await submit(id, { body: '{"a":"casino"}' });
    expect(await flood(id, 5)).toBe(2);
    expect(await isStored(id)).toEqual([2, 3]);
  });

  it('leaves what there is when it is lower than that', async () => {
    const { id } = await owner.deploy();
    await Promise.all([submit(id), submit(id), submit(id)]);
    await settingsOf(id, { max_submissions: 2 });
    expect(await flood(id, 3)).toBe(0);
    expect(await isStored(id)).toEqual([3, 0]);
  });
});

describe('the page of a form that accepts nothing', () => {
  const browser = { 'Content-Type': FORM, Accept: 'text/html' };
  const read = async (id: string) => {
    const { status, text } = await submit(id, { body: 'name=Ada', headers: browser });
    const [, title, first] = /<h1>([^<]*)<\/h1>\n<p>(.*?)<\/p>/s.exec(text) ?? [];
    expect(text).toContain('<p>What you filled in has been kept.</p>');
    expect(text).toContain('<textarea name="name" hidden>\nAda</textarea>');
    expect(status).toBe(403);
    return `${title}: ${first?.replaceAll('\u202f', ' ')}`;
  };

  it('says why, and keeps what was filled in', async () => {
    const { id } = await owner.deploy();
    await submit(id);
    const pages: unknown[] = [];
    for (const [, settings] of REFUSALS) {
      await settingsOf(id, settings);
      pages.push(await read(id));
    }
    expect(pages).toEqual([
      'This form is not open yet: It opens on March 1, 2999 at 9:00 AM (UTC). Nothing was sent.',
      'This form is closed: It does not accept entries any more. Nothing was sent.',
      'This form is full: It cannot accept more entries. Nothing was sent.',
    ]);
  });

  it("says when it opens in the owner's time zone", async () => {
    const id = await deployWith({ opens_at: FUTURE });
    await owner.patch('/me').send({ time_zone: 'America/New_York' }).expect(200);
    onTestFinished(async () => void (await owner.patch('/me').send({ time_zone: null }).expect(200)));
    expect(await read(id)).toMatch(': It opens on March 1, 2999 at 4:00 AM (America/New_York). Nothing was sent.');
  });

  it("has the owner's message as text", async () => {
    const id = await deployWith({ opens_at: FUTURE, closed_message: 'From <b>Monday</b> on.\nSee you & yours!' });
    const message = '<bdi>From &lt;b&gt;Monday&lt;/b&gt; on.<br>See you &amp; yours!</bdi>';
    expect(await read(id)).toMatch(`: It opens on March 1, 2999 at 9:00 AM (UTC). ${message} Nothing was sent.`);
    await settingsOf(id, { opens_at: null, closes_at: PAST });
    expect(await read(id)).toBe(`This form is closed: ${message} Nothing was sent.`);
  });
});
