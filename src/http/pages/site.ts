import { LRUCache } from 'lru-cache';
import type { SiteFile } from '../../db/deployments/site-file-queries.ts';
import { type Resolved, resolveSitePath } from '../../sites/resolve-site-path.ts';
import { INDEX, isCompressible, isHtmlPath, isReplacedIn, SECURITY_TXT } from '../../sites/site-paths.ts';
import { type ReadyBody, sizeOfBody } from './ready-body.ts';

/** Memory of a file in the list, apart from its path. */
const LISTED_FILE_BYTES = 400;
/** A larger file is read for each visitor. One that is compressed may have more. */
const MAX_KEPT_BYTES = 1024 * 1024;
const MAX_COMPRESSED_BYTES = 4 * 1024 * 1024;

export type ReadyFile = ReadyBody & { path: string };

/** The files of a page: the list of all, and in memory those that visitors have asked for last. */
export class Site {
  /** The files by path, without index.html. */
  readonly #files: ReadonlyMap<string, SiteFile>;
  readonly #kept: LRUCache<string, ReadyFile>;
  readonly #listBytes: number;
  readonly #maxHtmlBytes: number;
  /** Files that are being read, by path. */
  readonly underWay = new Map<string, Promise<ReadyFile>>();

  /** `maxBytes`: of the files in memory. `maxHtmlBytes`: of a text in which the placeholder is replaced. */
  constructor(files: readonly SiteFile[], { maxBytes, maxHtmlBytes }: { maxBytes: number; maxHtmlBytes: number }) {
    this.#maxHtmlBytes = maxHtmlBytes;
    // It would hide the operator's.
    const served = files.filter(({ path }) => `/${path}` !== SECURITY_TXT);
    this.#files = new Map(served.map((file) => [file.path, file]));
    this.#kept = new LRUCache<string, ReadyFile>({ maxSize: maxBytes, sizeCalculation: sizeOfBody });
    this.#listBytes = files.reduce((sum, { path }) => sum + LISTED_FILE_BYTES + 2 * path.length, 0);
  }

  /** The memory of the list and the files, in bytes. */
  get bytes(): number {
    return this.#listBytes + this.#kept.calculatedSize;
  }

  resolve(pathname: string): Resolved {
    return resolveSitePath((path) => path === INDEX || this.#files.has(path), pathname);
  }

  file(path: string): SiteFile | undefined {
    return this.#files.get(path);
  }

  /**
   * Returns whether a file is sent from memory. Other files are read in pieces each time; the placeholder is replaced in a
   * whole file.
   */
  isKept(file: SiteFile): boolean {
    const { path, bytes } = file;
    const isCompressed = isCompressible(path);
    // A file takes more memory with its encodings, and is not to displace all others.
    const max = Math.min(isCompressed ? MAX_COMPRESSED_BYTES : MAX_KEPT_BYTES, this.#kept.maxSize / 2);
    return isHtmlPath(path) || isReplacedIn(file, this.#maxHtmlBytes) || bytes <= max;
  }

  kept(path: string): ReadyFile | undefined {
    return this.#kept.get(path);
  }

  /** Keeps a file, or measures it again. */
  keep(body: ReadyFile): void {
    // Setting it again alone would not measure it.
    this.#kept.delete(body.path);
    this.#kept.set(body.path, body);
  }
}
