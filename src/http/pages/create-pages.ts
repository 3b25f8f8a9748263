import limitConcurrency from 'p-limit';
import type { ComputePool } from '../../compute/pool.ts';
import { type Config, submitUrl } from '../../config.ts';
import { findPages, type StoredPage } from '../../db/deployments/deployment-queries.ts';
import { findMoved } from '../../db/deployments/former-slug-queries.ts';
import { findPreviews } from '../../db/deployments/preview-queries.ts';
import type { OpenSiteFile } from '../../db/deployments/site-file-queries.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { isPreviewLabel } from '../../sites/preview-hosts.ts';
import type { Hosts } from '../request/hosts.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { type Down, type Moved, PageCache } from './page-cache.ts';
import { PageRenderer } from './page-renderer.ts';
import { SiteFiles } from './site-file-reader.ts';

/** Pages are large and their writes may wait for one another, and other requests need connections too. */
const MAX_CONCURRENT_PAGE_WRITES = 4;
/** Each has a few unpacked files in memory. */
const MAX_CONCURRENT_SITES = 2;
const MAX_WAITING_SITES = 100;

type PageSources = {
  config: Config;
  limits: Limits;
  db: Database;
  /** The thread that renders and compresses pages. */
  renders: Pick<ComputePool, 'run'>;
  hosts: Hosts;
  responseWriter: ResponseWriter;
  openSiteFile: OpenSiteFile;
};

/** The pages under several slugs, and where those are now that are no longer there. */
async function readPages(db: Database, slugs: readonly string[], page: Parameters<typeof findPages>[2]) {
  const previews = await findPreviews(db, slugs.filter(isPreviewLabel), page.maxBytes);
  const ofPages = slugs.filter((slug) => !isPreviewLabel(slug));
  const pages = ofPages.length > 0 ? await findPages(db, ofPages, page) : [];
  const found = new Map<string, StoredPage | Down>([...pages, ...previews]);
  const missing = ofPages.filter((slug) => !found.has(slug));
  if (missing.length === 0) return found;
  return new Map<string, StoredPage | Moved | Down>([...found, ...(await findMoved(db, missing))]);
}

/** Makes the parts that serve and store pages. */
export function createPages({ config, limits, db, renders, hosts, responseWriter, openSiteFile }: PageSources) {
  const { maxHtmlBytes } = config;
  const renderer = new PageRenderer(config, hosts, renders, limits);
  const canSend = (bytes: number): boolean => responseWriter.hasRoomFor(bytes);
  const siteFiles = new SiteFiles({ open: openSiteFile, renderer, canSend }, { maxHtmlBytes, limits });
  const cache = new PageCache(
    {
      read: (slugs, maxBytes) => readPages(db, slugs, { submitUrl: submitUrl(config), maxBytes }),
      render: (slug, page) => renderer.render(page.ownerId, { ...page, slug }),
      makeFile: (slug, page, file) => siteFiles.make(slug, page, file),
      canSend,
    },
    { maxBytes: config.pageCacheBytes, maxHtmlBytes, limits },
  );
  return {
    cache,
    siteFiles,
    renderer,
    limitWrites: limitConcurrency(MAX_CONCURRENT_PAGE_WRITES),
    siteQueue: new FairQueue<number>({ slots: MAX_CONCURRENT_SITES, maxWaiting: MAX_WAITING_SITES }),
  };
}
