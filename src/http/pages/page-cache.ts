import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, gunzip, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ComputePool } from '../../compute/pool.ts';
import { brotliOptions, type Encoding, type RenderedPage, renderPage } from '../../compute/render-page.ts';
import type { Page, PageHead, PageVersion } from '../../db/deployments.ts';
import { BusyError } from '../../fair-queue.ts';
import type { Sending } from '../sending.ts';

/** A page in one encoding, with its headers. */
export type Variant = {
  /** With its quotes; each encoding has its own. */
  etag: string;
  /**
   * Names and values alternate. The last value, the request's id, is set before each use: a new list would cost more.
   */
  okHeaders: string[];
  notModifiedHeaders: string[];
  body: Buffer;
};

export type ReadyPage = PageHead & {
  /** Of the page as it is without an encoding. */
  hash: string;
  isLarge: boolean;
  /** At least one is made; the others are made from it. Compressed, a few times as many pages fit into memory. */
  variants: Map<Encoding, Variant | Promise<Variant>>;
  /** Whether a client has asked for it without an encoding: then it is kept so, too. */
  isPlainWanted: boolean;
  /** The value of `invalidations` when the page was last known to be current. */
  confirmedAt: number;
};

/** What is live under a slug. */
export type Found = ReadyPage | 'taken-down' | undefined;

/** The same without the page's content. */
export type Head = PageHead | 'taken-down' | undefined;

/** How often the answer for a slug, a page or its absence, was in memory. */
export type PageLookups = { hits: number; misses: number };

export type PageCache = {
  lookups: Readonly<PageLookups>;
  /**
   * The page that is live under a slug; undefined when there is none. A large page that is not in memory is rendered,
   * and compressed in `encoding`. Throws when it can't be looked up, and BusyError when too much work for its owner is
   * in progress.
   */
  get(slug: string, encoding: Encoding): Found | Promise<Found>;
  /** The page that is live under a slug, without its content: a large page is not rendered for that. */
  head(slug: string): Head | Promise<Head>;
  /** The page in an encoding, which is made at its first use. */
  variant(slug: string, page: ReadyPage, encoding: Encoding): Variant | Promise<Variant>;
  /** The page under a slug has changed. */
  invalidate(slug: string): void;
  /** Changes may have been missed: every entry is checked in the database before it is served again. */
  invalidateAll(): void;
};

/**
 * A larger page is rendered, hashed and compressed in a thread, one of each owner at a time. For a smaller one the
 * transfer would take as long.
 */
export const LARGE_PAGE_BYTES = 64 * 1024;
/** How long a request for a large page waits for the thread. */
const MAX_WAIT_MS = 10_000;
const MAX_ABSENT = 10_000;
// Memory of an entry apart from its bodies.
const ENTRY_BYTES = 1_024;
/**
 * How long to wait until the database has confirmed a page in memory. Without an answer, all pages are served unchecked
 * for UNCHECKED_MS.
 */
const CHECK_MS = 300;
const UNCHECKED_MS = 1_000;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const unbrotli = promisify(brotliDecompress);
const gunzipped = promisify(gunzip);

function createVariant(hash: string, encoding: Encoding, body: Buffer): Variant {
  const isPlain = encoding === 'identity';
  const etag = isPlain ? `"${hash}"` : `"${hash}-${encoding}"`;
  const headers = [
    ...['ETag', etag, 'Vary', 'Accept-Encoding', 'Cache-Control', 'public, max-age=0, must-revalidate'],
    ...['X-Content-Type-Options', 'nosniff', 'Origin-Agent-Cluster', '?1'],
  ];
  const bodyHeaders = [
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)],
    ...(isPlain ? [] : ['Content-Encoding', encoding]),
  ];
  const requestId = ['x-request-id', ''];
  return {
    etag,
    okHeaders: [...headers, ...bodyHeaders, ...requestId],
    notModifiedHeaders: [...headers, ...requestId],
    body,
  };
}

