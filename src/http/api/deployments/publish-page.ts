import type { ServerResponse } from 'node:http';
import type { Config } from '../../../config.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { checkStorage } from '../../../db/account/storage-queries.ts';
import { changePage, type Deployment } from '../../../db/deployments/deployment-queries.ts';
import { ContentsRemoved, type PageChange } from '../../../db/deployments/page-version-queries.ts';
import { addPreview } from '../../../db/deployments/preview-queries.ts';
import {
  findMissing,
  releaseContents,
  type SiteFile,
  storeContent,
} from '../../../db/deployments/site-file-queries.ts';
import { findAdditions } from '../../../db/submissions/form-queries.ts';
import { newPreviewLabel } from '../../../sites/preview-hosts.ts';
import { checkLimits, type SentFiles } from '../../../sites/sent-files.ts';
import { INDEX } from '../../../sites/site-paths.ts';
import type { App } from '../../app.ts';
import { changedMeanwhile } from '../../request/conditions.ts';
import { pauseDeadline, tookTooLong } from '../../request/deadline.ts';
import { NO_WIDGET_NOTICE } from '../../response/notice-header.ts';
import { foundOr404 } from './own-deployment.ts';
import { HTML_PATH } from './page-html.ts';

/** The time for which a site waits for others. */
const QUEUE_WAIT_MS = 10_000;
/** Contents of one site that are put into the bucket at a time. Each is in memory twice meanwhile. */
const CONCURRENT_UPLOADS = 2;

/** The request of an owner that publishes. */
type Publisher = { owner: Pick<Owner, 'id'>; response: ServerResponse };
/** `notify`: of the operation's call. */
type PagePublisher = Publisher & { notify(template: string): void };

/** Files that were sent with a page of so many bytes. */
type SentSite = { sent: SentFiles; htmlBytes: number };
/** The files whose contents a change has stored, and the end of its time to do so. */
type Storing = { stored: SiteFile[]; signal: AbortSignal };

/** Stores the contents that the owner lacks. Stops at the first failure. */
async function storeMissing(
  app: App,
  { id: ownerId }: Pick<Owner, 'id'>,
  { sent, htmlBytes }: SentSite,
  { stored, signal }: Storing,
): Promise<void> {
  const {
    db,
    config,
    files: { bucket },
  } = app;
  const missing = await findMissing(db, ownerId, sent.list);
  const bytes = missing.reduce((sum, file) => sum + file.bytes, htmlBytes);
  await checkStorage(db, { ownerId }, bytes, config.storageLimits);
  const due = missing.values();
  const failures: unknown[] = [];
  async function storeSome(): Promise<void> {
    for (const file of due) {
      if (failures.length > 0) return;
      if (signal.aborted) throw tookTooLong();
      await storeOne(app, ownerId, file.sha256, await sent.read(file.path), signal);
      stored.push(file);
    }
  }
  // Without a bucket, a content needs a connection to the database for longer.
  const concurrency = bucket ? CONCURRENT_UPLOADS : 1;
  await Promise.all(
    Array.from({ length: concurrency }, () => storeSome().catch((error: unknown) => void failures.push(error))),
  );
  if (failures.length > 0) throw failures[0];
}

/** Stores a content: in the bucket first where there is one, so that no row is without its object. */
async function storeOne(
  { db, files: { bucket } }: App,
  ownerId: number,
  sha256: string,
  content: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const object = content.length > 0 ? await bucket?.put(content, signal) : undefined;
  const isStored = await storeContent(db, ownerId, { sha256, content, object });
  if (object && !isStored) bucket?.discard([object]);
}

