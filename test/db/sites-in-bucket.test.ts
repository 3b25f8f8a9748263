import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { storeContent } from '../../src/db/deployments/site-file-queries.ts';
import { cleanBucket } from '../support/bucket-files.ts';
import { publishSite } from '../support/publish-site.ts';
import { s3Error, startS3 } from '../support/s3.ts';
import { PAGES_DOMAIN, testService } from '../support/test-service.ts';
import { zipFiles } from '../support/zip-bytes.ts';

const MIB = 1024 * 1024;
/** The clean-up has run by then, also on a busy machine. */
const WAIT = { timeout: 60_000 };

const s3 = await startS3();
afterEach(() => s3.behave());
afterAll(() => s3.close());
const service = await testService(s3.settings(), undefined, {
  // The tests decide what is deleted from the bucket.
  limits: { cleanUp: { intervalMs: 100 }, files: { retryMs: 5, deletionsIntervalMs: 60 * 60 * 1_000 } },
});
const owner = await service.owner();

/** The contents in the bucket that were not there before. */
async function newContents(work: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(s3.files());
  await work();
  return s3.files().flatMap((key) => (before.has(key) ? [] : String(s3.objects.get(key)?.content)));
}

const visit = async (slug: string, path: string): Promise<string> => {
  const { body } = await service.anonymous
    .get(path)
    .set('Host', `${slug}.${PAGES_DOMAIN}`)
    .buffer(true)
    .parse((response, done) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => done(null, Buffer.concat(pieces)));
    })
    .expect(200);
  return body.toString('latin1');
};