/** Compresses on libuv's threads. */
function encode(body: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  return encoding === 'gzip' ? gzipped(body) : brotli(body, brotliOptions(body));
}

function decode(body: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  return encoding === 'gzip' ? gunzipped(body) : unbrotli(body);
}

/** The same bytes, not copied. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function readyPage(
  { deploymentId, version, ownerId }: PageHead,
  { body, hash, compressed }: RenderedPage,
  encoding: Encoding,
  confirmedAt: number,
): ReadyPage {
  const variant = createVariant(hash, encoding, toBuffer(compressed ?? body));
  return {
    ...{ deploymentId, version, ownerId, hash, confirmedAt },
    isLarge: body.length > LARGE_PAGE_BYTES,
    variants: new Map([[encoding, variant]]),
    isPlainWanted: false,
  };
}

/** What the others can be made from: the plain one if it is there. */
function sourceOf({ variants }: ReadyPage): { encoding: Encoding; variant: Variant } {
  for (const encoding of ['identity', 'br', 'gzip'] as const) {
    const variant = variants.get(encoding);
    if (variant && !(variant instanceof Promise)) return { encoding, variant };
  }
  throw new Error('A page in memory has no variant.');
}

export function createPageCache({
  find,
  findSmall,
  findVersion,
  maxBytes,
  actionOf,
  compute,
  sending,
  isInvalidationLive,
}: {
  find(slug: string): Promise<Page | 'taken-down' | undefined>;
  /** What `find` does, without HTML that is larger than LARGE_PAGE_BYTES. */
  findSmall(slug: string): Promise<Page | PageHead | 'taken-down' | undefined>;
  findVersion(slug: string): Promise<PageVersion | undefined>;
  /** Of pages in memory. */
  maxBytes: number;
  /** The address that the forms of a page post to. */
  actionOf(page: PageHead): string;
  compute: Pick<ComputePool, 'run'>;
  sending: Pick<Sending, 'share' | 'fits'>;
  /** Whether this process has received every change up to now; otherwise the database is asked for each hit. */
  isInvalidationLive(): boolean;
}): PageCache {
  const size = ({ variants }: ReadyPage): number => {
    let bytes = ENTRY_BYTES;
    for (const variant of variants.values()) bytes += variant instanceof Promise ? 0 : variant.body.length;
    return bytes;
  };
  const pages = new LRUCache<string, ReadyPage>({ maxSize: maxBytes, sizeCalculation: size });
  const absent = new LRUCache<string, 'no-page' | 'taken-down'>({ max: MAX_ABSENT });
  // Look-ups in progress. If one is no longer in the map when it ends, the page has changed since: its result is not
  // kept.
  const fills = new Map<string, Promise<Found>>();
  const lookups: PageLookups = { hits: 0, misses: 0 };
  /** How often invalidateAll() was called. */
  let invalidations = 0;
  let uncheckedUntil = Number.NEGATIVE_INFINITY;

  function keep(slug: string, page: Found): void {
    // Setting an existing entry would not measure it again.
    pages.delete(slug);
    absent.delete(slug);
    if (page && page !== 'taken-down') pages.set(slug, page);
    else absent.set(slug, page ?? 'no-page');
  }

  /** Runs one `lookUp` for a slug at a time; later requests share its result. */
  function fill(slug: string, lookUp: () => Promise<Found>): Promise<Found> {
    const underWay = fills.get(slug);
    if (underWay) return underWay;
    const filling = lookUp()
      .then((page) => {
        if (fills.get(slug) === filling) keep(slug, page);
        return page;
      })
      .finally(() => {
        if (fills.get(slug) === filling) fills.delete(slug);
      });
    fills.set(slug, filling);
    return filling;
  }

  const load = async (slug: string, encoding: Encoding): Promise<Found> => {
    const confirmedAt = invalidations;
    const page = await findSmall(slug);
    if (!page || page === 'taken-down') return page;
    if (!('html' in page)) return loadLarge(slug, page.ownerId, encoding);
    const plain = renderPage({ html: page.html, action: actionOf(page), encoding: 'identity' });
    return readyPage(page, plain, 'identity', confirmedAt);
  };

  /** Reads the HTML once the thread is free for the owner: waiting requests take no memory. */
  const loadLarge = (slug: string, ownerId: number, encoding: Encoding): Promise<Found> =>
    compute.run(ownerId, MAX_WAIT_MS, async (thread) => {
      if (!sending.fits(ownerId)) throw new BusyError();
      const confirmedAt = invalidations;
      const page = await find(slug);
      if (!page || page === 'taken-down') return page;
      const rendered = await thread.renderPage({ html: page.html, action: actionOf(page), encoding });
      return readyPage(page, rendered, encoding, confirmedAt);
    });

  /** A page in another encoding than those that are made. */
  async function recode(page: ReadyPage, to: Encoding): Promise<Buffer> {
    const { encoding, variant } = sourceOf(page);
    const work = async (): Promise<Buffer> => encode(await decode(variant.body, encoding), to);
    if (!page.isLarge) return work();
    const release = sending.share(page.ownerId, variant.body);
    try {
      // One page of each owner at a time.
      return await compute.run(page.ownerId, MAX_WAIT_MS, work);
    } finally {
      release();
    }
  }

  /**
   * For when changes may have been missed: the page in memory if the database confirms it or doesn't answer, else the
   * stored one.
   */
  const confirm = async (slug: string, encoding: Encoding): Promise<Found> => {
    const kept = pages.get(slug);
    if (!kept) return load(slug, encoding);
    if (performance.now() < uncheckedUntil) return kept;
    const confirmedAt = invalidations;
    try {
      const timeout = delay(CHECK_MS, 'no answer' as const, { ref: false });
      const live = await Promise.race([findVersion(slug), timeout]);
      if (live === 'no answer') {
        uncheckedUntil = performance.now() + UNCHECKED_MS;
        return kept;
      }
      if (live?.deploymentId === kept.deploymentId && live.version === kept.version) {
        kept.confirmedAt = confirmedAt;
        return kept;
      }
    } catch {
      return kept;
    }
    return load(slug, encoding);
  };

  function invalidate(slug: string): void {
    pages.delete(slug);
    absent.delete(slug);
    fills.delete(slug);
  }

  return {
    lookups,
    get(slug, encoding) {
      const page = pages.get(slug);
      const absence = page ? undefined : absent.get(slug);
      if (isInvalidationLive() && (page ? page.confirmedAt === invalidations : absence)) {
        lookups.hits += 1;
        return absence === 'taken-down' ? absence : page;
      }
      lookups.misses += 1;
      if (!isInvalidationLive() || page) return fill(slug, () => confirm(slug, encoding));
      return fill(slug, () => load(slug, encoding));
    },
    head(slug) {
      // A page in memory is checked like any hit, and not rendered again unless it has changed.
      return pages.has(slug) || absent.has(slug) ? this.get(slug, 'identity') : findSmall(slug);
    },
    variant(slug, page, encoding) {
      const { variants } = page;
      if (encoding === 'identity') page.isPlainWanted = true;
      const made = variants.get(encoding);
      if (made) return made;
      const making = recode(page, encoding).then((body) => {
        const variant = createVariant(page.hash, encoding, body);
        variants.set(encoding, variant);
        if (!page.isPlainWanted) variants.delete('identity');
        // Measures the entry again, unless it has been replaced or dropped meanwhile.
        if (pages.peek(slug) === page) keep(slug, page);
        return variant;
      });
      variants.set(encoding, making);
      making.catch(() => variants.delete(encoding));
      return making;
    },
    invalidate,
    invalidateAll() {
      invalidations += 1;
      uncheckedUntil = Number.NEGATIVE_INFINITY;
      absent.clear();
      fills.clear();
    },
  };
}
