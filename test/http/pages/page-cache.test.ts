import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect, it } from 'vitest';
import { createPageCache, type PageCache, type ReadyPage, type Variant } from '../../../src/http/pages/page-cache.ts';
import { testLimits } from '../../support/limits.ts';

const MIB = 1024 * 1024;
const PAGE_BYTES = 32 * 1024;
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** A cache of one MiB in front of pages that are stored as they are rendered; how often each was read. */
function startCache() {
  const reads = new Map<string, number>();
  // Random: compressed, it is as long.
  const stored = new Map<string, Buffer>();
  const bytesOf = (slug: string): Buffer => {
    const bytes = stored.get(slug) ?? randomBytes(PAGE_BYTES);
    stored.set(slug, bytes);
    return bytes;
  };
  const cache: PageCache = createPageCache({
    find: async () => undefined,
    async findSmall(slug) {
      reads.set(slug, (reads.get(slug) ?? 0) + 1);
      const body = bytesOf(slug);
      const rendered = { hash: slug, bytes: body.length, br: brotliCompressSync(body, FAST) };
      return { deploymentId: slug, version: 1, ownerId: 1, rendered };
    },
    findVersion: async (slug) => ({ deploymentId: slug, version: 1 }),
    maxBytes: MIB,
    actionOf: () => '',
    compute: { run: () => Promise.reject(new Error('No page is large.')) },
    sending: { share: () => () => undefined, fits: () => true },
    isInvalidationLive: () => true,
    limits: testLimits(),
  });
  async function get(slug: string): Promise<ReadyPage> {
    const page = await cache.get(slug, 'br');
    if (!page || page === 'taken-down') throw new Error('There is no page.');
    return page;
  }
  async function plain(slug: string, isBodyWanted = true): Promise<Variant> {
    return cache.variant(slug, await get(slug), 'identity', isBodyWanted);
  }
  /** Asks for a page until it is kept without an encoding. */
  async function keepPlain(slug: string): Promise<Variant> {
    for (let times = 0; times < 8; times += 1) await plain(slug);
    return plain(slug);
  }
  return { cache, reads, bytesOf, get, plain, keepPlain };
}

it('keeps a page without an encoding that is asked for often, and answers the same again', async () => {
  const { bytesOf, plain, keepPlain } = startCache();
  const kept = await keepPlain('often');
  expect(kept.body.equals(bytesOf('often'))).toBe(true);
  expect(await plain('often')).toBe(kept);
});

it('gives what it keeps memory of its own', async () => {
  const { cache, get, keepPlain } = startCache();
  const page = await get('own');
  const variants = [
    await cache.variant('own', page, 'br', true),
    await cache.variant('own', page, 'gzip', true),
    await keepPlain('own'),
  ];
  for (const { body } of variants) expect(body.buffer.byteLength).toBe(body.length);
});

it('keeps a page without an encoding when another encoding is made, and drops it when the page changes', async () => {
  const { cache, get, plain, keepPlain } = startCache();
  const kept = await keepPlain('changing');
  await cache.variant('changing', await get('changing'), 'gzip', true);
  expect(await plain('changing')).toBe(kept);
  cache.invalidate('changing');
  expect(await plain('changing')).not.toBe(kept);
});

it('has no more in memory than it may: pages first, and without an encoding what they leave', async () => {
  const { reads, get, plain, keepPlain } = startCache();
  const slugs = Array.from({ length: 20 }, (_, index) => `page-${index}`);
  const kept = new Map<string, Variant>();
  for (const slug of slugs) kept.set(slug, await keepPlain(slug));
  const isKept = async (slug: string): Promise<boolean> => (await plain(slug)) === kept.get(slug);
  const both = [];
  for (const slug of slugs.toReversed()) if (await isKept(slug)) both.push(slug);
  // 20 pages are 660 KiB, and 11 more without an encoding are 363 KiB.
  expect(both.length).toBeGreaterThanOrEqual(8);
  expect(both.length).toBeLessThanOrEqual(11);
  expect([...reads.values()]).toEqual(slugs.map(() => 1));

  // As many as fit into three quarters push the others out.
  for (let index = 0; index < 40; index += 1) await get(`more-${index}`);
  for (const slug of slugs) expect(await isKept(slug)).toBe(false);
  for (const slug of slugs) expect(reads.get(slug)).toBeGreaterThan(1);
});

it('makes no body that is not wanted, with the same headers', async () => {
  const { bytesOf, plain } = startCache();
  const [head, whole] = [await plain('head', false), await plain('head')];
  expect({ ...head, body: bytesOf('head').length }).toEqual({ ...whole, body: whole.body.length });
  expect(head.body.length).toBe(0);
});
