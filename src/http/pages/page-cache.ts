import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { Batcher } from '../../db/batcher.ts';
import type { Page, PageHead, StoredPage } from '../../db/deployments/deployment-queries.ts';
import type { Rendering } from '../../db/deployments/page-version-queries.ts';
import type { SiteFile } from '../../db/deployments/site-file-queries.ts';
import { isOutOfReach } from '../../db/postgres/out-of-reach.ts';
import { BusyError, FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { isPreviewLabel } from '../../sites/preview-hosts.ts';
import { SIZES } from '../../sizes.ts';
import type { Encoding } from '../response/accept.ts';
import { createVariant, ownMemory, type ReadyBody, sizeOfVariant, toReadyHtml, type Variant } from './ready-body.ts';
import { type ReadyFile, Site } from './site.ts';
import { decompressSmall } from './small-decompression.ts';
import { SteadyCache } from './steady-cache.ts';

/** A page in memory. */
export type ReadyPage = Omit<PageHead, 'files'> &
  ReadyBody & {
    /** Its files besides index.html; undefined: it is a single page. */
    site: Site | undefined;
    /** True if the page may have changed. Then it is used only where it can't be read again. */
    isStale: boolean;
  };

/** The page of a slug has another one now. */
export type Moved = { movedTo: string };

/** Why the page of a live deployment is not shown: the operator has taken it down, or has suspended its owner. */
export type Down = 'taken-down' | 'suspended';
export const isDown = (page: unknown): page is Down => typeof page === 'string';

/** The page that is live under a slug. */
export type Found = ReadyPage | Moved | Down | undefined;

export const isMoved = (found: object | string | undefined): found is Moved =>
  typeof found === 'object' && 'movedTo' in found;

/** The pages of several slugs as they are stored. A body of more than `maxBytes` is left out. */
type ReadPages = (
  slugs: readonly string[],
  maxBytes: number,
) => Promise<ReadonlyMap<string, StoredPage | Moved | Down>>;

type PageSources = {
  read: ReadPages;
  render(slug: string, page: Page): Promise<Rendering>;
  makeFile(slug: string, page: ReadyPage, file: SiteFile): Promise<ReadyFile>;
  canSend(bytes: number): boolean;
};

/** The files of one site use at most one part in so many of the memory for all pages. */
const SITE_SHARE = 8;
/** Pages in other encodings than the stored one use at most one part in so many: to make those takes less time than to read a page. */
const ENCODINGS_SHARE = 4;

const { largeBytes } = SIZES.internalPages;

/** Pages in one read: while one is under way, the next ones gather, and those of the read before are answered. */
const MAX_READ = 32;

const compressGzip = promisify(gzip);
const decompressBrotli = promisify(brotliDecompress);

async function encodeLarge(br: Buffer, encoding: Encoding): Promise<Buffer> {
  const plain = await decompressBrotli(br);
  return encoding === 'gzip' ? compressGzip(plain) : plain;
}

/** A page or a file, and the encoding that it is to have. */
type Encoded = { slug: string; page: ReadyPage; body: ReadyPage | ReadyFile; encoding: Encoding };

/** The memory of a page as it is stored, with its files, in bytes. */
function sizeOf({ variants, site }: ReadyPage): number {
  const [stored] = variants.values();
  return (stored ? sizeOfVariant(stored) : 0) + (site?.bytes ?? 0);
}

/** The pages that visitors have asked for last, in memory until they change. */
export class PageCache {
  /** The number of times that the page for a slug was in memory. */
  readonly lookups = { hits: 0, misses: 0 };
  readonly #read: ReadPages;
  readonly #render: PageSources['render'];
  readonly #makeFile: PageSources['makeFile'];
  readonly #canSend: PageSources['canSend'];
  readonly #limits: Limits['pages'];
  readonly #maxHtmlBytes: number;
  readonly #siteBytes: number;
  readonly #pages: SteadyCache<string, ReadyPage>;
  /** The pages in other encodings, which are among the variants of each. */
  readonly #encodings: SteadyCache<Variant, { page: ReadyPage; encoding: Encoding }>;
  readonly #small: Batcher<string, StoredPage | Moved | Down | undefined>;
  /** Work on large pages: bounds the memory that they take before they are kept. */
  readonly #large: FairQueue<number>;
  /** Reads under way. One that is no longer here when it ends was overtaken by a change: its page is not kept. */
  readonly #reads = new Map<string, Promise<Found>>();

  /**
   * `render` makes a page ready that is not stored so, `makeFile` a file. `canSend`: whether memory is left for another answer
   * with so many bytes: a page as it is rendered can be longer than it was sent. `maxBytes`: of all pages in memory, with their
   * files. `maxHtmlBytes`: of a page.
   */
  constructor(
    { read, render, makeFile, canSend }: PageSources,
    { maxBytes, maxHtmlBytes, limits: { pages } }: { maxBytes: number; maxHtmlBytes: number; limits: Limits },
  ) {
    this.#maxHtmlBytes = maxHtmlBytes;
    this.#read = read;
    this.#render = render;
    this.#makeFile = makeFile;
    this.#canSend = canSend;
    this.#limits = pages;
    this.#siteBytes = maxBytes / SITE_SHARE;
    const encodingsBytes = Math.floor(maxBytes / ENCODINGS_SHARE);
    this.#pages = new SteadyCache({
      maxBytes: maxBytes - encodingsBytes,
      sizeOf,
      onDrop: (page) => this.#dropEncodings(page),
    });
    this.#encodings = new SteadyCache({
      maxBytes: encodingsBytes,
      sizeOf: (_page, variant) => sizeOfVariant(variant),
      onDrop: ({ page: { variants }, encoding }) => void variants.delete(encoding),
    });
    this.#small = new Batcher(
      async (slugs) => {
        const found = await read([...new Set(slugs)], largeBytes);
        return slugs.map((slug) => found.get(slug));
      },
      // 2 MiB of HTML at most.
      { maxBatch: MAX_READ },
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
    if (!page) return reading;
    return reading.catch((error: unknown) => {
      if (isOutOfReach(error)) return page;
      throw error;
    });
  }

  /** The page under a slug, if it is in memory. */
  inMemory(slug: string): ReadyPage | undefined {
    return this.#pages.peek(slug);
  }

  /** A file of a site, which is read at its first use. Without a promise when it is in memory. */
  file(slug: string, page: ReadyPage, site: Site, file: SiteFile): ReadyFile | Promise<ReadyFile> {
    return site.kept(file.path) ?? site.underWay.get(file.path) ?? this.#readFile(slug, page, site, file);
  }

  /** A page, or a file of it, in an encoding, which is made at its first use. */
  variant(slug: string, page: ReadyPage, body: ReadyPage | ReadyFile, encoding: Encoding): Variant | Promise<Variant> {
    const made = body.variants.get(encoding);
    if (!made) return this.#encode(slug, page, body, encoding);
    // It is the last to be dropped now.
    if (encoding !== 'br' && body === page) this.#encodings.get(made);
    return made;
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

  /** Changes may have been missed: any page may have changed. */
  refreshAll(): void {
    this.#reads.clear();
    for (const page of this.#pages.values()) page.isStale = true;
  }

  #startRead(slug: string): Promise<Found> {
    const reading = this.#readPage(slug)
      .then((page) => {
        if (this.#reads.get(slug) !== reading) return page;
        // Few people look at a preview, and no change of its page would be noticed.
        const isKept = page && !isDown(page) && !isMoved(page) && !isPreviewLabel(slug);
        if (isKept) this.#keep(slug, page);
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
    const isLarge = page && !isDown(page) && !isMoved(page) && !('rendered' in page) && !('html' in page);
    if (!isLarge) return this.#makeReady(slug, page);
    return this.#inTurn(page.ownerId, 0, async () =>
      this.#makeReady(slug, (await this.#read([slug], Number.POSITIVE_INFINITY)).get(slug)),
    );
  }

  async #makeReady(slug: string, page: StoredPage | Moved | Down | undefined): Promise<Found> {
    if (!page || isDown(page) || isMoved(page)) return page;
    if ('rendered' in page) return this.#toReadyPage(page, page.rendered);
    if ('html' in page) return this.#toReadyPage(page, await this.#render(slug, page));
    throw new Error('A page was read without its body.');
  }

  #toReadyPage(
    {
      deploymentId,
      version,
      ownerId,
      hasAltcha,
      hasFormTools,
      look,
      opening,
      expiresAt,
      isUnlisted,
      files,
    }: StoredPage,
    rendering: Rendering,
  ): ReadyPage {
    const site = files && new Site(files, { maxBytes: this.#siteBytes, maxHtmlBytes: this.#maxHtmlBytes });
    return {
      ...{ deploymentId, version, ownerId, hasAltcha, hasFormTools, look, opening, expiresAt, isUnlisted, site },
      ...toReadyHtml(rendering, site !== undefined),
      isStale: false,
    };
  }

  #keep(slug: string, page: ReadyPage): void {
    // A site and a large page take long to read.
    const isSmall = !page.site && page.bytes <= largeBytes;
    for (const variant of page.variants.values()) ownMemory(variant);
    if (isSmall) this.#pages.offer(slug, page);
    else this.#pages.keep(slug, page);
  }

  #readFile(slug: string, page: ReadyPage, site: Site, file: SiteFile): Promise<ReadyFile> {
    const reading = this.#makeFile(slug, page, file)
      .then((body) => {
        for (const variant of body.variants.values()) ownMemory(variant);
        site.keep(body);
        this.#measure(slug, page);
        return body;
      })
      .finally(() => site.underWay.delete(file.path));
    site.underWay.set(file.path, reading);
    return reading;
  }

  /** Waits for a turn of the owner: waiting requests take no memory. `bytes`: that the work makes, as far as it is known. */
  #inTurn<T>(ownerId: number, bytes: number, work: () => Promise<T>): Promise<T> {
    return this.#large.run(ownerId, this.#limits.threadWaitTimeoutMs, async () => {
      if (!this.#canSend(bytes)) throw new BusyError();
      return work();
    });
  }

  #encode(slug: string, page: ReadyPage, body: ReadyPage | ReadyFile, encoding: Encoding): Variant | Promise<Variant> {
    const encoded = { slug, page, body, encoding };
    // All that is compressed has this variant from the start.
    const br = body.variants.get('br')?.body ?? Buffer.alloc(0);
    if (body.bytes > largeBytes) {
      return this.#inTurn(page.ownerId, body.bytes, async () => {
        // Another request may have made it while this one waited.
        const made = body.variants.get(encoding);
        return made ?? this.#keepVariant(encoded, await encodeLarge(br, encoding));
      });
    }
    // The transfer to a thread costs more than the decompression of a small page.
    const plain = decompressSmall(br, body.bytes);
    if (encoding !== 'gzip') return this.#keepVariant(encoded, plain);
    return compressGzip(plain).then((compressed) => this.#keepVariant(encoded, compressed));
  }

  #keepVariant({ slug, page, body, encoding }: Encoded, content: Buffer): Variant {
    const made = body.variants.get(encoding);
    if (made) return made;
    const variant = createVariant(body, encoding, content);
    if ('path' in body) {
      ownMemory(variant);
      body.variants.set(encoding, variant);
      page.site?.keep(body);
      this.#measure(slug, page);
    } else if (this.#pages.peek(slug) === page) this.#keepEncoding(page, encoding, variant);
    return variant;
  }

  #keepEncoding(page: ReadyPage, encoding: Encoding, variant: Variant): void {
    const entry = { page, encoding };
    if (page.bytes > largeBytes) this.#encodings.keep(variant, entry);
    else this.#encodings.offer(variant, entry);
    if (this.#encodings.peek(variant) !== entry) return;
    ownMemory(variant);
    page.variants.set(encoding, variant);
  }

  #dropEncodings(page: ReadyPage): void {
    for (const variant of page.variants.values()) this.#encodings.delete(variant);
  }

  /** Measures a page again, unless it has been replaced or dropped meanwhile. */
  #measure(slug: string, page: ReadyPage): void {
    if (this.#pages.peek(slug) === page) this.#pages.keep(slug, page);
  }
}
