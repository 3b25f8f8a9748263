import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createBoundedCache } from '../../bounded-cache.ts';
import type { ComputePool } from '../../compute/pool.ts';
import { type Encoding, type RenderedPage, renderPage } from '../../compute/render-page.ts';
import type { Page, PageHead, PageVersion, SmallPage } from '../../db/deployments.ts';
import type { Rendering } from '../../db/page-versions.ts';
import { BusyError } from '../../fair-queue.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { decode, decodeSmall, encode, toBuffer, withOwnMemory } from '../page-encoding.ts';
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
  /** The length of that. */
  bytes: number;
  /**
   * At least one is made; the others are made from it. Of a small page, none is without an encoding: compressed, a few
   * times as many fit into memory.
   */
  variants: Map<Encoding, Variant | Promise<Variant>>;
  /** Whether a client has asked for a large page without an encoding: then it is kept so, too. */
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
  /**
   * The page in an encoding, which is made at its first use. Where its body is not wanted, it may be missing: the headers
   * are the same.
   */
  variant(slug: string, page: ReadyPage, encoding: Encoding, isBodyWanted: boolean): Variant | Promise<Variant>;
  /** The page under a slug has changed. */
  invalidate(slug: string): void;
  /** Changes may have been missed: every entry is checked in the database before it is served again. */
  invalidateAll(): void;
};

const { largeBytes, entryBytes } = SIZES.internalPages;
const NO_BODY = Buffer.alloc(0);

