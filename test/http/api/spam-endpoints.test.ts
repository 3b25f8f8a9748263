import type request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { finishPurge } from '../../../src/db/deployments/deleted-deployment-queries.ts';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { expireSpam, removeExpiredSpam } from '../../../src/db/spam/spam-clean-up.ts';
import { createMatcher, createWordMatcher, Pauses } from '../../../src/forms/submission-search.ts';
import { resubmitQuery } from '../../../src/http/submit/resubmit-query.ts';
import { newSubmissionId } from '../../../src/lib/ids.ts';
import { LIMITS, withLimits } from '../../../src/limits.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { testService } from '../../support/test-service.ts';

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const other = await service.owner();

const BLOCKED = { blocklist: ['casino'], captcha: null };
const UNKNOWN_SUBMISSION = 'sub_000000000000000000000000';
const aSubmission = expect.stringMatching(/^sub_[0-9A-Za-z]{24}$/);
const RECEIVED = { status: 200, body: { message: 'Submission received', id: aSubmission } };

async function deployWith(spam: object, who = owner): Promise<{ id: string; slug: string; url: string }> {
  const deployed = await who.deploy();
  await who.change(deployed.id, { spam });
  return deployed;
}
/** Submits JSON; its id. */
async function submit(id: string, data: object): Promise<string> {
  const response = await service.anonymous.post(`/submit/${id}`).send(data);
  expect(answer(response)).toEqual(RECEIVED);
  return response.body.id;
}
/** Submits spam with a file; its id. */
async function submitFile(id: string, content: string): Promise<string> {
  const form = service.anonymous.post(`/submit/${id}`).field('a', 'casino');
  return (await form.attach('f', Buffer.from(content), 'a.txt').expect(200)).body.id;
}
const post = async (id: string, data: object, headers: Record<string, string> = {}) =>
  answer(await service.anonymous.post(`/submit/${id}`).set(headers).send(data));

type Spam = { id: string; data: unknown; ip_address: string; created_at: string; reason: string };
type Page<T> = { submissions: T[]; total: number; page: number; limit: number };
const spamOf = async (id: string, query = ''): Promise<Page<Spam>> =>
  (await owner.get(`/deploy/${id}/spam${query}`).expect(200)).body;
const listOf = async (id: string, query = ''): Promise<Page<{ id: string; created_at: string }>> =>
  (await owner.get(`/submissions/${id}${query}`).expect(200)).body;
const idsIn = ({ submissions }: { submissions: readonly { id: string }[] }): string[] =>
  submissions.map(({ id }) => id);
const release = async (id: string, submission: string, who = owner) =>
  answer(await who.post(`/deploy/${id}/spam/${submission}/release`));
const remove = async (id: string, submission: string, who = owner) =>
  answer(await who.delete(`/deploy/${id}/spam/${submission}`));
const bulkSpam = async (id: string, ids: readonly string[], who = owner) =>
  answer(await who.post(`/submissions/${id}/bulk`).send({ action: 'spam', ids }));
const released = (id: string) => ({ status: 200, body: { message: 'Submission released', id } });

/** Makes spam older by so many milliseconds. */
const age = (id: string, ms: number) =>
  service
    .db('spam_submissions')
    .where({ id })
    .update({ kept_at: new Date(Date.now() - ms) });

/** Spam in the database, as old as it says. */
const insertSpam = (id: string, count: number, age: string, reason = 'blocklist') =>
  service.db.raw(
    `INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
     SELECT :id, 'sub_' || substr(:id, 3, 18) || lpad(n::text, 7, '0'), '{"n":1}', '192.0.2.1', now() - CAST(:age AS interval),
            now() - CAST(:age AS interval), :reason
       FROM generate_series(1, CAST(:count AS int)) AS n`,
    { id, count, age, reason },
  );

const FILE =
  '{"filename":"My CV.pdf","content_type":"application/pdf","size":3,"url":"/submissions/d_1/sub_1/files/file_1"}';

