import { promisify } from 'node:util';
import { brotliDecompress, brotliDecompressSync, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../db/batcher.ts';
import type { Page, PageHead, StoredPage } from '../../db/deployments/deployments.ts';
import type { Rendering } from '../../db/deployments/page-versions.ts';
import { BusyError, FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import type { Encoding } from '../response/accept.ts';

/** Memory of a page in an encoding, apart from its body. */
const ENTRY_BYTES = 1_024;

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

/** A page in memory: compressed with brotli, and in the other encodings that clients have asked for. */
export type ReadyPage = PageHead & {
  /** Of the page without an encoding; `bytes` is the length of that. */
  hash: string;
  bytes: number;
  br: Variant;
  others: Map<Encoding, Variant>;
  /** Whether it may have changed: then it is used only where it can't be read again. */
  isStale: boolean;
};

/** The page that is live under a slug. */
export type Found = ReadyPage | 'taken-down' | undefined;

/** The pages of several slugs as they are stored. A body of more than `maxBytes` is left out. */
type ReadPages = (
  slugs: readonly string[],
  maxBytes: number,
) => Promise<ReadonlyMap<string, StoredPage | 'taken-down'>>;

const { largeBytes } = SIZES.internalPages;

const compressGzip = promisify(gzip);
const decompressBrotli = promisify(brotliDecompress);

/** A copy: a part of a shared piece of memory would keep all of that. */
const withOwnMemory = (body: Buffer): Buffer => Buffer.from(new Uint8Array(body).buffer);

function createVariant(hash: string, encoding: Encoding, body: Buffer): Variant {
  const etag = encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`;
  const headers = [
    ...['ETag', etag, 'Vary', 'Accept-Encoding', 'Cache-Control', 'public, max-age=0, must-revalidate'],
    ...['X-Content-Type-Options', 'nosniff', 'Origin-Agent-Cluster', '?1'],
  ];
  const bodyHeaders = [
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)],
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

/** The memory of a page, in bytes. */
const sizeOf = ({ br, others }: ReadyPage): number =>
  [br, ...others.values()].reduce((sum, { body }) => sum + ENTRY_BYTES + body.length, 0);

const toReadyPage = (
  { deploymentId, version, ownerId, files }: PageHead,
  { hash, bytes, br }: Rendering,
): ReadyPage => ({
  ...{ deploymentId, version, ownerId, files, hash, bytes },
  br: createVariant(hash, 'br', withOwnMemory(br)),
  others: new Map(),
  isStale: false,
});

/** The pages that visitors have asked for last, in memory until they change. */
export class PageCache {
  /** How often the page for a slug was in memory. */
  readonly lookups = { hits: 0, misses: 0 };
  readonly #read: ReadPages;
  readonly #render: (slug: string, page: Page) => Promise<Rendering>;
  readonly #canSend: (ownerId: number) => boolean;
  readonly #limits: Limits['pages'];
  readonly #pages: LRUCache<string, ReadyPage>;
  readonly #small: Batcher<string, StoredPage | 'taken-down' | undefined>;
  /** Work on large pages: bounds the memory that they take before they are kept. */
  readonly #large: FairQueue<number>;
  /** Reads under way. One that is no longer here when it ends was overtaken by a change: its page is not kept. */
  readonly #reads = new Map<string, Promise<Found>>();

  /**
   * `render` makes a page ready that is not stored so. `canSend`: whether memory is left for another answer with a large
   * page of this owner. `maxBytes`: of all pages in memory.
   */
  constructor(
    {
      read,
      render,
      canSend,
    }: { read: ReadPages; render(slug: string, page: Page): Promise<Rendering>; canSend(ownerId: number): boolean },
    { maxBytes, limits: { pages } }: { maxBytes: number; limits: Limits },
  ) {
    this.#read = read;
    this.#render = render;
    this.#canSend = canSend;
    this.#limits = pages;
    this.#pages = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf });
    this.#small = new Batcher(
      async (slugs) => {
        const found = await read([...new Set(slugs)], largeBytes);
        return slugs.map((slug) => found.get(slug));
      },
      // 4 MiB of HTML at most.
      { maxBatch: 64 },
    );
    // Large pages are read, or made ready in another encoding, one at a time of each owner.
    this.#large = new FairQueue({ slots: 2, maxWaiting: 500 });
  }

  /**
   * The page that is live under a slug; undefined when there is none. Without a promise when it is in memory. Rejects when
   * it can't be read, and with BusyError when too many large pages are being made ready.
   */
  get(slug: string): Found | Promise<Found> {
    const page = this.#pages.get(slug);
    if (page && !page.isStale) {
      this.lookups.hits += 1;
      return page;
    }
    this.lookups.misses += 1;
    const reading = this.#reads.get(slug) ?? this.#startRead(slug);
    return page ? reading.catch(() => page) : reading;
  }

  /** A page in an encoding, which is made at its first use. */
  variant(slug: string, page: ReadyPage, encoding: Encoding): Variant | Promise<Variant> {
    return encoding === 'br' ? page.br : (page.others.get(encoding) ?? this.#encode(slug, page, encoding));
  }

  /** This process has changed the page under a slug. */
  invalidate(slug: string): void {
    this.#pages.delete(slug);
    this.#reads.delete(slug);
  }

  /** The page under a slug may have changed. It is read again at its next use. */
  refresh(slug: string): void {
    this.#reads.delete(slug);
    const page = this.#pages.peek(slug);
    if (page) page.isStale = true;
  }

  /** Changes may have been missed. */
  invalidateAll(): void {
    this.#pages.clear();
    this.#reads.clear();
  }

  #startRead(slug: string): Promise<Found> {
    const reading = this.#readPage(slug)
      .then((page) => {
        if (this.#reads.get(slug) !== reading) return page;
        if (page && page !== 'taken-down') this.#pages.set(slug, page);
        else this.#pages.delete(slug);
        return page;
      })
      .finally(() => {
        if (this.#reads.get(slug) === reading) this.#reads.delete(slug);
      });
    this.#reads.set(slug, reading);
    return reading;
  }

  async #readPage(slug: string): Promise<Found> {
    const page = await this.#small.add(slug);
    const isLarge = page && page !== 'taken-down' && !('rendered' in page) && !('html' in page);
    if (!isLarge) return this.#makeReady(slug, page);
    return this.#inTurn(page.ownerId, async () =>
      this.#makeReady(slug, (await this.#read([slug], Number.POSITIVE_INFINITY)).get(slug)),
    );
  }

  async #makeReady(slug: string, page: StoredPage | 'taken-down' | undefined): Promise<Found> {
    if (!page || page === 'taken-down') return page;
    if ('rendered' in page) return toReadyPage(page, page.rendered);
    if ('html' in page) return toReadyPage(page, await this.#render(slug, page));
    throw new Error('A page was read without its body.');
  }

  /** Waits for a turn of the owner: waiting requests take no memory. */
  #inTurn<T>(ownerId: number, work: () => Promise<T>): Promise<T> {
    return this.#large.run(ownerId, this.#limits.threadWaitTimeoutMs, async () => {
      if (!this.#canSend(ownerId)) throw new BusyError();
      return work();
    });
  }

  async #encode(slug: string, page: ReadyPage, encoding: Encoding): Promise<Variant> {
    const isLarge = page.bytes > largeBytes;
    const encode = async (): Promise<Variant> => {
      // Another request may have made it while this one waited.
      const made = page.others.get(encoding);
      if (made) return made;
      // The transfer to a thread costs more than the decompression of a small page.
      const plain = isLarge ? await decompressBrotli(page.br.body) : brotliDecompressSync(page.br.body);
      const body = encoding === 'gzip' ? await compressGzip(plain) : plain;
      return createVariant(page.hash, encoding, withOwnMemory(body));
    };
    const variant = await (isLarge ? this.#inTurn(page.ownerId, encode) : encode());
    page.others.set(encoding, variant);
    // Measures the page again, unless it has been replaced or dropped meanwhile. Setting it again alone would not.
    if (this.#pages.peek(slug) === page) {
      this.#pages.delete(slug);
      this.#pages.set(slug, page);
    }
    return variant;
  }
}