describe('a site with FILES_URL', () => {
  it('has its contents in the bucket, each once, and is served from there', async () => {
    const film = randomBytes(3 * MIB + 1);
    let slug = '';
    const files = { 'index.html': '<p>', 'a.css': 'styles', 'again.css': 'styles', 'film.mp4': film, empty: '' };
    const contents = await newContents(async () => {
      ({ slug } = await publishSite(owner, files));
    });
    expect(contents.toSorted()).toEqual(['styles', String(film)].toSorted());
    const { rows } = await service.db.raw('SELECT bytes FROM site_contents WHERE content IS NOT NULL');
    expect(rows).toEqual([{ bytes: 0 }]);
    expect(await visit(slug, '/a.css')).toBe('styles');
    expect(await visit(slug, '/empty')).toBe('');
    expect((await visit(slug, '/film.mp4')) === film.toString('latin1')).toBe(true);
    // Another of the owner's sites needs no second object.
    expect(await newContents(() => publishSite(owner, { 'index.html': '<p>', 'b.css': 'styles' }))).toEqual([]);
  });

  it('names the first of two objects that have one content', async () => {
    const { owner_id: ownerId } = await service.db('deployments').first('owner_id');
    const sha256 = '00'.repeat(32);
    const store = (id: string) => {
      const object = { id, sha256: Buffer.from(sha256, 'hex'), putAt: Date.now() };
      return storeContent(service.db, ownerId, { sha256, content: Buffer.from('x'), object });
    };
    expect([await store('obj_first'), await store('obj_second')]).toEqual([true, false]);
    await service.db('site_contents').where({ object_id: 'obj_first' }).delete();
  });

  it('keeps its objects in the sweep, and loses them when no version needs the contents', async () => {
    const { id } = await publishSite(owner, { 'index.html': '<p>', 'a.txt': 'only here' });
    const isKept = () => [...s3.objects.values()].some(({ content }) => String(content) === 'only here');
    await cleanBucket(service.db, s3, s3.settings());
    expect(isKept()).toBe(true);
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.delete(`/trash/${id}`).expect(200);
    await expect
      .poll(async () => {
        await cleanBucket(service.db, s3, s3.settings());
        return isKept();
      }, WAIT)
      .toBe(false);
  });

  it.each([
    ['JSON', (id: string) => owner.put(`/deploy/${id}`).send({ html: '<p>2', files: { 'a.txt': 'new of JSON' } })],
    ['a file', (id: string) => owner.put(`/deploy/${id}/files/a.txt`).type('text/plain').send('new of a file')],
    [
      'a zip',
      (id: string) => {
        const zip = zipFiles({ 'index.html': '<p>2', 'a.txt': 'new of a zip' });
        return owner.put(`/deploy/${id}`).type('application/zip').send(zip);
      },
    ],
  ])('stays as it was when the bucket fails, which is a 503 for %s', async (_name, change) => {
    const { id, slug } = await publishSite(owner, { 'index.html': '<p>1', 'a.txt': 'old' });
    s3.intercept((_request, response) => s3Error(response, 503, 'SlowDown'));
    const refused = await change(id).expect(503);
    expect([refused.headers['retry-after'], refused.body]).toEqual([
      '5',
      { error: 'The service cannot reach its files just now: try again shortly.' },
    ]);
    // Without new contents, a change does not need the bucket.
    await owner.put(`/deploy/${id}`).send({ html: '<p>3' }).expect(200);
    s3.behave();
    expect([await visit(slug, '/'), await visit(slug, '/a.txt')]).toEqual(['<p>3', 'old']);
    await change(id).expect(200);
    expect(await visit(slug, '/a.txt')).toMatch(/^new of /);
  });

  it('stores contents again that the clean-up removed before the site was live', async () => {
    const sha256 = createHash('sha256').update('removed').digest();
    const puts: string[] = [];
    s3.intercept(async ({ method, key, isDone }) => {
      if (method !== 'PUT' || !isDone) return false;
      const content = String(s3.objects.get(key)?.content);
      puts.push(content);
      const remove = () => service.db('site_contents').where({ sha256 }).delete();
      if (content === 'left') await expect.poll(remove, WAIT).toBe(1);
      return false;
    });
    const { slug } = await publishSite(owner, { 'index.html': '<p>', 'a.txt': 'removed', 'b.txt': 'left' });
    expect(puts.toSorted()).toEqual(['left', 'removed', 'removed']);
    expect([await visit(slug, '/a.txt'), await visit(slug, '/b.txt')]).toEqual(['removed', 'left']);
  });

  it('puts two contents into the bucket at a time', async () => {
    const areTwo = Promise.withResolvers<void>();
    let [current, most] = [0, 0];
    s3.intercept(async ({ method, isDone }) => {
      if (method !== 'PUT') return false;
      current += isDone ? -1 : 1;
      most = Math.max(most, current);
      if (current === 2) areTwo.resolve();
      await areTwo.promise;
      return false;
    });
    const files = Array.from({ length: 9 }, (_, index) => [`${index}.txt`, `one of nine: ${index}`]);
    const { slug } = await publishSite(owner, { 'index.html': '<p>', ...Object.fromEntries(files) });
    expect([most, await visit(slug, '/8.txt')]).toEqual([2, 'one of nine: 8']);
  });

  it('stays as it was when the bucket is too slow for all contents together', async () => {
    const limits = { files: { siteTimeoutMs: 100, requestTimeoutMs: 600_000 } };
    const slow = await testService(s3.settings('slow'), undefined, { limits });
    const other = await slow.owner();
    const { id } = await publishSite(other, { 'index.html': '<p>1' });
    const change = { html: '<p>2', files: { 'a.txt': 'slow a', 'b.txt': 'slow b' } };
    s3.intercept(({ key }) => key.startsWith('slow/files/'));
    const refused = await other.put(`/deploy/${id}`).send(change).expect(503);
    // The time may be over ahead of the first content, too.
    expect(refused.body.error).toMatch(
      /^The (service cannot reach its files just now|request took too long): try again shortly\.$/,
    );
    expect((await other.get(`/deploy/${id}/html`)).body).toEqual({ html: '<p>1' });
    expect((await other.get(`/deploy/${id}/files`)).body.files).toHaveLength(1);
  });

  it('counts a large body for its owner until the site is live', async () => {
    const settings = { ...s3.settings('bounded'), MAX_HTML_BYTES: '1000', MAX_FILES_BYTES: '100000' };
    const limits = { requests: { memoryBudgetBytes: 400_000 } };
    const bounded = await (await testService(settings, undefined, { limits })).owner();
    const [{ id }, { id: other }] = [await bounded.deploy({ html: '<p>' }), await bounded.deploy({ html: '<p>' })];
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    s3.intercept(async ({ key }) => {
      if (!key.startsWith('bounded/files/')) return false;
      reached.resolve();
      await goOn.promise;
      return false;
    });
    const body = { html: '<p>2', files: { 'a.txt': 'a'.repeat(150_000) } };
    const first = bounded.put(`/deploy/${id}`).send(body).expect(200).then();
    await reached.promise;
    const refused = await bounded.put(`/deploy/${other}`).send(body).expect(503);
    expect(refused.body).toEqual({ error: 'Too many uploads are under way: try again shortly.' });
    goOn.resolve();
    await first;
    await expect.poll(async () => (await bounded.put(`/deploy/${other}`).send(body)).status, WAIT).toBe(200);
  });
});
