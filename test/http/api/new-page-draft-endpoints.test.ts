import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { changeAccount } from '../../../src/db/account/operator-queries.ts';
import { hashOfKey, newGuestId, newSessionId, newToken } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, failure, refused } from '../../support/answers.ts';
import { asOwner, type Owner, testService } from '../../support/test-service.ts';

const service = await testService({ STORAGE_LIMITS: 'small:1KB,large:none', PLAN_LIMITS: 'small:none,large:none' });

const HTML = '\ufeff<title>Spring &amp; summer</title><h1>é\0</h1>\r\n{{FORM_ACTION}}';

const newOwner = (plan = 'large') => service.owner({ plan });
const save = (owner: Owner, name: string, html: unknown = HTML) => owner.put(`/draft?name=${name}`).send({ html });
const usedBy = async (owner: Owner): Promise<number> => (await owner.get('/me')).body.storage_used;
const namesOf = async (owner: Owner): Promise<string[]> =>
  (await owner.get('/drafts').expect(200)).body.drafts.map(({ name }: { name: string }) => name);

describe('drafts of new pages', () => {
  it('are stored, listed, read and deleted, and make no page', async () => {
    const owner = await newOwner();
    expect(answer(await owner.get('/drafts'))).toEqual({ status: 200, body: { drafts: [] } });
    expect(answer(await save(owner, 'new'))).toEqual({ status: 200, body: { name: 'new', updated_at: aTime } });
    expect(answer(await owner.get('/draft'))).toEqual({
      ...{ status: 200, body: { name: 'new', html: HTML, updated_at: aTime } },
    });
    await save(owner, 'contact.en', '<h1>No title</h1>').expect(200);
    expect((await owner.get('/drafts')).body).toEqual({
      drafts: [
        { name: 'contact.en', title: null, updated_at: aTime },
        { name: 'new', title: 'Spring & summer', updated_at: aTime },
      ],
    });
    // What was stored last comes first.
    await save(owner, 'new', '<title>Second</title>').expect(200);
    expect((await owner.get('/drafts')).body.drafts).toMatchObject([{ name: 'new', title: 'Second' }, {}]);
    expect((await owner.get('/deploy')).body.total).toBe(0);
    expect((await owner.get('/overview')).body.total).toBe(0);
    expect(answer(await owner.delete('/draft'))).toEqual({
      ...{ status: 200, body: { message: 'Draft deleted', name: 'new' } },
    });
    for (const method of ['get', 'delete'] as const) {
      const { status, body, headers } = await owner[method]('/draft');
      expect([status, body, headers['error-code']]).toEqual([404, failure, 'no-such-new-page-draft']);
    }
    expect(await namesOf(owner)).toEqual(['contact.en']);
  });

  it('may be empty', async () => {
    const owner = await newOwner();
    await save(owner, 'new', '').expect(200);
    expect((await owner.get('/draft')).body).toMatchObject({ html: '' });
    expect((await owner.get('/drafts')).body.drafts).toMatchObject([{ name: 'new', title: null }]);
  });

  it.each([
    [{}, 400],
    [{ html: 1 }, 400],
    [{ html: '\ud800' }, 400],
    [{ html: 'a'.repeat(service.config.maxHtmlBytes + 1) }, 413],
  ])('are HTML', async (body, status) => {
    const owner = await newOwner();
    expect(answer(await owner.put('/draft').send(body))).toEqual(refused(status));
    expect(await namesOf(owner)).toEqual([]);
  });

  it.each(['.new', 'New', 'a_b', '%00', '%C3%A9', 'a%2Fb', '', 'a&name=b', 'a'.repeat(SIZES.draft.maxNameChars + 1)])(
    'have no name such as %j',
    async (name) => {
      const owner = await newOwner();
      expect(answer(await save(owner, name))).toEqual(refused(400));
      expect(answer(await owner.get(`/draft?name=${name}`))).toEqual(refused(400));
      expect(answer(await owner.delete(`/draft?name=${name}`))).toEqual(refused(400));
    },
  );

  it('are one’s own', async () => {
    const [owner, stranger] = [await newOwner(), await newOwner()];
    await save(owner, 'new').expect(200);
    expect(answer(await stranger.get('/draft'))).toEqual(refused(404));
    expect(answer(await stranger.delete('/draft'))).toEqual(refused(404));
    await save(stranger, 'new', 'theirs').expect(200);
    expect((await owner.get('/draft')).body.html).toBe(HTML);
    expect(await namesOf(stranger)).toEqual(['new']);
  });

  it('are bounded in number, also when several are stored at once', async () => {
    const owner = await newOwner();
    const { maxNewPages, maxNameChars } = SIZES.draft;
    const longest = 'a'.repeat(maxNameChars);
    await save(owner, longest).expect(200);
    const others = Array.from({ length: maxNewPages + 2 }, (_, count) => `n${count}`);
    const answers = await Promise.all(others.map((name) => save(owner, name, 'x')));
    const refusals = answers.filter(({ status }) => status !== 200);
    expect(refusals.map(({ status, headers }) => [status, headers['error-code']])).toEqual(
      Array.from({ length: 3 }, () => [409, 'new-page-draft-limit']),
    );
    expect(await namesOf(owner)).toHaveLength(maxNewPages);
    await save(owner, longest, 'again').expect(200);
    await owner.delete(`/draft?name=${longest}`).expect(200);
    await save(owner, 'more').expect(200);
  });

  it('count as storage until they are gone', async () => {
    const owner = await newOwner('small');
    await save(owner, 'new', 'a'.repeat(600)).expect(200);
    expect(await usedBy(owner)).toBe(600);
    expect(answer(await save(owner, 'contact.en', 'a'.repeat(600)))).toEqual(refused(403));
    await save(owner, 'new', 'a'.repeat(300)).expect(200);
    expect(await usedBy(owner)).toBe(300);
    const { rows } = await service.db.raw('SELECT owner_id FROM new_page_drafts WHERE octet_length(html) = 300');
    await service.db.raw('UPDATE storage SET used = 7 WHERE owner_id = ?', [rows[0].owner_id]);
    await service.db.raw('SELECT recount_storage(?)', [rows[0].owner_id]);
    expect(await usedBy(owner)).toBe(300);
    await owner.delete('/draft').expect(200);
    expect(await usedBy(owner)).toBe(0);
  });

  it('are not reached while the owner is suspended, and are there afterwards', async () => {
    const owner = await newOwner();
    await save(owner, 'new').expect(200);
    const { email } = (await owner.get('/me')).body;
    const [{ id }] = await service.db('owners').where({ email });
    await changeAccount(service.db, id, { suspended: true });
    expect(answer(await save(owner, 'new', 'other'))).toEqual(refused(401));
    expect(answer(await owner.get('/drafts'))).toEqual(refused(401));
    await changeAccount(service.db, id, { suspended: false });
    expect((await owner.get('/draft')).body).toMatchObject({ html: HTML });
  });

  it('are none of a guest who has no account, and none of a key for some pages', async () => {
    const owner = await newOwner();
    const { id } = await owner.deploy();
    const [email, token] = ['guest@new-draft.test', newToken()];
    const invited = { invited_at: service.db.fn.now() };
    await service.db('guests').insert({ id: newGuestId(), deployment_id: id, email, role: 'editor', ...invited });
    await service.db('sessions').insert({ id: newSessionId(), hash: hashOfKey(token), email });
    const cookie = { Cookie: `formhost=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    const { key } = (
      await owner
        .post('/keys')
        .send({ name: 'one page', pages: [id] })
        .expect(201)
    ).body;
    const limited = asOwner(service.url, key);
    const ofGuest = request(service.url);
    const answers = [
      await ofGuest.get('/drafts').set(cookie),
      await ofGuest.put('/draft').set(cookie).send({ html: HTML }),
      await limited.get('/drafts'),
      await save(limited, 'new'),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['error-code']])).toEqual([
      ...[
        [403, 'no-account'],
        [403, 'no-account'],
      ],
      ...[
        [403, 'key-for-pages'],
        [403, 'key-for-pages'],
      ],
    ]);
    expect(await service.db('new_page_drafts').where({ owner_id: 0 })).toEqual([]);
  });
});

/** Drafts whose changes may depend on what a client has read: those of pages, and of new pages. */
describe.each([
  ['a page', async (owner: Owner) => `/deploy/${(await owner.deploy()).id}/draft`],
  ['a file', async (owner: Owner) => `/deploy/${(await owner.deploy()).id}/draft?file=about.html`],
  ['a new page', async () => '/draft'],
])('a draft of %s', (_name, pathFor) => {
  async function begin() {
    const owner = await newOwner();
    const path = await pathFor(owner);
    const send = (html: string, headers: Record<string, string> = {}) => owner.put(path).set(headers).send({ html });
    const read = () => owner.get(path);
    const remove = (headers: Record<string, string> = {}) => owner.delete(path).set(headers);
    return { owner, send, read, remove };
  }

  it('has a strong ETag, which the answer to a change leads to', async () => {
    const { send, read } = await begin();
    const { headers } = await send('first').expect(200);
    expect(headers.etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await read()).headers.etag).toBe(headers.etag);
    expect((await read().set('If-None-Match', String(headers.etag))).status).toBe(304);
    expect((await send('second')).headers.etag).not.toBe(headers.etag);
  });

  it('is replaced only while it has an ETag that If-Match names', async () => {
    const { send, read } = await begin();
    const { etag = '' } = (await send('first').expect(200)).headers;
    for (const tags of ['"other"', `W/${etag}`, '']) {
      const { status, headers } = await send('mine', { 'If-Match': tags });
      expect([status, headers['error-code']]).toEqual([412, 'changed-meanwhile']);
    }
    expect((await read()).body.html).toBe('first');
    const { headers } = await send('second', { 'If-Match': `"other", ${etag}` }).expect(200);
    await send('mine', { 'If-Match': etag }).expect(412);
    expect((await read()).body.html).toBe('second');
    await send('third', { 'If-Match': String(headers.etag) }).expect(200);
    await send('fourth', { 'If-Match': '*' }).expect(200);
    expect((await read()).body.html).toBe('fourth');
  });

  it('is stored with If-None-Match: * where there is none', async () => {
    const { send, read, remove } = await begin();
    for (const tags of ['"other"', '*', ' * ']) await send('first', { 'If-Match': tags }).expect(412);
    await read().expect(404);
    await send('first', { 'If-None-Match': '"other"' }).expect(400);
    await send('first', { 'If-None-Match': '*' }).expect(200);
    await send('second', { 'If-None-Match': '*' }).expect(412);
    expect((await read()).body.html).toBe('first');
    await remove().expect(200);
    await send('second', { 'If-None-Match': '*' }).expect(200);
  });

  it('is stored by one of several that have seen the same', async () => {
    const { send, read } = await begin();
    const { etag = '' } = (await send('first').expect(200)).headers;
    const answers = await Promise.all(['a', 'b', 'c'].map((html) => send(html, { 'If-Match': etag })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read()).body.html).toBe(['a', 'b', 'c'][winner]);
  });

  it('is deleted only while it has an ETag that If-Match names', async () => {
    const { send, read, remove } = await begin();
    const { etag = '' } = (await send('first').expect(200)).headers;
    const newer = (await send('second').expect(200)).headers.etag ?? '';
    const refusal = await remove({ 'If-Match': etag });
    expect([refusal.status, refusal.headers['error-code']]).toEqual([412, 'changed-meanwhile']);
    expect((await read()).body.html).toBe('second');
    await remove({ 'If-Match': newer }).expect(200);
    await remove({ 'If-Match': newer }).expect(404);
  });
});