/** The tag of a page in an encoding. */
export function etagOf({ hash }: Pick<ReadyPage, 'hash'>, encoding: Encoding): string {
  return encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`;
}

function createVariant(hash: string, encoding: Encoding, body: Buffer, bytes = body.length): Variant {
  const etag = etagOf({ hash }, encoding);
  const headers = [
    ...['ETag', etag, 'Vary', 'Accept-Encoding', 'Cache-Control', 'public, max-age=0, must-revalidate'],
    ...['X-Content-Type-Options', 'nosniff', 'Origin-Agent-Cluster', '?1'],
  ];
  const bodyHeaders = [
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(bytes)],
    ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
  ];
  const requestId = ['x-request-id', ''];
  return {
    etag,
    okHeaders: [...headers, ...bodyHeaders, ...requestId],
    notModifiedHeaders: [...headers, ...requestId],
    body,
  };
}

const isLarge = ({ bytes }: ReadyPage): boolean => bytes > largeBytes;

const readySmall = (
  { deploymentId, version, ownerId }: PageHead,
  { hash, bytes, br }: Rendering,
  confirmedAt: number,
): ReadyPage => ({
  ...{ deploymentId, version, ownerId, hash, bytes, confirmedAt },
  variants: new Map([['br', createVariant(hash, 'br', withOwnMemory(br))]]),
  isPlainWanted: false,
});

const readyLarge = (
  { deploymentId, version, ownerId }: PageHead,
  { body, hash, compressed }: RenderedPage,
  encoding: Encoding,
  confirmedAt: number,
): ReadyPage => ({
  ...{ deploymentId, version, ownerId, hash, bytes: body.length, confirmedAt },
  variants: new Map([[encoding, createVariant(hash, encoding, toBuffer(compressed ?? body))]]),
  isPlainWanted: false,
});

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
  limits: { pages: limits },
}: {
  find(slug: string): Promise<Page | 'taken-down' | undefined>;
  /** What `find` does, rendered if it was when it was stored, without HTML that is larger than `largeBytes`. */
  findSmall(slug: string): Promise<SmallPage | PageHead | 'taken-down' | undefined>;
  findVersion(slug: string): Promise<PageVersion | undefined>;
  /** Of pages in memory. */
  maxBytes: number;
  /** The address that the forms of a page post to. */
  actionOf(page: PageHead): string;
  compute: Pick<ComputePool, 'run'>;
  sending: Pick<Sending, 'share' | 'fits'>;
  /** Whether this process has received every change up to now; otherwise the database is asked for each hit. */
  isInvalidationLive(): boolean;
  limits: Limits;
}): PageCache {
  const size = ({ variants }: ReadyPage): number => {
    let bytes = 0;
    for (const variant of variants.values())
      bytes += entryBytes + (variant instanceof Promise ? 0 : variant.body.length);
    return bytes;
  };
  const plains = new LRUCache<ReadyPage, Variant>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }) => entryBytes + body.length,
  });
  const pages = new LRUCache<string, ReadyPage>({
    maxSize: maxBytes * (1 - limits.plainShare),
    sizeCalculation: size,
    dispose: (page, _slug, reason) => void (reason === 'evict' && plains.delete(page)),
  });
  let plainsMade = 0;
  const absent = createBoundedCache<string, 'no-page' | 'taken-down'>(limits.rememberedAbsent);
  // Look-ups in progress. If one is no longer in the map when it ends, the page has changed since: its result is not
  // kept.
  const fills = new Map<string, Promise<Found>>();
  const lookups: PageLookups = { hits: 0, misses: 0 };
  /** How often invalidateAll() was called. */
  let invalidations = 0;
  let uncheckedUntil = Number.NEGATIVE_INFINITY;

  const trimPlains = (): void => {
    while (pages.calculatedSize + plains.calculatedSize > maxBytes) plains.pop();
  };

  function forget(slug: string): void {
    const page = pages.peek(slug);
    if (page) plains.delete(page);
    pages.delete(slug);
    absent.delete(slug);
  }

  function keep(slug: string, page: Found): void {
    // Setting an existing entry would not measure it again.
    if (page && pages.peek(slug) === page) pages.delete(slug);
    else forget(slug);
    if (page && page !== 'taken-down') pages.set(slug, page);
    else absent.set(slug, page ?? 'no-page');
    trimPlains();
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
    if ('rendered' in page) return readySmall(page, page.rendered, confirmedAt);
    if (!('html' in page)) return loadLarge(slug, page.ownerId, encoding);
    const plain = renderPage({ html: page.html, action: actionOf(page), encoding: 'identity' });
    // Full of placeholders.
    if (plain.body.length > largeBytes) return readyLarge(page, plain, 'identity', confirmedAt);
    const { hash, body } = plain;
    return readySmall(page, { hash, bytes: body.length, br: await encode(body, 'br') }, confirmedAt);
  };

  /** Reads the HTML once the thread is free for the owner: waiting requests take no memory. */
  const loadLarge = (slug: string, ownerId: number, encoding: Encoding): Promise<Found> =>
    compute.run(ownerId, limits.threadWaitTimeoutMs, async (thread) => {
      if (!sending.fits(ownerId)) throw new BusyError();
      const confirmedAt = invalidations;
      const page = await find(slug);
      if (!page || page === 'taken-down') return page;
      const rendered = await thread.renderPage({ html: page.html, action: actionOf(page), encoding });
      return readyLarge(page, rendered, encoding, confirmedAt);
    });

  /** A small page without an encoding: made anew in less time than a look-up takes, unless it is asked for often. */
  function plainOf(slug: string, page: ReadyPage, isBodyWanted: boolean): Variant {
    const kept = plains.get(page);
    if (kept) return kept;
    if (!isBodyWanted) return createVariant(page.hash, 'identity', NO_BODY, page.bytes);
    const body = decodeSmall(sourceOf(page).variant.body, page.bytes);
    plainsMade += 1;
    if (plainsMade % limits.plainsMadePerKept !== 0 || pages.peek(slug) !== page) {
      return createVariant(page.hash, 'identity', body);
    }
    const plain = createVariant(page.hash, 'identity', withOwnMemory(body));
    plains.set(page, plain);
    trimPlains();
    return plain;
  }

  /** A page in another encoding than those that are made. */
  async function recode(page: ReadyPage, to: Encoding): Promise<Buffer> {
    const { encoding, variant } = sourceOf(page);
    const work = async (): Promise<Buffer> => withOwnMemory(await encode(await decode(variant.body, encoding), to));
    if (!isLarge(page)) return work();
    const release = sending.share(page.ownerId, variant.body);
    try {
      // One page of each owner at a time.
      return await compute.run(page.ownerId, limits.threadWaitTimeoutMs, work);
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
      const timeout = delay(limits.confirmationTimeoutMs, 'no answer' as const, { ref: false });
      const live = await Promise.race([findVersion(slug), timeout]);
      if (live === 'no answer') {
        uncheckedUntil = performance.now() + limits.uncheckedMs;
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
    forget(slug);
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
    variant(slug, page, encoding, isBodyWanted) {
      const { variants } = page;
      if (encoding === 'identity') {
        if (!isLarge(page)) return plainOf(slug, page, isBodyWanted);
        page.isPlainWanted = true;
      }
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
