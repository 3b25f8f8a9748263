import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { hashOfKey, newGuestId, newSessionId, newToken } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { type Owner, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const service = await testService({ STORAGE_LIMITS: 'small:1KB,large:none', PLAN_LIMITS: 'small:none,large:none' });
const owner = await service.owner({ plan: 'large' });

const HTML = '\ufeff<h1>é\0</h1>\r\n{{FORM_ACTION}}';
const ETAG = '"an-etag"';

/** A guest of a page, and what sends requests in its session. */
async function guestOf(page: string, email: string) {
  const [id, token] = [newGuestId(), newToken()];
  const row = { id, deployment_id: page, email, role: 'editor', invited_at: service.db.fn.now() };
  await service.db('guests').insert(row);
  await service.db('sessions').insert({ id: newSessionId(), hash: hashOfKey(token), email });
  const send = (method: 'get' | 'put' | 'delete', path: string) =>
    request(service.url)
      [method](path)
      .set({ Cookie: `formhost=${token}`, 'Sec-Fetch-Site': 'same-origin' });
  return { id, send };
}

const draftOf = async (id: string, who: Owner = owner) => answer(await who.get(`/deploy/${id}/draft`));
const save = (id: string, body: object, who: Owner = owner) => who.put(`/deploy/${id}/draft`).send(body);
const usedBy = async (who: Owner): Promise<number> => (await who.get('/me')).body.storage_used;

describe('drafts of pages', () => {
  it('are stored, read and deleted, and no visitor sees them', async () => {
    const { id } = await owner.deploy({ html: '<h1>Live</h1>' });
    expect(await draftOf(id)).toEqual(refused(404));
    expect(answer(await save(id, { html: HTML, etag: ETAG }))).toEqual({
      ...{ status: 200, body: { etag: ETAG, updated_at: aTime } },
    });
    expect(await draftOf(id)).toEqual({ status: 200, body: { html: HTML, etag: ETAG, updated_at: aTime } });
    await save(id, { html: '<h1>Second</h1>' }).expect(200);
    expect((await draftOf(id)).body).toEqual({ html: '<h1>Second</h1>', etag: null, updated_at: aTime });
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: '<h1>Live</h1>' });
    expect((await owner.get(`/deploy/${id}/versions`)).body.total).toBe(1);
    expect(answer(await owner.delete(`/deploy/${id}/draft`))).toEqual({
      ...{ status: 200, body: { message: 'Draft deleted', id } },
    });
    expect(await draftOf(id)).toEqual(refused(404));
    expect(answer(await owner.delete(`/deploy/${id}/draft`))).toEqual(refused(404));
  });

  it.each([
    [{}, 400],
    [{ html: 1 }, 400],
    [{ html: 'a', etag: 1 }, 400],
    [{ html: 'a', etag: 'e'.repeat(101) }, 400],
    [{ html: 'a', etag: '"\0"' }, 400],
    [{ html: 'a', etag: '"\ud800"' }, 400],
    [{ html: 'a'.repeat(service.config.maxHtmlBytes + 1) }, 413],
  ])('are HTML as pages are', async (body, status) => {
    const { id } = await owner.deploy();
    expect(answer(await save(id, body))).toEqual(refused(status));
    expect(await draftOf(id)).toEqual(refused(404));
  });

  it('may be empty, of the page and of a file', async () => {
    const { id } = await owner.deploy();
    for (const query of ['', '?file=css/main.css']) {
      await owner.put(`/deploy/${id}/draft${query}`).send({ html: '' }).expect(200);
      expect((await owner.get(`/deploy/${id}/draft${query}`)).body).toMatchObject({ html: '' });
    }
    expect((await owner.get(`/overview/${id}`)).body.draft).toBe(true);
  });

  it('have another ETag when the work began with another version', async () => {
    const { id } = await owner.deploy();
    const { headers } = await save(id, { html: HTML, etag: ETAG }).expect(200);
    expect((await save(id, { html: HTML })).headers.etag).not.toBe(headers.etag);
  });

  it('are of pages that are live, and one’s own', async () => {
    const stranger = await service.owner({ plan: 'large' });
    const { id } = await owner.deploy();
    await save(id, { html: HTML }).expect(200);
    for (const one of [id, UNKNOWN_ID]) {
      expect(answer(await save(one, { html: HTML }, stranger))).toEqual(refused(404));
      expect(await draftOf(one, stranger)).toEqual(refused(404));
    }
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(answer(await save(id, { html: HTML }))).toEqual(refused(404));
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    expect((await draftOf(id)).body).toMatchObject({ html: HTML });
  });

  it('are one for each file, of which a person has a bounded number', async () => {
    const { id } = await owner.deploy({ html: '<h1>Live</h1>' });
    const ofFile = (file: string) => `/deploy/${id}/draft?file=${encodeURIComponent(file)}`;
    await save(id, { html: 'page' }).expect(200);
    await owner.put(ofFile('css/é.css')).send({ html: 'body {}', etag: ETAG }).expect(200);
    await owner.put(ofFile('about.html')).send({ html: 'about' }).expect(200);
    await owner.put(ofFile('about.html')).send({ html: 'about us' }).expect(200);
    expect((await owner.get(ofFile('css/é.css'))).body).toEqual({ html: 'body {}', etag: ETAG, updated_at: aTime });
    expect((await owner.get(ofFile('about.html'))).body).toMatchObject({ html: 'about us' });
    expect((await owner.get(ofFile('index.html'))).body).toMatchObject({ html: 'page' });
    expect(answer(await owner.get(ofFile('other.html')))).toEqual(refused(404));
    await owner.delete(ofFile('index.html')).expect(200);
    expect(await draftOf(id)).toEqual(refused(404));
    await owner.delete(ofFile('css/é.css')).expect(200);
    expect(answer(await owner.delete(ofFile('css/é.css')))).toEqual(refused(404));
    expect((await owner.get(`/overview/${id}`)).body.draft).toBe(true);
    for (let count = 1; count < SIZES.draft.maxFiles; count += 1) {
      await owner
        .put(ofFile(`${count}.html`))
        .send({ html: 'x' })
        .expect(200);
    }
    expect(answer(await owner.put(ofFile('more.html')).send({ html: 'x' }))).toEqual(refused(409));
    await owner.put(ofFile('about.html')).send({ html: 'again' }).expect(200);
    await owner.delete(ofFile('about.html')).expect(200);
    await owner.put(ofFile('more.html')).send({ html: 'x' }).expect(200);
  });

  it('are marked in the list of files, for the person who has them', async () => {
    const { id } = await owner.deploy({ html: '<h1>Live</h1>', files: { 'a.css': 'p {}', 'b.css': 'i {}' } });
    const ada = await guestOf(id, 'ada@marked.test');
    await save(id, { html: 'page' }).expect(200);
    await owner.put(`/deploy/${id}/draft?file=b.css`).send({ html: 'b {}' }).expect(200);
    await ada.send('put', `/deploy/${id}/draft?file=a.css`).send({ html: 'b {}' }).expect(200);
    const marked = ({ body }: request.Response) =>
      body.files.map(({ path, draft }: { path: string; draft?: true }) => [path, draft]);
    expect(marked(await owner.get(`/deploy/${id}/files`))).toEqual([
      ['index.html', true],
      ['a.css', undefined],
      ['b.css', true],
    ]);
    expect(marked(await ada.send('get', `/deploy/${id}/files`))).toEqual([
      ['index.html', undefined],
      ['a.css', true],
      ['b.css', undefined],
    ]);
  });

  it.each(['', '/', '../a.html', 'a//b.html', 'a'.repeat(2_000), 'a\0b'])('are of paths of files: %j', async (file) => {
    const { id } = await owner.deploy();
    const path = `/deploy/${id}/draft?file=${encodeURIComponent(file)}`;
    expect(answer(await owner.put(path).send({ html: 'x' }))).toEqual(refused(400));
    expect(answer(await owner.get(path))).toEqual(refused(400));
    expect(answer(await owner.delete(path))).toEqual(refused(400));
    expect(answer(await owner.get(`${path}&file=b.html`))).toEqual(refused(400));
  });

  it('are one for each person, and go with the guest', async () => {
    const { id } = await owner.deploy();
    const path = `/deploy/${id}/draft`;
    const [ada, grace] = [await guestOf(id, 'ada@draft.test'), await guestOf(id, 'grace@draft.test')];
    await save(id, { html: 'owner' }).expect(200);
    await ada.send('put', path).send({ html: 'ada' }).expect(200);
    await ada.send('put', path).send({ html: 'ada again' }).expect(200);
    expect((await draftOf(id)).body).toMatchObject({ html: 'owner' });
    expect((await ada.send('get', path)).body).toMatchObject({ html: 'ada again' });
    await grace.send('get', path).expect(404);
    expect(await service.db('page_drafts').where({ deployment_id: id })).toHaveLength(2);
    await service.db('guests').where({ id: ada.id }).delete();
    expect(await service.db('page_drafts').where({ deployment_id: id })).toHaveLength(1);
    expect((await draftOf(id)).body).toMatchObject({ html: 'owner' });
  });

  it('are shown in the overview to those who have one', async () => {
    const { id } = await owner.deploy();
    const guest = await guestOf(id, 'alan@draft.test');
    const shown = async () => {
      const own = (await owner.get('/overview')).body.deployments.find((one: { id: string }) => one.id === id);
      const [shared] = (await guest.send('get', '/overview')).body.deployments;
      const single = [await owner.get(`/overview/${id}`), await guest.send('get', `/overview/${id}`)];
      return [own.draft, shared.draft, ...single.map(({ body }) => body.draft)];
    };
    expect(await shown()).toEqual([false, false, false, false]);
    await save(id, { html: HTML }).expect(200);
    expect(await shown()).toEqual([true, false, true, false]);
    await guest.send('put', `/deploy/${id}/draft`).send({ html: HTML }).expect(200);
    await owner.delete(`/deploy/${id}/draft`).expect(200);
    expect(await shown()).toEqual([false, true, false, true]);
    expect((await guest.send('get', `/overview/${id}`)).body).toMatchObject({ role: 'editor', guest_id: guest.id });
  });

  it('count as storage until they are gone', async () => {
    const small = await service.owner({ plan: 'small' });
    const { id } = await small.deploy({ html: 'a'.repeat(100) });
    await save(id, { html: 'b'.repeat(500) }, small).expect(200);
    expect(await usedBy(small)).toBe(600);
    await save(id, { html: 'b'.repeat(300) }, small).expect(200);
    expect(await usedBy(small)).toBe(400);
    expect(answer(await save(id, { html: 'b'.repeat(901) }, small))).toEqual(refused(403));
    expect((await small.get(`/deploy/${id}/draft`)).body.html).toHaveLength(300);
    await small.delete(`/deploy/${id}`).expect(200);
    expect(await usedBy(small)).toBe(400);
    await small.delete(`/trash/${id}`).expect(200);
    await expect.poll(() => usedBy(small)).toBe(0);
    expect(await service.db('page_drafts').where({ deployment_id: id })).toEqual([]);
  });
});
