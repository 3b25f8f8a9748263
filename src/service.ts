import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { createCompute } from './compute/create-compute.ts';
import { type Config, domainsTarget, pageUrl } from './config.ts';
import { createChallenges, createLinks, fromSecret } from './db/account/link-secret.ts';
import { backupAge } from './db/backup/last-backup.ts';
import { CleanUp } from './db/clean-up.ts';
import { deliveriesBacklogAge } from './db/deliveries/delivery-queue.ts';
import { ChangeFeed } from './db/deployments/change-feed.ts';
import { createOpenSiteFile } from './db/deployments/site-file-queries.ts';
import { countEndingDomains } from './db/domains/ending-domain-queries.ts';
import { createOpenFile, type ReadObject } from './db/files/file-content-queries.ts';
import { connect } from './db/postgres/connect.ts';
import { databaseBytes } from './db/postgres/inspect.ts';
import type { SiteverifyUrls } from './delivery/captcha-providers.ts';
import { createDelivery } from './delivery/create-delivery.ts';
import { runDigestLoop } from './delivery/mail/digest-loop.ts';
import { OwnAddress } from './delivery/webhooks/own-address.ts';
import { createDeploymentChanges } from './deployment-changes.ts';
import { runExpiry } from './deployment-expiry.ts';
import { DomainChecks } from './domains/domain-checks.ts';
import { createProofs } from './domains/domain-records.ts';
import { countEndingCertificates } from './domains/ending-certificates.ts';
import { diskSpace } from './environment/disk-space.ts';
import { Bucket } from './files/bucket.ts';
import { FilesBucket } from './files/files-bucket.ts';
import { SharedChecks } from './health/shared-checks.ts';
import type { App } from './http/app.ts';
import { Listener } from './http/listener.ts';
import { createPages } from './http/pages/create-pages.ts';
import { proxiesOf } from './http/request/client-address.ts';
import { createRequests } from './http/request/create-requests.ts';
import { Hosts } from './http/request/hosts.ts';
import { ProvenDomains } from './http/request/proven-domains.ts';
import { HttpServer } from './http/server.ts';
import type { Log } from './lib/log.ts';
import { Lifecycle } from './lifecycle.ts';
import { type LimitOverrides, withLimits } from './limits.ts';
import type { InstallationState } from './metrics/installation-metrics.ts';
import { Metrics } from './metrics/metrics.ts';
import { type FirstOwner, openDatabase } from './prepare-database.ts';
import { createSubmissions } from './submissions/create-submissions.ts';
import { readFormsAhead, readPageForms } from './submissions/read-page-forms.ts';

export type Service = {
  /** Where it listens, such as http://127.0.0.1:3000. */
  url: string;
  /**
   * Settles when the database has been reached and migrated. Rejects when it can't be used. `firstOwner`: the owner that
   * an embedded database gets at its first start, when only this machine can reach the service.
   */
  ready: Promise<{ firstOwner: FirstOwner | undefined }>;
  /** The metrics of this process, for Prometheus. */
  exposeMetrics(): Registry;
  /** Says at `/readyz` that it stops; answers requests for `shutdownDelayMs`, and those in flight; then releases everything. */
  close(): Promise<void>;
};

/** For tests: where the providers of captchas are asked, limits other than those of limits.ts, and what removals go by. */
type ServiceOverrides = { siteverifyUrls?: SiteverifyUrls; limits?: LimitOverrides; now?: () => Date };

type ServiceParts = Awaited<ReturnType<typeof createParts>>;

