import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getPage, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

const visit = async (slug: string, path = '/', method: 'get' | 'post' = 'get'): Promise<number> =>
  (await service.anonymous[method](path).set('Host', `${slug}.${PAGES_DOMAIN}`)).status;
const settingsOf = async (id: string) => (await owner.get(`/deploy/${id}/settings`).expect(200)).body;
/** The time of the page has come. */
const end = (id: string) => service.db('deployments').where({ id }).update({ expires_at: service.db.fn.now() });
const inTrash = async (id: string): Promise<boolean> =>
  (await owner.get('/trash').expect(200)).body.deployments.some((one: { id: string }) => one.id === id);

describe('expires_at', () => {
  it('is a time in the future, and nothing else', async () => {
    const { id, slug } = await owner.deploy();
    for (const expires_at of [inHours(-1), '1970-01-01T00:00:00Z', 'tomorrow', '2099-01-01', '', 5, false, ['a']]) {
      const { status, body } = await owner.patch(`/deploy/${id}`).send({ expires_at, language: 'de' });
      expect([status, body]).toEqual([400, { error: expect.stringMatching(/^expires_at is /) }]);
    }
    expect(await settingsOf(id)).toMatchObject({ expires_at: null, language: null });
    await owner.change(id, { expires_at: '2099-06-01T12:00:00+02:00' });
    expect((await settingsOf(id)).expires_at).toBe('2099-06-01T10:00:00.000Z');
    expect(await visit(slug)).toBe(200);
    await owner.change(id, { expires_at: null });
    expect((await settingsOf(id)).expires_at).toBeNull();
  });

  it('puts the page into the trash with its submissions, from which it comes back without an end', async () => {
    const { id, slug, url } = await owner.deploy({ slug: 'summer-fair', files: { 'a.css': 'p{}' } });
    const { id: other, slug: stays } = await owner.deploy();
    await owner.change(id, { expires_at: inHours(1) });
    await owner.change(other, { expires_at: inHours(1) });
    await service.submit(id, '{"n":1}');
    expect(await visit(slug)).toBe(200);
    await end(id);
    await expect.poll(() => inTrash(id)).toBe(true);
    expect([await visit(slug), await visit(slug, '/a.css'), await visit(slug, '/', 'post')]).toEqual([404, 404, 404]);
    expect((await service.anonymous.post(`/submit/${id}`).send({ n: 2 })).status).toBe(404);
    expect((await owner.get(`/deploy/${id}`)).status).toBe(404);
    expect(await visit(stays)).toBe(200);
    const restored = await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    expect(restored.body).toEqual({ id, url, slug });
    expect((await settingsOf(id)).expires_at).toBeNull();
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
    expect([await visit(slug), await inTrash(id)]).toEqual([200, false]);
  });

  it('reaches other processes, which have the page in memory', async () => {
    const { url } = await service.another();
    const { id, slug } = await owner.deploy();
    const there = async () => (await getPage(url, slug)).status;
    expect([await there(), await visit(slug)]).toEqual([200, 200]);
    await end(id);
    await expect.poll(there).toBe(404);
    await expect.poll(() => visit(slug)).toBe(404);
  });

  it('takes the page offline by the clock alone, as when the database is out of reach', async () => {
    const { id, slug } = await owner.deploy({ files: { 'a.css': 'p{}' } });
    await owner.change(id, { expires_at: inHours(1) });
    expect([await visit(slug), await visit(slug, '/a.css')]).toEqual([200, 200]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR_MS });
    onTestFinished(() => void vi.useRealTimers());
    expect([await visit(slug), await visit(slug, '/a.css'), await visit(slug, '/', 'post')]).toEqual([404, 404, 404]);
    expect((await owner.get(`/deploy/${id}`)).status).toBe(200);
  });
});
