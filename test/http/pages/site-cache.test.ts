import { randomBytes } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { isDown, isMoved, PageCache, type ReadyPage } from '../../../src/http/pages/page-cache.ts';
import { toReadyBody } from '../../../src/http/pages/ready-body.ts';
import type { ReadyFile, Site } from '../../../src/http/pages/site.ts';
import { NO_LOOK } from '../../../src/sites/page-look.ts';
import { testLimits } from '../../support/test-limits.ts';

const KIB = 1024;
const FILE_BYTES = 16 * KIB;
const FILES = Array.from({ length: 12 }, (_, index) => ({
  ...{ path: `${index}.png`, sha256: index.toString(16).padStart(64, '0') },
  bytes: FILE_BYTES,
}));
const RENDERED = { hash: 'hash', bytes: 1, br: brotliCompressSync('x') };

/** A cache of one MiB in front of sites with these files, and the files that were read. */
function startCache() {
  const reads: string[] = [];
  const bucket = { isReachable: true };
  const cache = new PageCache(
    {
      ...{ canSend: () => true, render: () => Promise.reject(new Error('Every page is rendered.')) },
      read: async (slugs) =>
        new Map(
          slugs.map((slug) => [
            slug,
            {
              ...{ deploymentId: slug, version: 1, ownerId: 1, hasAltcha: false, hasFormTools: false, look: NO_LOOK },
              opening: undefined,
              expiresAt: null,
              isUnlisted: false,
              files: FILES,
              rendered: RENDERED,
            },
          ]),
        ),
      async makeFile(slug, _page, { path, bytes }) {
        reads.push(`${slug} ${path}`);
        if (!bucket.isReachable) throw new Error('The bucket is out of reach.');
        const content = { hash: path, bytes, type: 'image/png', isCompressed: false, hasRanges: true };
        return { path, ...toReadyBody(content, 'identity', randomBytes(bytes)) };
      },
    },
    { maxBytes: KIB * KIB, maxHtmlBytes: KIB, limits: testLimits() },
  );
  async function siteOf(slug: string): Promise<{ page: ReadyPage; site: Site }> {
    const page = await cache.get(slug);
    if (!page || isDown(page) || isMoved(page) || !page.site) throw new Error('There is no site.');
    return { page, site: page.site };
  }
  async function read(slug: string, index: number): Promise<ReadyFile> {
    const { page, site } = await siteOf(slug);
    const file = site.file(`${index}.png`);
    if (!file) throw new Error('There is no such file.');
    return cache.file(slug, page, site, file);
  }
  return { cache, bucket, reads, siteOf, read };
}

it('reads a file once, however many ask for it, until the page changes', async () => {
  const { cache, reads, read } = startCache();
  await Promise.all([read('site', 1), read('site', 1)]);
  await read('site', 1);
  expect(reads).toEqual(['site 1.png']);
  cache.invalidate('site');
  await read('site', 1);
  expect(reads.length).toBe(2);
});

it('reads a file again after it could not be read', async () => {
  const { bucket, read } = startCache();
  bucket.isReachable = false;
  await expect(read('site', 1)).rejects.toThrow('out of reach');
  bucket.isReachable = true;
  expect((await read('site', 1)).path).toBe('1.png');
});

it('keeps files of a site in an eighth of the memory, and not those that were asked for long ago', async () => {
  const { reads, siteOf, read } = startCache();
  // 7 files of 17 KiB fit into 128 KiB.
  for (const index of FILES.keys()) await read('site', index);
  reads.length = 0;
  for (const index of [11, 10, 9, 8, 7, 6, 5]) await read('site', index);
  expect(reads).toEqual([]);
  await read('site', 4);
  expect(reads).toEqual(['site 4.png']);
  const { site } = await siteOf('site');
  expect(site.bytes).toBeGreaterThan(7 * FILE_BYTES);
  expect(site.bytes).toBeLessThan((128 + 12) * KIB);
});

it('counts files with their page: many sites drop the one that was asked for first', async () => {
  const { reads, read } = startCache();
  const slugs = Array.from({ length: 12 }, (_, index) => `site-${index}`);
  for (const slug of slugs) for (let index = 0; index < 7; index += 1) await read(slug, index);
  reads.length = 0;
  // Each takes 126 KiB or more, so that eight fit into one MiB.
  await read('site-11', 0);
  expect(reads).toEqual([]);
  await read('site-3', 0);
  expect(reads).toEqual(['site-3 0.png']);
});