describe('a blocklist', () => {
  it.each([
    // The text as a person sees it, decoded, whatever the case; never JSON's own syntax.
    ['renée', '{"name":"Ren\\u00e9e"}', true],
    ['straße', '{"Straße":"x"}', true],
    ['two words', '{"a":["one","TWO words"],"b":{"c":null}}', true],
    ['null', '{"a":{"c":null}}', true],
    ['οδος', '{"ΟΔΟΣ":"x"}', true],
    ['one","b', '{"a":"one","b":"two"}', false],
    ['a:1', '{"a":1}', false],
    ['"', '{"a":"one"}', false],
    ['"', '{"a":"on\\"e"}', true],
    ['cv.pdf', `{"f":${FILE}}`, true],
    ['application', `{"f":${FILE}}`, false],
    // Whole words.
    ['casino', '{"a":"The best Casino!"}', true],
    ['casino', '{"a":"my-casino,here"}', true],
    ['casino', '{"a":"casinos"}', false],
    ['casino', '{"a":"casino_1"}', false],
    ['casino', '{"a":"casinos and a casino"}', true],
    ['casino', '{"a":"casin","b":"o casino"}', true],
    ['sex', '{"a":"Essex, Sussex"}', false],
    ['cafe', '{"a":"cafe\u0301"}', false],
    ['a a', '{"x":"xa a a"}', true],
    ['\u{1D4D0}', '{"a":"\u{1D4D0}\u{1D4D1}"}', false],
    ['\u{1D4D0}', '{"a":"\u{1D4D0}!"}', true],
    ['\u{1F600}', '{"a":"hello\u{1F600}hello"}', true],
    // Whatever the white space is.
    ['buy followers', '{"a":"Buy  followers!"}', true],
    ['buy followers', '{"a":"buy\u00a0\\u2009\\tfollowers"}', true],
    ['buy followers', '{"a":"buy\\r\\n\\r\\n  followers"}', true],
    ['buy followers', '{"a":"(buy\u3000followers)"}', true],
    ['buy followers', '{"a":"buy\\u2028\u0085followers"}', true],
    ['buy \u00a0\n followers', '{"a":"buy followers"}', true],
    ['\tbuy followers ', '{"a":"buy followers"}', true],
    ['buy fol*', '{"a":"buy\\nfollowers"}', true],
    ['buy *', '{"a":"buyer"}', false],
    ['buy *', '{"a":"buy\u2003now"}', true],
    [' *', '{"a":"some thing"}', false],
    ['buy followers', '{"a":"buyfollowers"}', false],
    ['buy followers', '{"a":"we buy\\n followerss"}', false],
    ['buy followers', '{"buy":"followers"}', false],
    ['buy followers', `{"a":"${' '.repeat(9_000)}buy${'\u3000\\n'.repeat(50_000)}followers"}`, true],
    // These scripts put no space between words.
    ['カジノ', '{"a":"オンラインカジノで"}', true],
    // Beginnings.
    ['casino*', '{"a":"casinos"}', true],
    ['casino*', '{"a":"mycasinos"}', false],
    ['*', '{"a":"anything"}', false],
    ['*', '{"a":"5*"}', true],
  ])('with %j: %s is %j', async (word, data, isFound) => {
    expect(await createWordMatcher(['nothing of it', word], LIMITS)(data)).toBe(isFound);
    expect(await createWordMatcher([], LIMITS)(data)).toBe(false);
  });

  it.each(['\u0301\u0323'])(
    'takes linear time for a long row of marks (%j), which composing would sort for minutes',
    async (marks) => {
      const text = `{"a":"e${marks.repeat(1_000_000 / marks.length)} Rene\u0301e"}`;
      const found: boolean[] = [];
      found.push(await createWordMatcher(['nothing', 'RENÉE'], LIMITS)(text));
      const pauses = new Pauses(1);
      found.push(await createMatcher('renée')(text, pauses), await createMatcher('nothing')(text, pauses));
      expect(found).toEqual([true, true, false]);
    },
  );

  it.each(['\u00a0', ' \n', 'a\u3000', 'buy\t'])('takes linear time for much white space (%j)', async (piece) => {
    const text = `{"a":${JSON.stringify(piece.repeat(500_000))}}`;
    expect(await createWordMatcher(['buy followers', 'buy*now'], LIMITS)(text)).toBe(false);
  });

  it('lets others work while it looks through a large submission', async () => {
    const text = `{"a":"${'a'.repeat(256 * 1024)}"}`;
    const words = Array.from({ length: 100 }, (_, index) => `aaaaa${String.fromCharCode(98 + (index % 20))}`);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const limits = withLimits({ spam: { blocklistTurnMs: 0, blocklistPauseMs: 0 } });
    expect(await createWordMatcher(words, limits)(text)).toBe(false);
    expect(turns).toBeGreaterThanOrEqual(30);
    turns = 0;
    // Many short texts, of which one has an escape.
    const short = JSON.stringify([...Array.from({ length: 50_000 }, () => 'ab'), '\\']);
    expect(await createMatcher('abab')(short, new Pauses(0))).toBe(false);
    clearImmediate(immediate);
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  it.each([8_192, 16_384])('finds words wherever a large text is divided: after %d characters', async (before) => {
    const words = async (text: string, ...wanted: string[]) =>
      createWordMatcher(wanted, LIMITS)(JSON.stringify({ text }));
    const has = async (text: string, q: string) => createMatcher(q)(JSON.stringify({ text }), new Pauses(1));
    const filling = 'x'.repeat(9_000);
    for (let shift = 0; shift < 120; shift += 1) {
      const lead = 'y'.repeat(before - shift);
      expect([shift, await words(`${lead} casino ${filling}`, 'casino')]).toEqual([shift, true]);
      expect([shift, await words(`${lead}\u00a0\tbuy \n now\u3000${filling}`, 'buy now')]).toEqual([shift, true]);
      expect([shift, await words(`buy${' '.repeat(before - shift)}now`, 'buy now')]).toEqual([shift, true]);
      expect([shift, await words(`${' '.repeat(before - shift)}buy now`, 'buy now')]).toEqual([shift, true]);
      expect([shift, await words(`xbuy${' '.repeat(before - shift)}now`, 'buy now')]).toEqual([shift, false]);
      expect([shift, await words(`${lead}casino ${filling}`, 'casino', 'casin*')]).toEqual([shift, false]);
      expect([shift, await words(`${lead} casinos${filling}`, 'casino')]).toEqual([shift, false]);
      expect([shift, await has(`${lead}re\u0301ne${filling}\\`, 'YRÉNEX')]).toEqual([shift, true]);
    }
  });

  it('keeps apart what has a word, in every encoding, and lists it newest first, exactly as submitted', async () => {
    const { id } = await deployWith(BLOCKED);
    const first = await submit(id, { text: 'The best CASINO' });
    const text = '{"10":1.10,"2":{"Casino":null},"10":"\\u0000"}';
    expect((await owner.send('POST', `/submit/${id}`, text)).status).toBe(200);
    const form = await service.anonymous.post(`/submit/${id}`).type('form').send('casino%5B%5D=a&casino%5B%5D=b');
    const file = await service.anonymous
      .post(`/submit/${id}`)
      .field('name', 'Ada')
      .attach('cv', Buffer.from('x'), 'casino.txt');
    const accepted = await submit(id, { text: 'cas ino' });
    const listed = await owner.get(`/deploy/${id}/spam`);
    expect(listed.text).toContain(`"data":${text},"ip_address":"127.0.0.1","created_at":"`);
    expect(listed.body).toMatchObject({ total: 4, page: 1, limit: 50 });
    const [ofFile, ofForm, , ofFirst] = listed.body.submissions;
    expect(ofFirst).toEqual({
      ...{ id: first, data: { text: 'The best CASINO' }, ip_address: '127.0.0.1' },
      ...{ created_at: aTime, reason: 'blocklist' },
    });
    expect([ofForm.id, ofForm.data]).toEqual([form.body.id, { 'casino[]': ['a', 'b'] }]);
    expect([ofFile.id, ofFile.data.cv.filename]).toEqual([file.body.id, 'casino.txt']);
    expect(idsIn(await listOf(id))).toEqual([accepted]);
  });
});

describe('the setting spam', () => {
  it('takes up to 100 words of up to 100 characters, and says what is wrong with others', async () => {
    const { id } = await owner.deploy();
    const change = async (spam: unknown) => {
      const { status, body } = await owner.patch(`/deploy/${id}`).send({ spam });
      return status === 200 ? 200 : `${status} ${/^spam[\w.]*/.exec(String(body.error))}`;
    };
    const good: unknown[] = [
      { blocklist: Array.from({ length: 100 }, (_, n) => `${n}`.padStart(100, 'x')) },
      { blocklist: ['😀'.repeat(100), '"', ' a '] },
      { captcha: { provider: 'altcha', unknown: 1 } },
      { captcha: { provider: 'turnstile', secret: 'x'.repeat(500) } },
      { blocklist: [], captcha: null },
    ];
    for (const spam of good) expect([spam, await change(spam)]).toEqual([spam, 200]);
    const bad: readonly [unknown, string][] = [
      [[], '400 spam'],
      [{ blocklist: 'casino' }, '400 spam.blocklist'],
      [{ blocklist: [' \n'] }, '400 spam.blocklist'],
      [{ blocklist: ['\u0085\u00a0'] }, '400 spam.blocklist'],
      [{ blocklist: ['a\0'] }, '400 spam.blocklist'],
      [{ blocklist: ['a'.repeat(101)] }, '400 spam.blocklist'],
      [{ blocklist: Array.from({ length: 101 }, (_, n) => `${n}`) }, '400 spam.blocklist'],
      [{ captcha: { provider: 'other' } }, '400 spam.captcha.provider'],
      [{ captcha: { provider: 'turnstile' } }, '400 spam.captcha.secret'],
      [{ captcha: { provider: 'turnstile', secret: '' } }, '400 spam.captcha.secret'],
      [{ captcha: { provider: 'hcaptcha', secret: 'x'.repeat(501) } }, '400 spam.captcha.secret'],
      [{ captcha: { provider: 'hcaptcha', secret: 'x', site_key: 1 } }, '400 spam.captcha.site_key'],
    ];
    for (const [spam, refusal] of bad) expect([spam, await change(spam)]).toEqual([spam, refusal]);
    expect((await owner.get(`/deploy/${id}/settings`)).body.spam).toEqual({ blocklist: [], captcha: null });
  });
});

describe('the answer to spam', () => {
  it('is that of a success, for browsers too', async () => {
    const { id, url } = await deployWith(BLOCKED);
    const browser = (fields: object) =>
      service.anonymous.post(`/submit/${id}`).type('form').set('Accept', 'text/html').send(fields);
    const good = await browser({ text: 'ok', _redirect: '/#ok' });
    const bad = await browser({ text: 'casino', _redirect: '/#ok' });
    const shown = ({ status, headers, text }: request.Response) => {
      const { 'x-request-id': _id, date: _date, ...fixed } = headers;
      return { status, text, headers: fixed };
    };
    expect(shown(bad)).toEqual(shown(good));
    expect(bad.headers.location).toBe(`${url}/#ok`);
    await owner.change(id, { redirect_url: 'https://example.org/thanks' });
    const led = await browser({ text: 'casino' });
    expect([led.status, led.headers.location]).toEqual([303, 'https://example.org/thanks']);
    expect(await post(id, { a: 1 })).toEqual(RECEIVED);
    expect(await post(id, { a: 'casino' })).toEqual(RECEIVED);
  });

  it('is a 404 where the deployment is deleted or taken down, and a honeypot stores nothing', async () => {
    const { id: deleted } = await deployWith(BLOCKED);
    const { id: down } = await deployWith(BLOCKED);
    for (const id of [deleted, down]) expect(await post(id, { a: 'casino' })).toEqual(RECEIVED);
    await owner.delete(`/deploy/${deleted}`).expect(200);
    await takeDown(service.db, down, 'a reason');
    for (const id of [deleted, down]) expect(await post(id, { a: 'casino' })).toEqual(refused(404));
    const { id } = await deployWith(BLOCKED);
    expect(await post(id, { a: 'casino', _hp: 'x' })).toEqual(RECEIVED);
    expect((await spamOf(id)).total).toBe(0);
  });

  it('is the same for the same Idempotency-Key, and 422 for another body', async () => {
    const { id } = await deployWith(BLOCKED);
    const key = { 'Idempotency-Key': 'once' };
    const first = await post(id, { a: 'casino' }, key);
    expect(first).toEqual(RECEIVED);
    expect(await post(id, { a: 'casino' }, key)).toEqual(first);
    expect(await post(id, { a: 'ok' }, key)).toEqual(refused(422));
    const all = await Promise.all(
      Array.from({ length: 8 }, () => post(id, { a: 'casino' }, { 'Idempotency-Key': 'eight' })),
    );
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    expect((await spamOf(id)).total).toBe(2);
    // Released, it is still the first under its key.
    const [{ id: kept = '' } = {}] = (await spamOf(id)).submissions;
    await owner.post(`/deploy/${id}/spam/${kept}/release`).expect(200);
    expect(await post(id, { a: 'casino' }, { 'Idempotency-Key': 'eight' })).toEqual(all[0]);
  });

  it('is the same for a form that is sent again: it is kept once, under the id of its first attempt', async () => {
    const { id } = await deployWith(BLOCKED);
    const attempt = newSubmissionId();
    const links = await createLinks(service.db, service.url)();
    const query = resubmitQuery(attempt, [['text', 'casino']], new Set(), links);
    const send = async () =>
      answer(await service.anonymous.post(`/submit/${id}${query}`).type('form').send({ text: 'casino' }));
    const answers = await Promise.all(Array.from({ length: 5 }, send));
    const stored = { status: 200, body: { message: 'Submission received', id: attempt } };
    expect(answers).toEqual(answers.map(() => stored));
    expect(idsIn(await spamOf(id))).toEqual([attempt]);
    // Without the blocklist it would be accepted now, were it not there already.
    await owner.change(id, { spam: {} });
    expect(await send()).toEqual(stored);
    expect((await listOf(id)).total).toBe(0);
    await release(id, attempt);
    await send();
    expect(idsIn(await listOf(id))).toEqual([attempt]);
  });
});

describe('spam', () => {
  it('is in no list, count, search, export, statistic, stream or webhook until it is released', async () => {
    const { id, slug } = await deployWith(BLOCKED);
    const receiver = await startReceiver();
    await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    const kept = await submit(id, { text: 'casino' });
    const stats = async () => (await owner.get(`/deploy/${id}/stats`)).body.total;
    const overview = async () =>
      (await owner.get('/overview?limit=100')).body.deployments.find((one: { id: string }) => one.id === id);
    const seen = async () => [
      (await listOf(id)).total,
      (await owner.get(`/deploy/${id}`)).body.submission_count,
      (await owner.get(`/submissions/${id}/search?q=casino`)).body.submissions.length,
      (await owner.get(`/submissions/${id}/export.ndjson`)).text.split('\n').filter(Boolean).length,
      (await owner.get(`/submissions/${id}/after/0`)).body.submissions.length,
      (await owner.get(`/submissions/${id}/${kept}`)).status,
      await stats(),
      (await overview()).spam,
    ];
    expect(await seen()).toEqual([0, 0, 0, 0, 0, 404, 0, 1]);
    const before = Date.now();
    expect(await release(id, kept)).toEqual(released(kept));
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(await seen()).toEqual([1, 1, 1, 1, 1, 200, 1, 0]);
    const [listed] = (await listOf(id)).submissions;
    expect(Date.parse(listed?.created_at ?? '')).toBeGreaterThanOrEqual(before - 1_000);
    const [delivered] = receiver.received;
    expect(JSON.parse(delivered?.body ?? '')).toEqual({
      ...{ event: 'submission', deployment_id: id, data: { text: 'casino' }, timestamp: listed?.created_at },
    });
    expect([delivered?.headers['formhost-submission-id'], delivered?.headers['formhost-slug']]).toEqual([kept, slug]);
  });

  it('takes no slot of the limit on submissions, and neither does what is released', async () => {
    const { id } = await deployWith(BLOCKED);
    const kept = await submit(id, { text: 'casino' });
    for (let n = 0; n < 9; n += 1) await submit(id, { n });
    await submit(id, { text: 'casino' });
    expect(await release(id, kept)).toEqual(released(kept));
    await submit(id, { n: 9 });
    expect(await post(id, { n: 10 })).toEqual(refused(429));
    // At its limit: spam is kept, and what is released is accepted.
    const late = await submit(id, { text: 'casino' });
    expect(await release(id, late)).toEqual(released(late));
    expect((await listOf(id)).total).toBe(12);
  });

  it(`is dropped beyond ${SIZES.spam.rateMax} a minute, with the same answer`, async () => {
    const { id } = await deployWith(BLOCKED);
    const count = SIZES.spam.rateMax + 10;
    const ids = await Promise.all(Array.from({ length: count }, (_, n) => submit(id, { text: 'casino', n })));
    expect([new Set(ids).size, (await spamOf(id)).total]).toEqual([count, SIZES.spam.rateMax]);
    await submit(id, { text: 'people come through' });
    expect((await listOf(id)).total).toBe(1);
    await owner.change(id, { spam: {} });
    await submit(id, { text: 'casino' });
    expect((await listOf(id)).total).toBe(2);
  });

  it(`is kept up to ${SIZES.spam.max}, the newest, whose files stay`, async () => {
    const { id } = await deployWith(BLOCKED);
    const file = await submitFile(id, 'one');
    const url = (await spamOf(id)).submissions.map(({ data }) => Object(data).f.url)[0];
    expect((await owner.get(url).buffer(true)).text).toBe('one');
    await age(file, 120_000);
    await insertSpam(id, SIZES.spam.max - 1, '100 seconds');
    expect((await spamOf(id)).total).toBe(SIZES.spam.max);
    const newest = await submit(id, { text: 'casino' });
    expect([(await spamOf(id)).total, idsIn(await spamOf(id))[0]]).toEqual([SIZES.spam.max, newest]);
    await cleanUp();
    expect(answer(await owner.get(url))).toEqual(refused(404));
    const [{ count }] = (await service.db.raw('SELECT count(*) FROM spam_submissions WHERE deployment_id = ?', [id]))
      .rows;
    expect(count).toBe(SIZES.spam.max);
    expect(await release(id, file)).toEqual(refused(404));
  });

  it('expires after 30 days, with its files', async () => {
    const { id } = await deployWith(BLOCKED);
    const kept = await submitFile(id, 'one');
    const recent = await submit(id, { a: 'casino' });
    await age(kept, 31 * 86_400_000);
    expect(idsIn(await spamOf(id))).toEqual([recent]);
    expect(await release(id, kept)).toEqual(refused(404));
    await cleanUp();
    expect(await service.db('submission_files').where({ deployment_id: id })).toEqual([]);
    expect(idsIn(await spamOf(id))).toEqual([recent]);
  });

  it('is removed when it is older than the retention_days of its deployment', async () => {
    const { id } = await deployWith(BLOCKED);
    const { id: bystander } = await deployWith(BLOCKED);
    for (const each of [id, bystander]) await insertSpam(each, 3, '49 hours');
    const recent = await submit(id, { a: 'casino' });
    await owner.change(id, { retention_days: 2 });
    await cleanUp();
    expect(await service.db('spam_submissions').where({ deployment_id: id }).pluck('id')).toEqual([recent]);
    expect((await spamOf(bystander)).total).toBe(3);
  });

  it('is removed with its deployment, files and all, and comes back from the trash with it', async () => {
    const { id } = await deployWith(BLOCKED);
    await submitFile(id, 'one');
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    expect((await spamOf(id)).total).toBe(1);
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.delete(`/trash/${id}`).expect(200);
    await finishPurge(service.db, id);
    for (const table of ['spam_submissions', 'submission_files']) {
      expect(await service.db(table).where({ deployment_id: id })).toEqual([]);
    }
  });
});

describe('the spam of a deployment', () => {
  it('is deleted one by one or all, with its files', async () => {
    const { id } = await deployWith(BLOCKED);
    const { id: bystander } = await deployWith(BLOCKED);
    const stays = await submit(bystander, { a: 'casino' });
    for (const n of [1, 2, 3]) {
      await submitFile(id, `${n}`);
    }
    const [newest = ''] = idsIn(await spamOf(id));
    expect(await remove(id, newest)).toEqual({ status: 200, body: { message: 'Spam deleted', id: newest } });
    expect(await remove(id, newest)).toEqual(refused(404));
    const rows = async () =>
      Promise.all(
        ['spam_submissions', 'submission_files'].map(
          async (table) => (await service.db(table).where({ deployment_id: id })).length,
        ),
      );
    expect((await spamOf(id)).total).toBe(2);
    await expect.poll(rows).toEqual([2, 2]);
    for (let n = 0; n < 2; n += 1) {
      expect(answer(await owner.delete(`/deploy/${id}/spam`))).toEqual({
        status: 200,
        body: { message: 'All spam deleted' },
      });
    }
    expect((await spamOf(id)).total).toBe(0);
    await expect.poll(rows).toEqual([0, 0]);
    expect(idsIn(await spamOf(bystander))).toEqual([stays]);
  });

  it('is released once: of two at a time one is a 404, and so with a deletion', async () => {
    const { id } = await deployWith(BLOCKED);
    for (let n = 0; n < 3; n += 1) {
      const kept = await submit(id, { a: 'casino', n });
      const answers = await Promise.all([release(id, kept), release(id, kept), remove(id, kept), release(id, kept)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
      const isReleased = answers[2]?.status === 404;
      expect(idsIn(await listOf(id)).includes(kept)).toBe(isReleased);
    }
    const { total, submissions } = await listOf(id);
    expect(submissions.length).toBe(total);
    expect((await spamOf(id)).total).toBe(0);
  });

  it('is released with its files, at their addresses, under the limit of the deployment’s own time', async () => {
    const { id } = await deployWith(BLOCKED);
    await submitFile(id, 'content');
    const [kept] = (await spamOf(id)).submissions;
    const { url } = Object(kept?.data).f;
    expect(answer(await other.get(url))).toEqual(refused(404));
    await owner.post(`/deploy/${id}/spam/${kept?.id}/release`).expect(200);
    expect((await owner.get(url).buffer(true)).text).toBe('content');
    await owner.delete(`/submissions/${id}/${kept?.id}?permanent=1`).expect(200);
    expect(await service.db('submission_files').where({ deployment_id: id })).toEqual([]);
  });
});

describe('POST /submissions/:deployId/bulk with spam', () => {
  it('moves submissions, passes over others, and leaves pages of the list as they should be', async () => {
    const { id } = await owner.deploy();
    const { id: bystander } = await owner.deploy();
    const ids: string[] = [];
    for (let n = 0; n < 9; n += 1) ids.push(await submit(id, { n }));
    const foreign = await submit(bystander, { n: 0 });
    const at = (...wanted: number[]): string[] => wanted.map((index) => ids[index] ?? '');
    await owner.patch(`/submissions/${id}/${ids[3]}`).send({ starred: true, read: true }).expect(200);
    const moved = [...at(0, 3, 8), foreign, UNKNOWN_SUBMISSION, 'x', '\0', ids[3] ?? ''];
    expect(await bulkSpam(id, moved)).toEqual({ status: 200, body: { done: 3 } });
    expect(await bulkSpam(id, moved)).toEqual({ status: 200, body: { done: 0 } });
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(6);
    expect(idsIn(await listOf(id, '?limit=4'))).toEqual(at(7, 6, 5, 4));
    expect(idsIn(await listOf(id, '?limit=4&page=2'))).toEqual(at(2, 1));
    const kept = await spamOf(id);
    expect(kept.submissions.map((one) => [one.id, one.reason, one.data])).toEqual([
      [ids[8], 'marked', { n: 8 }],
      [ids[3], 'marked', { n: 3 }],
      [ids[0], 'marked', { n: 0 }],
    ]);
    expect((await listOf(bystander)).total).toBe(1);
    expect(await bulkSpam(id, at(1), other)).toEqual(refused(404));
    // Back again: unread, without a star, as the newest.
    expect(await release(id, ids[3] ?? '')).toEqual(released(ids[3] ?? ''));
    const { submissions } = (await owner.get(`/submissions/${id}/search`)).body;
    expect(submissions[0]).toMatchObject({ id: ids[3], read: false, starred: false });
    expect(idsIn(await listOf(id))).toEqual([ids[3], ...at(7, 6, 5, 4, 2, 1)]);
  });

  it('lists the newest first, also where more are moved than one statement moves', async () => {
    const { id } = await owner.deploy();
    await storeTexts(service.db, id, Array(250).fill('{}'));
    const newestFirst = Array.from({ length: 150 }, (_, index) => storedId(id, 250 - index));
    expect(await bulkSpam(id, newestFirst)).toEqual({ status: 200, body: { done: 150 } });
    const [first, second] = [await spamOf(id, '?limit=100'), await spamOf(id, '?limit=100&page=2')];
    expect([...idsIn(first), ...idsIn(second)]).toEqual(newestFirst);
  });

  it('ends pending deliveries; what is released is delivered once more', async () => {
    const { id } = await owner.deploy();
    const receiver = await startReceiver((response) => void response.writeHead(503).end());
    const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    const submission = await submit(id, { a: 1 });
    const log = async () =>
      (await owner.get(`/webhooks/${id}/${webhook.id}/deliveries`)).body.deliveries.map(
        (one: { submission_id: string; status: string; attempts: number }) => [
          one.submission_id,
          one.status,
          one.attempts,
        ],
      );
    await expect.poll(log).toEqual([[submission, 'pending', 1]]);
    await bulkSpam(id, [submission]);
    expect(await log()).toEqual([]);
    await release(id, submission);
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect.poll(log).toEqual([[submission, 'pending', 1]]);
    expect(receiver.received[0]?.headers['webhook-id']).not.toBe(receiver.received[1]?.headers['webhook-id']);
  });

  it('does not use up the minute of spam, nor does it keep more than the folder has room for', async () => {
    const { id } = await deployWith(BLOCKED);
    await insertSpam(id, SIZES.spam.max - 1, '1 hour');
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await submit(id, { n }));
    expect(await bulkSpam(id, ids)).toEqual({ status: 200, body: { done: 5 } });
    expect((await spamOf(id)).total).toBe(SIZES.spam.max);
    expect(idsIn(await spamOf(id, '?limit=5'))).toEqual(ids.toReversed());
    await service.db('spam_submissions').where({ deployment_id: id }).delete();
    await insertSpam(id, 100, '1 second', 'marked');
    await submit(id, { a: 'casino' });
    expect((await spamOf(id, '?limit=1')).submissions[0]?.reason).toBe('blocklist');
  });
});

/** Removes spam as the service does from time to time. */
async function cleanUp(): Promise<void> {
  const { signal } = new AbortController();
  await expireSpam(service.db, signal);
  while ((await removeExpiredSpam(service.db, signal)) > 0);
}
