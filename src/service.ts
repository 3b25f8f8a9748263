import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { ComputePool } from './compute/pool.ts';
import { type Config, pageUrl, submitUrl } from './config.ts';
import { createChallenges, createLinks } from './db/account/link-secret.ts';
import { createCleanUp } from './db/clean-up.ts';
import { deliveriesBacklogAge } from './db/deliveries/delivery-queue.ts';
import { readDigest } from './db/deliveries/digests.ts';
import { ChangeFeed, type DeploymentChange } from './db/deployments/change-feed.ts';
import { findPages } from './db/deployments/deployments.ts';
import { createOpenFile } from './db/files/file-content.ts';
import { connect } from './db/postgres/connect.ts';
import { isMigratedPrimary } from './db/postgres/migrate.ts';
import { HoneypotHits } from './db/spam/honeypot-hits.ts';
import { CaptchaProviders, type SiteverifyUrls } from './delivery/captcha-providers.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { runDigestLoop } from './delivery/mail/digest-loop.ts';
import { Sender } from './delivery/sender.ts';
import { OwnAddress } from './delivery/webhooks/own-address.ts';
import { Bucket } from './files/bucket.ts';
import { FilesBucket } from './files/files-bucket.ts';
import type { App, Readiness } from './http/app.ts';
import { Listener } from './http/listener.ts';
import { PageRenderer } from './http/pages/new-page.ts';
import { PageCache } from './http/pages/page-cache.ts';
import { Authentication } from './http/request/auth.ts';
import { BodyReader } from './http/request/body.ts';
import { clientAddressFrom } from './http/request/client-address.ts';
import { Hosts } from './http/request/hosts.ts';
import { OwnerQueue } from './http/request/owner-queue.ts';
import { SessionCookie } from './http/request/session-cookie.ts';
import { ResponseWriter } from './http/response/response-writer.ts';
import { HttpServer } from './http/server.ts';
import type { Log } from './lib/log.ts';
import { type LimitOverrides, withLimits } from './limits.ts';
import { createMetrics } from './metrics/metrics.ts';
import {
  checkPooler,
  createFirstOwner,
  type FirstOwner,
  openDatabase,
  prepareDatabase,
} from './start/prepare-database.ts';
import { Forms } from './submissions/forms.ts';
import { LabelReader } from './submissions/labels.ts';
import { SpamCheck } from './submissions/spam-check.ts';
import { SubmissionStore } from './submissions/submission-store.ts';

export type Service = {
  /** Where it listens, such as http://127.0.0.1:3000. */
  url: string;
  /**
   * Settles when the database has been reached and migrated. Rejects when it can't be used. `firstOwner`: the owner that
   * an embedded database gets at its first start, when only this machine can reach the service.
   */
  ready: Promise<{ firstOwner: FirstOwner | undefined }>;
  /** The metrics of this process, for Prometheus. */
  exposeMetrics(): Promise<Registry>;
  /** Says at `/readyz` that it stops; answers requests for `shutdownDelayMs`, and those in flight; then releases everything. */
  close(): Promise<void>;
};

/**
 * Builds the whole service and listens. The database may be reached later: see `ready`. `siteverifyUrls`: where the
 * providers of captchas are asked, and `limits` other than those of limits.ts, and `now`, which removals go by, for tests.
 */
