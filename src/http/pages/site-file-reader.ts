import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress } from 'node:zlib';
import { brotliOptions, PLACEHOLDER } from '../../compute/render-page.ts';
import type { Rendering } from '../../db/deployments/page-version-queries.ts';
import type { OpenSiteFile, SiteFile } from '../../db/deployments/site-file-queries.ts';
import type { ReadPiece } from '../../db/files/file-content-queries.ts';
import { BusyError, FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { isCompressedSvg, isCompressible, isHtmlPath, isReplacedIn, siteFileType } from '../../sites/site-paths.ts';
import type { Range } from '../response/byte-range.ts';
import { type HttpError, unavailable } from '../response/errors.ts';
import { counted, type MemoryReservation } from '../response/memory-budget.ts';
import type { ReadyPage } from './page-cache.ts';
import type { PageRenderer } from './page-renderer.ts';
import { type Content, toReadyBody, toReadyHtml } from './ready-body.ts';
import type { ReadyFile } from './site.ts';

const compressBrotli = promisify(brotliCompress);
const decompressBrotli = promisify(brotliDecompress);

/** The number of files that are read at a time is limited, because other requests need connections, too. */
const READS = { slots: 4, slotsOfKey: 2, maxWaiting: 500 };

const UTF8_LABEL = '; charset=utf-8';

/** The hash has the length of that of a rendered page. */
const HASH_CHARS = 27;

/** The content of a file as it was stored. */
export function contentOf({ path, sha256, bytes }: SiteFile): Content {
  const hash = Buffer.from(sha256, 'hex').toString('base64url').slice(0, HASH_CHARS);
  return {
    ...{ hash, bytes, type: siteFileType(path), hasRanges: true },
    isCompressed: isCompressible(path),
    storedEncoding: isCompressedSvg(path) ? 'gzip' : undefined,
  };
}

/** A type without a charset that the content does not have. */
const typeFor = (type: string, body: Buffer): string =>
  type.endsWith(UTF8_LABEL) && !isUtf8(body) ? type.slice(0, -UTF8_LABEL.length) : type;

const gone = (): HttpError => unavailable('The page has just changed: try again shortly.');

/** Reads the files of sites. */
export class SiteFiles {
  readonly #open: OpenSiteFile;
  readonly #renderer: Pick<PageRenderer, 'render'>;
  readonly #canSend: (bytes: number) => boolean;
  readonly #maxHtmlBytes: number;
  readonly #limits: Limits['pages'];
  /** Bounds the connections to the database, and the memory of files before they are kept. */
  readonly #reads: FairQueue<number | string>;

  /** `canSend`: whether memory is left for another answer with so many bytes. */
  constructor(
    parts: { open: OpenSiteFile; renderer: Pick<PageRenderer, 'render'>; canSend(bytes: number): boolean },
    { maxHtmlBytes, limits: { pages } }: { maxHtmlBytes: number; limits: Limits },
  ) {
    this.#open = parts.open;
    this.#renderer = parts.renderer;
    this.#canSend = parts.canSend;
    this.#maxHtmlBytes = maxHtmlBytes;
    this.#limits = pages;
    this.#reads = new FairQueue(READS);
  }

  /** Reads a file as a whole, and makes it ready to be sent. */
  make(slug: string, page: ReadyPage, file: SiteFile): Promise<ReadyFile> {
    const { ownerId } = page;
    const { path, bytes } = file;
    return this.#inTurn(ownerId, async () => {
      if (!this.#canSend(bytes)) throw new BusyError();
      const pieces: Buffer[] = [];
      for await (const piece of piecesOf(this.#open(ownerId, file), { start: 0, end: bytes - 1 })) pieces.push(piece);
      const body = Buffer.concat(pieces);
      if (isHtmlPath(path)) return { path, ...toReadyHtml(await this.#render(slug, page, body), true) };
      const content = contentOf(file);
      const typed = { ...content, type: typeFor(content.type, body) };
      if (isReplacedIn(file, this.#maxHtmlBytes) && body.includes(PLACEHOLDER)) {
        const { br, ...rendered } = await this.#render(
          slug,
          { ...page, hasAltcha: false, hasFormTools: false, isUnlisted: false },
          body,
        );
        const replaced = { ...typed, ...rendered };
        return content.isCompressed
          ? { path, ...toReadyBody(replaced, 'br', br) }
          : { path, ...toReadyBody(replaced, 'identity', await decompressBrotli(br)) };
      }
      return content.isCompressed
        ? { path, ...toReadyBody(typed, 'br', await compressBrotli(body, brotliOptions(body))) }
        : { path, ...toReadyBody(typed, 'identity', body) };
    });
  }

  /** A text with the address that forms post to. */
  #render(
    slug: string,
    { deploymentId, ownerId, hasAltcha, hasFormTools, isUnlisted }: ReadyPage,
    html: Buffer,
  ): Promise<Rendering> {
    return this.#renderer.render(ownerId, { deploymentId, slug, html, hasAltcha, hasFormTools, isUnlisted });
  }

  /**
   * A part of a file, piece by piece, for a visitor of this network. The first piece is read before this resolves. `memory`
   * counts the piece that was read last.
   */
  async read(
    { ownerId, network, memory }: { ownerId: number; network: string; memory: MemoryReservation },
    file: SiteFile,
    range: Range,
  ): Promise<AsyncIterable<Buffer>> {
    const read = counted(this.#open(ownerId, file), memory);
    const inTurn: ReadPiece = (...part) => this.#inTurn(network, () => read(...part));
    const pieces = piecesOf(inTurn, range);
    const first = await pieces.next();
    return (async function* () {
      if (!first.done) yield first.value;
      yield* pieces;
    })();
  }

  #inTurn<T>(client: number | string, work: () => Promise<T>): Promise<T> {
    return this.#reads.run(client, this.#limits.threadWaitTimeoutMs, work);
  }
}

/** No connection is used between two pieces. */
async function* piecesOf(read: ReadPiece, { start, end }: Range): AsyncGenerator<Buffer> {
  for (let from = start; from <= end; ) {
    const piece = await read(from);
    // The clean-up removes contents that no version has any more.
    if (!piece) throw gone();
    yield piece.subarray(0, end + 1 - from);
    from += piece.length;
  }
}
