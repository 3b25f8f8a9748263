import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect, it } from 'vitest';
import { isDown, isMoved, PageCache, type ReadyPage } from '../../../src/http/pages/page-cache.ts';
import type { Variant } from '../../../src/http/pages/ready-body.ts';
import type { Encoding } from '../../../src/http/response/accept.ts';
import { BusyError } from '../../../src/lib/fair-queue.ts';
import { NO_LOOK } from '../../../src/sites/page-look.ts';
import { SIZES } from '../../../src/sizes.ts';
import { testLimits } from '../../support/test-limits.ts';

const MIB = 1024 * 1024;
const { largeBytes } = SIZES.internalPages;
const PAGE_BYTES = 32 * 1024;
const HEAD = {
  version: 1,
  ownerId: 1,
  hasAltcha: false,
  hasFormTools: false,
  look: NO_LOOK,
  opening: undefined,
  expiresAt: null,
  isUnlisted: false,
  files: undefined,
};
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

type Read = ConstructorParameters<typeof PageCache>[0]['read'];

/** A cache of one MiB in front of pages that are stored as they are rendered. */
const cacheOf = (read: Read, canSend = () => true): PageCache =>
  new PageCache(
    {
      ...{ read, canSend },
      render: () => Promise.reject(new Error('Every page is rendered.')),
      makeFile: () => Promise.reject(new Error('No page has files.')),
    },
    { maxBytes: MIB, maxHtmlBytes: MIB, limits: testLimits() },
  );
/** Rows of pages of one byte, in a version. */
function rowsOf(slugs: readonly string[], version: number) {
  const rendered = { hash: `${version}`, bytes: 1, br: brotliCompressSync('x') };
  return new Map(slugs.map((slug) => [slug, { ...HEAD, deploymentId: slug, version, rendered }]));
}

/** Such a cache, and how often each page was read. */
function startCache() {
  const reads = new Map<string, number>();
  // Random: compressed, it is as long.
  const stored = new Map<string, Buffer>();
  const bytesOf = (slug: string): Buffer => {
    const bytes = stored.get(slug) ?? randomBytes(PAGE_BYTES);
    stored.set(slug, bytes);
    return bytes;
  };
  const read = (slug: string) => {
    reads.set(slug, (reads.get(slug) ?? 0) + 1);
    const body = bytesOf(slug);
    const rendered = { hash: slug, bytes: body.length, br: brotliCompressSync(body, FAST) };
    return { ...HEAD, deploymentId: slug, rendered };
  };
  const cache = cacheOf(async (slugs) => new Map(slugs.map((slug) => [slug, read(slug)])));
  async function get(slug: string): Promise<ReadyPage> {
    const page = await cache.get(slug);
    if (!page || isDown(page) || isMoved(page)) throw new Error('There is no page.');
    return page;
  }
  async function variant(slug: string, encoding: Encoding): Promise<Variant> {
    const page = await get(slug);
    return cache.variant(slug, page, page, encoding);
  }
  const plain = (slug: string): Promise<Variant> => variant(slug, 'identity');
  return { cache, reads, bytesOf, get, variant, plain };
}

it('keeps a page in each encoding that was asked for, until the page changes', async () => {
  const { cache, bytesOf, variant, plain } = startCache();
  const kept = await plain('page');
  expect(kept.body.equals(bytesOf('page'))).toBe(true);
  await variant('page', 'gzip');
  expect(await plain('page')).toBe(kept);
  cache.invalidate('page');
  expect(await plain('page')).not.toBe(kept);
});

it('gives what it keeps memory of its own', async () => {
  const { variant } = startCache();
  for (const { body } of [await variant('own', 'br'), await variant('own', 'gzip'), await variant('own', 'identity')])
    expect(body.buffer.byteLength).toBe(body.length);
});

it('makes another encoding of a large page only while its owner may send more, and of a small one always', async () => {
  const read: Read = async (slugs) => {
    const rows = Array.from(rowsOf(slugs, 1), ([slug, row]) => {
      return [slug, { ...row, rendered: { ...row.rendered, bytes: Number(slug) } }] as const;
    });
    return new Map(rows);
  };
  const cache = cacheOf(read, () => false);
  const encoded = async (bytes: number): Promise<Variant> => {
    const page = await cache.get(`${bytes}`);
    if (!page || isDown(page) || isMoved(page)) throw new Error('There is no page.');
    return cache.variant(`${bytes}`, page, page, 'gzip');
  };
  expect((await encoded(largeBytes)).body).toBeInstanceOf(Buffer);
  await expect(encoded(largeBytes + 1)).rejects.toThrow(BusyError);
});

