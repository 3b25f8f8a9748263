import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Page } from '../db/deployments.ts';

export type Encoding = 'br' | 'gzip' | 'identity';

/** A page in one encoding, ready to be sent. */
export type Variant = {
  /** With its quotes; each encoding has its own. */
  etag: string;
  /** Names and values in turn; the last value, the request's id, is set before each use: a list made anew costs more. */
  okHeaders: string[];
  notModifiedHeaders: string[];
  body: Buffer;
};

export type ReadyPage = {
  deploymentId: string;
  version: number;
  variants: Map<Encoding, Variant | Promise<Variant>>;
  plain: Variant;
  /** How many times changes may have been missed before it was found to be current. */
  confirmedAfter: number;
};

/** What there is under a slug. */
export type Found = ReadyPage | 'taken-down' | undefined;

/** How often a page, or that there is none, was in memory. */
export type PageLookups = { hits: number; misses: number };

export type PageCache = {
  lookups: Readonly<PageLookups>;
  /** The page that is live under a slug; undefined when there is none. Throws when there is no telling. */
  get(slug: string): Found | Promise<Found>;
  /** The page in an encoding, made at its first use. */
  variant(slug: string, page: ReadyPage, encoding: Encoding): Variant | Promise<Variant>;
  /** What is live under a slug has changed. */
  forget(slug: string): void;
  /** Changes may have been missed: what is kept has to be confirmed before it is served again. */
  doubtAll(): void;
};

const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ABSENT = 10_000;
// What an entry costs beside its bodies.
const ENTRY_BYTES = 1_024;
// A page that is kept waits so long for the database to say whether it is current; after one silence none asks for so long.
const ASK_MS = 300;
const TRUST_MS = 1_000;

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('base64url').slice(0, 27);

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

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

/** Compresses on libuv's threads. Brotli at 5: its best (11) takes a hundred times as long to save a tenth more. */
function encode(body: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(body);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return brotli(body, { params });
}

export function createPageCache({
  find,
  findVersion,
  render,
  current,
}: {
  find(slug: string): Promise<Page | 'taken-down' | undefined>;
  findVersion(slug: string): Promise<Omit<Page, 'html'> | undefined>;
  /** The bytes to serve for a stored page. */
  render(page: Page): Buffer;
  /** Whether every change up to now has been heard of; while not, each hit asks the database. */
  current(): boolean;
}): PageCache {
  const size = ({ plain, variants }: ReadyPage): number => {
    let bytes = ENTRY_BYTES + plain.body.length;
    for (const variant of variants.values()) bytes += variant instanceof Promise ? 0 : variant.body.length;
    return bytes;
  };
  const pages = new LRUCache<string, ReadyPage>({ maxSize: MAX_BYTES, sizeCalculation: size });
  const absent = new LRUCache<string, 'no-page' | 'taken-down'>({ max: MAX_ABSENT });
  // Look-ups under way. One that is no longer in here when it ends has been overtaken by a change: it is not kept.
  const fills = new Map<string, Promise<Found>>();
  const lookups: PageLookups = { hits: 0, misses: 0 };
  let doubts = 0;
  let trustedUntil = Number.NEGATIVE_INFINITY;

  function ready(page: Page, confirmedAfter: number): ReadyPage {
    const body = render(page);
    const { deploymentId, version } = page;
    return {
      deploymentId,
      version,
      variants: new Map(),
      plain: createVariant(hashOf(body), 'identity', body),
      confirmedAfter,
    };
  }

  function keep(slug: string, page: Found): void {
    // Setting what is there already would not weigh it again.
    pages.delete(slug);
    absent.delete(slug);
    if (page && page !== 'taken-down') pages.set(slug, page);
    else absent.set(slug, page ?? 'no-page');
  }

  /** Runs `look` for a slug; whoever asks meanwhile waits for the same answer. */
  function fill(slug: string, look: () => Promise<Found>): Promise<Found> {
    const underWay = fills.get(slug);
    if (underWay) return underWay;
    const filling = look()
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

  const load = async (slug: string): Promise<Found> => {
    const confirmedAfter = doubts;
    const page = await find(slug);
    return page && page !== 'taken-down' ? ready(page, confirmedAfter) : page;
  };

  /** For when changes can't be heard of: what is kept if the database says so or says nothing, else what it has now. */
  const confirm = async (slug: string): Promise<Found> => {
    const kept = pages.get(slug);
    if (!kept) return load(slug);
    if (performance.now() < trustedUntil) return kept;
    const confirmedAfter = doubts;
    try {
      const silence = delay(ASK_MS, 'silence' as const, { ref: false });
      const live = await Promise.race([findVersion(slug), silence]);
      if (live === 'silence') {
        trustedUntil = performance.now() + TRUST_MS;
        return kept;
      }
      if (live?.deploymentId === kept.deploymentId && live.version === kept.version) {
        kept.confirmedAfter = confirmedAfter;
        return kept;
      }
    } catch {
      return kept;
    }
    return load(slug);
  };

  function forget(slug: string): void {
    pages.delete(slug);
    absent.delete(slug);
    fills.delete(slug);
  }

  return {
    lookups,
    get(slug) {
      const page = pages.get(slug);
      const absence = page ? undefined : absent.get(slug);
      if (current() && (page ? page.confirmedAfter === doubts : absence)) {
        lookups.hits += 1;
        return absence === 'taken-down' ? absence : page;
      }
      lookups.misses += 1;
      if (!current() || page) return fill(slug, () => confirm(slug));
      return fill(slug, () => load(slug));
    },
    variant(slug, page, encoding) {
      const { plain, variants } = page;
      if (encoding === 'identity') return plain;
      const made = variants.get(encoding);
      if (made) return made;
      const making = encode(plain.body, encoding).then((body) => {
        const variant = createVariant(hashOf(plain.body), encoding, body);
        variants.set(encoding, variant);
        // Weighs the entry again, unless it has been replaced or dropped meanwhile.
        if (pages.peek(slug) === page) keep(slug, page);
        return variant;
      });
      variants.set(encoding, making);
      making.catch(() => variants.delete(encoding));
      return making;
    },
    forget,
    doubtAll() {
      doubts += 1;
      trustedUntil = Number.NEGATIVE_INFINITY;
      absent.clear();
      fills.clear();
    },
  };
}