/** Stores the contents of files that were sent, if there are any, and then publishes them. Their owner's other sites wait. */
export async function withContents<T>(
  app: App,
  { owner, response }: Publisher,
  { sent, htmlBytes }: { sent: SentFiles | undefined; htmlBytes: number },
  publish: () => Promise<T>,
): Promise<T> {
  if (!sent) return publish();
  const { siteTimeoutMs, siteSocketTimeoutMs } = app.limits.files;
  const stored: SiteFile[] = [];
  const storeAndPublish = async (signal: AbortSignal): Promise<T> => {
    await storeMissing(app, owner, { sent, htmlBytes }, { stored, signal });
    return publish();
  };
  const resumeDeadline = pauseDeadline(response);
  // The server sets its own time-out again at the next request.
  response.req.socket.setTimeout(siteSocketTimeoutMs);
  try {
    return await app.pages.siteQueue.run(owner.id, QUEUE_WAIT_MS, () => {
      const signal = AbortSignal.timeout(siteTimeoutMs);
      return storeAndPublish(signal).catch((error: unknown) => {
        if (error instanceof ContentsRemoved) return storeAndPublish(signal);
        throw error;
      });
    });
  } catch (error) {
    if (stored.length > 0) await releaseContents(app.db, owner.id, stored);
    throw error;
  } finally {
    resumeDeadline();
  }
}

/** A change of a page, whose parts stay where they are left out. `sent`: files whose contents are to be stored. */
type Published = { html?: Buffer; sent?: SentFiles | undefined; files?: PageChange['files'] | undefined };

/**
 * Makes HTML and files the live page of a deployment; throws 404 if that has been deleted, and 412 if its HTML has none of
 * `etags`.
 */
export async function publishPage(
  app: App,
  publisher: PagePublisher,
  { id, slug }: Deployment,
  { html, sent, files }: Published,
  etags?: readonly string[],
): Promise<Deployment> {
  const {
    db,
    config,
    compute,
    pages: { limitWrites: limitPageWrites },
    lifecycle: { onDeploymentChange },
  } = app;
  const page = html && (await prepare(app, publisher.owner, { id, slug }, html));
  const change = { page, files: checkedFiles(config, { files, sent }) };
  const deployment = await withContents(app, publisher, { sent, htmlBytes: html?.length ?? 0 }, () =>
    limitPageWrites(() => changePage(db, publisher.owner.id, id, change, config, etags)),
  );
  const found = foundOr404(deployment);
  if (found === 'changed') throw changedMeanwhile(HTML_PATH);
  if (page?.lacksWidget) publisher.notify(NO_WIDGET_NOTICE);
  await onDeploymentChange({ deploymentId: found.id, slug: found.slug });
  await compute.readFormsAhead(found.id);
  return found;
}

/** Returns the function that makes the files of a changed site of those that it has, and checks them. */
const checkedFiles =
  (config: Config, { files, sent }: Pick<Published, 'files' | 'sent'>) =>
  (now: readonly SiteFile[], htmlBytes: number): readonly SiteFile[] => {
    const changed = files ? files(now, htmlBytes) : (sent?.list ?? now);
    if (changed.length > 0) checkLimits([{ path: INDEX, bytes: htmlBytes }, ...changed], config);
    return changed;
  };

/**
 * Makes HTML and files a preview of a deployment, whose live page stays; throws 404 if that has been deleted, and 412 if its HTML has
 * none of `etags`.
 */
export async function publishPreview(
  app: App,
  publisher: Publisher,
  { id: deploymentId }: Pick<Deployment, 'id'>,
  { html, sent }: { html: Buffer; sent: SentFiles | undefined },
  etags?: readonly string[],
): Promise<{ version: number; label: string }> {
  const {
    db,
    config,
    pages: { limitWrites: limitPageWrites },
  } = app;
  const label = newPreviewLabel();
  const preview = { deploymentId, ownerId: publisher.owner.id, label, html, files: checkedFiles(config, { sent }) };
  const added = await withContents(app, publisher, { sent, htmlBytes: html.length }, () =>
    limitPageWrites(() => addPreview(db, preview, config, etags)),
  );
  const version = foundOr404(added);
  if (version === 'changed') throw changedMeanwhile(HTML_PATH);
  return { version, label };
}

async function prepare(
  { db, pages: { renderer } }: App,
  owner: Pick<Owner, 'id'>,
  { id, slug }: Pick<Deployment, 'id' | 'slug'>,
  html: Buffer,
): ReturnType<typeof renderer.prepare> {
  return renderer.prepare(owner.id, { deploymentId: id, slug, html, ...(await findAdditions(db, id)) });
}