const SLUGS = Array.from({ length: 40 }, (_, index) => `page-${index}`);

it('has no more in memory than it may, three quarters as stored and a quarter in other encodings', async () => {
  const { reads, get, plain } = startCache();
  // 34 KiB each: 22 and 7 of them fit.
  const first: Variant[] = [];
  for (const slug of SLUGS.slice(0, 22)) first.push(await plain(slug));
  reads.clear();
  const again: Variant[] = [];
  for (const slug of SLUGS.slice(0, 22)) again.push(await plain(slug));
  expect(reads.size).toBe(0);
  expect(again.filter((one, index) => one === first[index]).length).toBeGreaterThan(3);
  expect(again.filter((one, index) => one === first[index]).length).toBeLessThan(8);
  await get('page-22');
  await get('page-22');
  expect(reads.get('page-22')).toBe(2);
});

it('keeps more than a third of the pages when nearly twice as many as it has room for are asked for in turn', async () => {
  const { reads, get } = startCache();
  for (const slug of [...SLUGS, ...SLUGS, ...SLUGS, ...SLUGS]) await get(slug);
  reads.clear();
  for (const slug of SLUGS) await get(slug);
  expect(reads.size).toBeLessThan((SLUGS.length * 2) / 3);
});

it('keeps a page that is asked for often, though others use all memory, and one that was read again in its place', async () => {
  const { cache, reads, get } = startCache();
  for (const slug of SLUGS) await get(slug);
  for (let visit = 0; visit < 8; visit += 1) await get('often');
  reads.clear();
  await get('often');
  expect(reads.get('often')).toBe(undefined);
  for (let change = 1; change <= 3; change += 1) {
    cache.refresh('often');
    await get('often');
    await get('often');
    expect(reads.get('often')).toBe(change);
  }
});

it('drops the other encodings of a page with it, and the memory of those that it has replaced', async () => {
  const { cache, plain } = startCache();
  for (let change = 0; change < 50; change += 1) {
    const one = await plain('page');
    expect(await plain('page')).toBe(one);
    cache.invalidate('page');
  }
});

it.each(['invalidate', 'refresh'] as const)(
  'does not keep a page that has changed while it was being read (%s)',
  async (change) => {
    let version = 1;
    const answers: (() => void)[] = [];
    const cache = cacheOf((slugs) => {
      const rows = rowsOf(slugs, version);
      return new Promise((resolve) => answers.push(() => resolve(rows)));
    });
    const answer = (count: number) =>
      expect
        .poll(() => answers.length)
        .toBe(count)
        .then(() => answers.at(-1)?.());
    const before = cache.get('page');
    await expect.poll(() => answers.length).toBe(1);
    version = 2;
    cache[change]('page');
    const after = cache.get('page');
    await answer(1);
    await answer(2);
    expect([await before, await after]).toMatchObject([{ version: 1 }, { version: 2 }]);
    expect(await cache.get('page')).toMatchObject({ version: 2 });
  },
);

it.each([
  ['that others have changed', (cache: PageCache) => cache.refresh('page')],
  ['that others may have changed', (cache: PageCache) => cache.refreshAll()],
])('serves a page %s while it cannot be read again, and goes on trying', async (_case, refresh) => {
  let stored: number | undefined = 1;
  let isReachable = true;
  const cache = cacheOf(async (slugs) => {
    if (!isReachable) throw Object.assign(new Error('The database is out of reach.'), { code: 'ECONNREFUSED' });
    return stored === undefined ? new Map() : rowsOf(slugs, stored);
  });
  const version = async () => Reflect.get(Object(await cache.get('page')), 'version');
  expect(await version()).toBe(1);
  stored = 2;
  isReachable = false;
  refresh(cache);
  expect(await version()).toBe(1);
  isReachable = true;
  await expect.poll(version).toBe(2);
  stored = undefined;
  refresh(cache);
  await expect.poll(version).toBe(undefined);
});

it('serves no page that others have changed when it could be read, but not be made ready', async () => {
  let problem: Error | undefined;
  const cache = cacheOf(async (slugs) => {
    if (problem) throw problem;
    return rowsOf(slugs, 1);
  });
  await cache.get('page');
  problem = new BusyError();
  cache.refresh('page');
  await expect(cache.get('page')).rejects.toBe(problem);
});
