import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { brotliOptions } from '../../compute/render-page.ts';
import type { OpenSiteFile, SiteFile } from '../../db/deployments/site-files.ts';
import type { ReadPiece } from '../../db/files/file-content.ts';
import { BusyError, FairQueue } from '../../lib/fair-queue.ts';
import { isCompressedSvg, isCompressible, isHtmlPath, siteFileType } from '../../lib/site-paths.ts';
import type { Limits } from '../../limits.ts';
import { type HttpError, unavailable } from '../response/errors.ts';
import type { Range } from '../response/range.ts';
import type { PageRenderer } from './new-page.ts';
import type { ReadyPage } from './page-cache.ts';
import { type Content, toReadyBody, toReadyHtml } from './ready-body.ts';
import type { ReadyFile } from './site.ts';

const compressBrotli = promisify(brotliCompress);

/** Of files, at a time: other requests need connections, too. */
const READS = { slots: 4, slotsOfKey: 2, maxWaiting: 500 };

/** As long as the hash of a rendered page. */
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

const gone = (): HttpError => unavailable('The page has just changed: try again shortly.');

/** Reads the files of sites. */
export class SiteFiles {
  readonly #open: OpenSiteFile;
  readonly #renderer: Pick<PageRenderer, 'render'>;
  readonly #canSend: (ownerId: number) => boolean;
  readonly #limits: Limits['pages'];
  /** Bounds the connections to the database, and the memory of files before they are kept. */
  readonly #reads: FairQueue<number>;

  /** `canSend`: whether memory is left for another large answer of this owner. */
  constructor(
    parts: { open: OpenSiteFile; renderer: Pick<PageRenderer, 'render'>; canSend(ownerId: number): boolean },
    { pages }: Limits,
  ) {
    this.#open = parts.open;
    this.#renderer = parts.renderer;
    this.#canSend = parts.canSend;
    this.#limits = pages;
    this.#reads = new FairQueue(READS);
  }

  /** Reads a file as a whole, and makes it ready to be sent. */
  make(slug: string, { deploymentId, ownerId, hasAltcha }: ReadyPage, file: SiteFile): Promise<ReadyFile> {
    const { path, bytes } = file;
    return this.#inTurn(ownerId, async () => {
      if (!this.#canSend(ownerId)) throw new BusyError();
      const pieces: Buffer[] = [];
      for await (const piece of piecesOf(this.#open(ownerId, file), { start: 0, end: bytes - 1 })) pieces.push(piece);
      const body = Buffer.concat(pieces);
      if (isHtmlPath(path)) {
        const rendering = await this.#renderer.render(ownerId, { deploymentId, slug, html: body, hasAltcha });
        return { path, ...toReadyHtml(rendering, true) };
      }
      const content = contentOf(file);
      return content.isCompressed
        ? { path, ...toReadyBody(content, 'br', await compressBrotli(body, brotliOptions(body))) }
        : { path, ...toReadyBody(content, 'identity', body) };
    });
  }

  /** A part of a file, piece by piece. The first piece is read before this resolves. */
  async read(ownerId: number, file: SiteFile, { start, end }: Range): Promise<AsyncIterable<Buffer>> {
    const read = this.#open(ownerId, file);
    const inTurn: ReadPiece = (from) => this.#inTurn(ownerId, () => read(from));
    const pieces = piecesOf(inTurn, { start, end });
    const first = await pieces.next();
    return (async function* () {
      if (!first.done) yield first.value;
      yield* pieces;
    })();
  }

  #inTurn<T>(ownerId: number, work: () => Promise<T>): Promise<T> {
    return this.#reads.run(ownerId, this.#limits.threadWaitTimeoutMs, work);
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
