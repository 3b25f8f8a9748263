import limitConcurrency from 'p-limit';
import { submitUrl } from '../config.ts';
import type { DeploymentChange } from '../db/deployments/change-feed.ts';
import { findPages } from '../db/deployments/deployments.ts';
import type { App } from '../http/app.ts';
import { PageRenderer } from '../http/pages/new-page.ts';
import { PageCache } from '../http/pages/page-cache.ts';
import { SiteFiles } from '../http/pages/site-files.ts';
import { Authentication } from '../http/request/auth.ts';
import { BodyReader } from '../http/request/body.ts';
import { clientAddressFrom } from '../http/request/client-address.ts';
import { OwnerQueue } from '../http/request/owner-queue.ts';
import { SessionCookie } from '../http/request/session-cookie.ts';
import { ResponseWriter } from '../http/response/response-writer.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import type { Core } from './core.ts';
import type { createSubmissions } from './create-submissions.ts';

/** Pages are large and their writes may wait for one another, and other requests need connections too. */
const MAX_CONCURRENT_PAGE_WRITES = 4;
/** Each has a few unpacked files in memory. */
const MAX_CONCURRENT_SITES = 2;
const MAX_WAITING_SITES = 100;

/** Makes the part that answers requests. `others`: the parts that come from elsewhere. */
export function createApp(
  core: Core,
  submissionParts: ReturnType<typeof createSubmissions>,
  others: Pick<
    App,
    | 'openFile'
    | 'openSiteFile'
    | 'bucket'
    | 'mailAccount'
    | 'domainChecks'
    | 'onPurge'
    | 'isStarting'
    | 'readiness'
    | 'stopping'
  >,
): App & { onFeedChanges(changes: readonly DeploymentChange[]): Promise<void>; onGap(): Promise<void> } {
  const { config, limits, db, compute, own, domains, hosts } = core;
  const { forms, submissions } = submissionParts;
  const clientAddress = clientAddressFrom(config.trustProxy);
  const sessionCookie = new SessionCookie(config.baseUrl);
  const responseWriter = new ResponseWriter({ largest: config.maxHtmlBytes, limits });
  const renderer = new PageRenderer(config, hosts, compute, limits);
  const canSend = (bytes: number): boolean => responseWriter.hasRoomFor(bytes);
  const { maxHtmlBytes } = config;
  const siteFiles = new SiteFiles({ open: others.openSiteFile, renderer, canSend }, { maxHtmlBytes, limits });
  const pages = new PageCache(
    {
      read: (slugs, maxBytes) => findPages(db, slugs, { submitUrl: submitUrl(config), maxBytes }),
      render: (slug, page) => renderer.render(page.ownerId, { ...page, slug }),
      makeFile: (slug, page, file) => siteFiles.make(slug, page, file),
      canSend,
    },
    { maxBytes: config.pageCacheBytes, maxHtmlBytes, limits },
  );
  return {
    ...core,
    ...submissionParts,
    ...others,
    ...{ pages, siteFiles, renderer, clientAddress, sessionCookie, responseWriter },
    limitPageWrites: limitConcurrency(MAX_CONCURRENT_PAGE_WRITES),
    siteQueue: new FairQueue({ slots: MAX_CONCURRENT_SITES, maxWaiting: MAX_WAITING_SITES }),
    isOwnUrl: (url) => own.isIn(url),
    authentication: new Authentication(db, clientAddress, sessionCookie),
    ownerQueue: new OwnerQueue(limits),
    // A site may be larger than a client's half of the budget: the first body of a client always fits.
    bodyReader: new BodyReader(Math.max(config.maxHtmlBytes, config.maxFilesBytes), compute, limits),
    async onDeploymentChange({ deploymentId, slug }) {
      pages.invalidate(slug);
      forms.invalidate(deploymentId);
      submissions.invalidate(deploymentId);
      // The change is stored. If its domains can't be read now, the change feed has them read.
      await domains.read([deploymentId]).catch(() => undefined);
    },
    /** Any process, this one too, has changed deployments. */
    async onFeedChanges(changes: readonly DeploymentChange[]) {
      for (const { deploymentId, slug } of changes) {
        pages.refresh(slug);
        forms.invalidate(deploymentId);
        submissions.invalidate(deploymentId);
      }
      await domains.read(changes.map(({ deploymentId }) => deploymentId));
    },
    /** Changes by other processes may have been missed. */
    async onGap() {
      pages.refreshAll();
      forms.invalidateAll();
      submissions.invalidateAll();
      await domains.readAll();
    },
  };
}