/** Creates every part once, in the order in which they need each other. `listening`: where the process listens; undefined until it does. */
async function createParts(
  config: Config,
  log: Log,
  { siteverifyUrls, limits: overrides = {}, now }: ServiceOverrides,
  listening: () => AddressInfo | undefined,
) {
  const limits = withLimits(overrides);
  const metrics = new Metrics();
  const databaseServer = await openDatabase(config, log);
  const db = connect(databaseServer.connection, { limits, onRenew: () => changeFeed.reset() });
  const lifecycle = new Lifecycle({ config, log, db });
  const base = { config, limits, log, db };
  const background = { db, limits, log, signal: lifecycle.stopping };
  const wakeDispatcher = (): void => delivery.dispatcher.wake();

  const bucket = new FilesBucket(config.bucket && new Bucket(config.bucket, limits), background);
  const readObject: ReadObject = (...part) => bucket.read(...part);
  const files = {
    openFile: createOpenFile(db, readObject, limits),
    openSiteFile: createOpenSiteFile(db, readObject, limits),
    bucket: config.bucket?.isForOldFiles === false ? bucket : undefined,
  };
  const secrets = { links: createLinks(db, config.baseUrl), altcha: createChallenges(db, limits) };
  const proven = new ProvenDomains(db);
  const hosts = new Hosts(config, proven);
  const own = new OwnAddress({
    baseUrl: new URL(config.baseUrl),
    pagesUrl: new URL(pageUrl(config, 'a-page')),
    servesPageAt: (host) => Boolean(proven.pageAt(host)?.slug),
    listening,
  });
  const threads = createCompute(config, limits);
  const formSources = { db, limits, formThread: threads.forms, openSiteFile: files.openSiteFile, hosts };
  const formsOf = (deploymentId: string, version?: number) => readPageForms(formSources, deploymentId, version);
  const delivery = createDelivery({
    ...base,
    ...{ own, formsOf, siteverifyUrls },
    links: secrets.links,
    count: (kind, result) => metrics.delivery(kind, result),
  });
  const submissions = createSubmissions({
    ...base,
    bucket: files.bucket,
    altcha: secrets.altcha,
    ask: (question) => delivery.captchas.ask(question),
    wakeDispatcher,
    countBatch: (size) => metrics.batch(size),
  });
  const requests = createRequests({ ...base, reads: threads.pages, hosts });
  const { responseWriter } = requests;
  const pages = createPages({
    ...base,
    renders: threads.pages,
    hosts,
    responseWriter,
    openSiteFile: files.openSiteFile,
  });
  const proofs = fromSecret(db, createProofs);
  const domainChecks = new DomainChecks({
    ...background,
    dnsServers: config.dnsServers,
    times: { checkSeconds: config.domainCheckSeconds, graceSeconds: config.domainGraceSeconds },
    proofs,
    targetOf: (slug) => domainsTarget(config, slug),
    onMail: wakeDispatcher,
  });
  const cleanUp = new CleanUp({
    ...background,
    now,
    logDays: config.deliveryLogDays,
    auditDays: config.auditDays,
    trashDays: config.trashDays,
    countExpired: (count) => metrics.expired(count),
  });
  const { onOwnChange, ...onOthers } = createDeploymentChanges({ pages, submissions, proven });
  const changeFeed = new ChangeFeed(db, limits.changeFeed.gapMs, {
    onChanges: onOthers.onFeedChanges,
    onGap: onOthers.onGap,
  });
  const app: App = {
    ...base,
    metrics,
    compute: { checks: threads.checks, formsOf, readFormsAhead: (id) => readFormsAhead(formSources, id) },
    ...{ files, secrets, submissions, pages, requests },
    domains: { proofs, checks: domainChecks },
    health: new SharedChecks(config, { connection: databaseServer.connection, db }),
    delivery: {
      mailAccount: config.smtpUrl === undefined ? undefined : (...mail) => delivery.sender.mailAccount(...mail),
      isOwnUrl: (url) => own.isIn(url),
      readDocument: (...document) => delivery.documents.read(...document),
    },
    lifecycle: {
      onDeploymentChange: onOwnChange,
      onPurge: () => cleanUp.wake(),
      isStarting: lifecycle.isStarting,
      readiness: lifecycle.readiness,
      stopping: lifecycle.stopping,
    },
  };
  const server = new HttpServer(new Listener(app).handle, limits, {
    baseUrl: config.baseUrl,
    isProxy: proxiesOf(config.trustProxy),
    clientAddress: requests.clientAddress,
  });
  return {
    app,
    databaseServer,
    lifecycle,
    bucket,
    threads,
    delivery,
    submissions,
    cleanUp,
    domainChecks,
    changeFeed,
    server,
  };
}

/** Ends the parts in the order in which they give each other work. */
async function close({ app, lifecycle, server, delivery, threads, submissions, bucket, databaseServer }: ServiceParts) {
  const { dispatcher, sender, captchas, documents } = delivery;
  await lifecycle.announceStop();
  dispatcher.drain();
  await server.close();
  await dispatcher.close();
  await sender.close();
  await threads.close();
  await captchas.close();
  await documents.close();
  await Promise.all([
    submissions.honeypotHits.close(),
    submissions.turnedAway.close(),
    bucket.close(),
    lifecycle.ended(),
  ]);
  await app.db.close();
  await databaseServer.close();
}

/** How the state of the installation is read for the metrics. */
function installationState({ db, config }: Pick<App, 'db' | 'config'>): InstallationState {
  return {
    backupAge: () => backupAge(db),
    missingBackups: async () => (config.databaseUrl === undefined && (await backupAge(db)) === undefined ? 1 : 0),
    databaseBytes: () => databaseBytes(db),
    disk: () => diskSpace(config.databaseUrl === undefined ? config.dataDir : '.'),
    endingDomains: () => countEndingDomains(db),
    endingCertificates: () =>
      countEndingCertificates(db, {
        baseUrl: config.baseUrl,
        pageUrl: (slug) => pageUrl(config, slug),
        targetOf: (slug) => domainsTarget(config, slug),
      }),
  };
}

/** Builds the whole service and listens. The database may be reached later: see `ready`. */
export async function startService(config: Config, log: Log, overrides: ServiceOverrides = {}): Promise<Service> {
  let listening: AddressInfo | undefined;
  const parts = await createParts(config, log, overrides, () => listening);
  const { app, databaseServer, lifecycle, bucket, delivery, cleanUp, domainChecks, changeFeed, server } = parts;
  const { db, limits, metrics, secrets, pages } = app;
  const signal = lifecycle.stopping;
  const ready = lifecycle.start(databaseServer, changeFeed, [
    async () => delivery.dispatcher.run(),
    () => cleanUp.run(),
    () => runDigestLoop({ db, limits, log, signal }, () => delivery.dispatcher.wake()),
    () => bucket.run(signal),
    () => domainChecks.run(app.lifecycle.onDeploymentChange),
    () => runExpiry({ db, log, signal, onChange: app.lifecycle.onDeploymentChange, onPurge: app.lifecycle.onPurge }),
    // Forms in the pages of errors are signed during an outage too.
    async () => void (await secrets.links().catch(() => undefined)),
  ]);
  // Callers handle it through `ready`; requests get a 503.
  ready.catch(() => undefined);
  try {
    listening = await server.listen(config.port, config.host);
  } catch (error) {
    await close(parts);
    throw error;
  }
  const { address, family, port } = listening;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    ready,
    exposeMetrics: () =>
      metrics.expose({
        pageLookups: () => pages.cache.lookups,
        connections: db.use,
        backlogAge: () => deliveriesBacklogAge(db),
        installation: installationState(app),
      }),
    close: () => close(parts),
  };
}