export async function startService(
  config: Config,
  log: Log,
  {
    siteverifyUrls,
    limits: overrides = {},
    now = () => new Date(),
  }: { siteverifyUrls?: SiteverifyUrls; limits?: LimitOverrides; now?: () => Date } = {},
): Promise<Service> {
  const limits = withLimits(overrides);
  const databaseServer = await openDatabase(config, limits, log);
  const { connection } = databaseServer;
  const db = connect(connection, { limits, onRenew: () => changeFeed.reset() });
  const metrics = createMetrics();
  const compute = new ComputePool(config, limits);
  // Apart: a check can take seconds, and visitors wait for pages.
  const checks = new ComputePool(config, limits);

  const { baseUrl, pagesDomain, storageLimits } = config;
  const urlOf = (slug: string): string => pageUrl(config, slug);
  const labels = new LabelReader({ db, limits, checks, baseUrl, pagesDomain, urlOf });

  let listening: AddressInfo | undefined;
  const own = new OwnAddress({
    baseUrl: new URL(config.baseUrl),
    pagesUrl: new URL(pageUrl(config, 'a-page')),
    listening: () => listening,
  });
  const links = createLinks(db, config.baseUrl);
  const sender = new Sender({
    limits,
    allowedNetworks: config.webhookAllowCidrs,
    own,
    urlOf: (slug) => pageUrl(config, slug),
    baseUrl: config.baseUrl,
    links,
    labelsOf: (id) => labels.read(id),
    readDigest: (...range) => readDigest(db, ...range),
    smtpUrl: config.smtpUrl,
    mailFrom: config.mailFrom,
    log,
  });
  const altcha = createChallenges(db, limits);
  const captchas = new CaptchaProviders({
    limits,
    allowedNetworks: config.webhookAllowCidrs,
    own,
    urls: siteverifyUrls,
  });
  if (config.smtpUrl === undefined) log.warn('mail is off: SMTP_URL is not set');
  const dispatcher = new Dispatcher({
    db,
    sender,
    retryDelays: config.deliveryRetryDelays,
    timeoutMs: config.deliveryTimeoutMs,
    leaseMs: config.deliveryLeaseMs,
    limits,
    log,
    count: metrics.delivery,
  });

  const stopping = new AbortController();
  const bucket = config.bucket && new Bucket(config.bucket, limits);
  const files = new FilesBucket(bucket, { db, limits, log });

  const honeypotHits = new HoneypotHits(db, log, limits.submissions.honeypotIntervalMs);
  const forms = new Forms(db, limits);
  const spamCheck = new SpamCheck(db, { altcha, ask: (question) => captchas.ask(question) }, limits);
  const submissions = new SubmissionStore({
    db,
    limits,
    storageLimits,
    bucket: config.bucket?.isForOldFiles === false ? files : undefined,
    wakeDispatcher: () => dispatcher.wake(),
    countBatch: metrics.batch,
  });

  const cleanUp = createCleanUp({
    db,
    limits,
    now,
    days: config.deliveryLogDays,
    trashDays: config.trashDays,
    countExpired: metrics.expired,
    log,
    signal: stopping.signal,
  });

  let isStarting = true;
  let isStopping = false;
  async function readiness(): Promise<Readiness> {
    if (isStopping) return 'stopping';
    const isReady = !isStarting && (await isMigratedPrimary(db).catch(() => false)) && (await db.isWritable());
    return isReady ? 'ready' : 'no database';
  }

  const clientAddress = clientAddressFrom(config.trustProxy);
  const sessionCookie = new SessionCookie(config.baseUrl);
  const responseWriter = new ResponseWriter({ largest: config.maxHtmlBytes, limits });
  const renderer = new PageRenderer(config, compute, limits);
  const pages = new PageCache(
    {
      read: (slugs, maxBytes) => findPages(db, slugs, { submitUrl: submitUrl(config), maxBytes }),
      render: (slug, page) => renderer.render(page.ownerId, { ...page, slug }),
      canSend: (ownerId) => responseWriter.fits(ownerId),
    },
    { maxBytes: config.pageCacheBytes, limits },
  );
  function onDeploymentChange({ deploymentId, slug }: DeploymentChange): void {
    pages.invalidate(slug);
    forms.invalidate(deploymentId);
    submissions.invalidate(deploymentId);
  }
  function onGap(): void {
    pages.invalidateAll();
    forms.invalidateAll();
    submissions.invalidateAll();
  }
  const app: App = {
    config,
    limits,
    log,
    metrics,
    db,
    checks,
    labelsOf: (id) => labels.read(id),
    openFile: createOpenFile(db, (...part) => files.read(...part), limits),
    links,
    altcha,
    mailLink: config.smtpUrl === undefined ? undefined : (to, url) => sender.mailLink(to, url),
    isOwnUrl: (url) => own.isIn(url),
    forms,
    spamCheck,
    submissions,
    honeypotHits,
    pages,
    renderer,
    hosts: new Hosts(config, limits),
    clientAddress,
    sessionCookie,
    authentication: new Authentication(db, clientAddress, sessionCookie, limits),
    ownerQueue: new OwnerQueue(limits),
    bodyReader: new BodyReader(Math.max(config.maxHtmlBytes, config.maxFilesBytes), compute, limits),
    responseWriter,
    onDeploymentChange,
    onPurge: cleanUp.wake,
    isStarting: () => isStarting,
    readiness,
    stopping: stopping.signal,
  };
  const changeFeed = new ChangeFeed(db, limits, { onChange: onDeploymentChange, onGap });
  const server = new HttpServer(new Listener(app).handle, limits);

  let readingChanges: Promise<void> | undefined;
  let cleaningUp: Promise<void> | undefined;
  let makingDigests: Promise<void> | undefined;
  let cleaningBucket: Promise<void> | undefined;
  async function start(): Promise<{ firstOwner: FirstOwner | undefined }> {
    await prepareDatabase(databaseServer, config, limits, log, stopping.signal);
    await checkPooler(db, log);
    const firstOwner = await createFirstOwner(databaseServer, db, config);
    // Before anything is in memory: what this read tells is dropped.
    await changeFeed.read();
    isStarting = false;
    dispatcher.run();
    readingChanges = changeFeed.run(stopping.signal);
    cleaningUp = cleanUp.run();
    makingDigests = runDigestLoop({ db, limits, log, signal: stopping.signal }, () => dispatcher.wake());
    cleaningBucket = files.run(stopping.signal);
    return { firstOwner };
  }
  const ready = start();
  // Callers handle it through `ready`; requests get a 503.
  ready.catch(() => undefined);

  async function close(): Promise<void> {
    isStopping = true;
    if (!isStarting) await delay(config.shutdownDelayMs);
    stopping.abort();
    dispatcher.drain();
    await server.close();
    await dispatcher.close();
    await sender.close();
    await Promise.all([compute.close(), checks.close()]);
    await captchas.close();
    await Promise.all([honeypotHits.close(), readingChanges, cleaningUp, makingDigests, files.close(), cleaningBucket]);
    await db.close();
    await databaseServer.close();
  }

  try {
    listening = await server.listen(config.port, config.host);
  } catch (error) {
    await close();
    throw error;
  }
  const { address, family, port } = listening;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    ready,
    exposeMetrics: () =>
      metrics.expose({
        pageLookups: () => pages.lookups,
        connections: db.use,
        backlogAge: () => deliveriesBacklogAge(db),
      }),
    close,
  };
}
