import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { type Config, domainsTarget } from './config.ts';
import { CleanUp } from './db/clean-up.ts';
import { deliveriesBacklogAge } from './db/deliveries/delivery-queue.ts';
import { ChangeFeed } from './db/deployments/change-feed.ts';
import { createOpenSiteFile } from './db/deployments/site-files.ts';
import { createOpenFile, type ReadObject } from './db/files/file-content.ts';
import { connect } from './db/postgres/connect.ts';
import type { SiteverifyUrls } from './delivery/captcha-providers.ts';
import { runDigestLoop } from './delivery/mail/digest-loop.ts';
import { DomainChecks } from './domains/domain-checks.ts';
import { Bucket } from './files/bucket.ts';
import { FilesBucket } from './files/files-bucket.ts';
import { Listener } from './http/listener.ts';
import { proxiesOf } from './http/request/client-address.ts';
import { HttpServer } from './http/server.ts';
import type { Log } from './lib/log.ts';
import { type LimitOverrides, withLimits } from './limits.ts';
import { createCore } from './start/core.ts';
import { createApp } from './start/create-app.ts';
import { createDelivery } from './start/create-delivery.ts';
import { createSubmissions } from './start/create-submissions.ts';
import { Lifecycle } from './start/lifecycle.ts';
import { type FirstOwner, openDatabase } from './start/prepare-database.ts';

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

/** Creates every part once. `listening`: where the process listens; undefined until it does. */
async function createParts(
  config: Config,
  log: Log,
  { siteverifyUrls, limits: overrides = {}, now = () => new Date() }: ServiceOverrides,
  listening: () => AddressInfo | undefined,
) {
  const limits = withLimits(overrides);
  const databaseServer = await openDatabase(config, log);
  const db = connect(databaseServer.connection, { limits, onRenew: () => changeFeed.reset() });
  const lifecycle = new Lifecycle({ config, log, db });
  const { isStarting, readiness, stopping } = lifecycle;
  const shared = { db, limits, log, signal: stopping };
  const files = new FilesBucket(config.bucket && new Bucket(config.bucket, limits), shared);
  const readObject: ReadObject = (...part) => files.read(...part);
  const openSiteFile = createOpenSiteFile(db, readObject, limits);
  const core = createCore(config, limits, log, db, openSiteFile, listening);
  const delivery = createDelivery(core, siteverifyUrls);
  const { sender } = delivery;
  const bucket = config.bucket?.isForOldFiles === false ? files : undefined;
  const submissions = createSubmissions(core, bucket, delivery);
  const cleanUp = new CleanUp({
    ...shared,
    now,
    logDays: config.deliveryLogDays,
    trashDays: config.trashDays,
    countExpired: (count) => core.metrics.expired(count),
  });
  const domainChecks = new DomainChecks({
    ...shared,
    dnsServers: config.dnsServers,
    times: { checkSeconds: config.domainCheckSeconds, graceSeconds: config.domainGraceSeconds },
    proofs: core.domainProofs,
    targetOf: (slug) => domainsTarget(config, slug),
    onMail: () => delivery.dispatcher.wake(),
  });
  const app = createApp(core, submissions, {
    domainChecks,
    openFile: createOpenFile(db, readObject, limits),
    openSiteFile,
    bucket,
    mailAccount: config.smtpUrl === undefined ? undefined : (...mail) => sender.mailAccount(...mail),
    onPurge: () => cleanUp.wake(),
    ...{ isStarting, readiness, stopping },
  });
  const changeFeed = new ChangeFeed(db, limits.changeFeed.gapMs, { onChanges: app.onFeedChanges, onGap: app.onGap });
  const server = new HttpServer(new Listener(app).handle, limits, {
    baseUrl: config.baseUrl,
    isProxy: proxiesOf(config.trustProxy),
    clientAddress: app.clientAddress,
  });
  return {
    ...core,
    ...delivery,
    ...submissions,
    databaseServer,
    lifecycle,
    files,
    cleanUp,
    domainChecks,
    app,
    changeFeed,
    server,
  };
}

/** Ends the parts in the order in which they give each other work. */
async function close({ lifecycle, server, dispatcher, sender, captchas, ...parts }: ServiceParts): Promise<void> {
  await lifecycle.announceStop();
  dispatcher.drain();
  await server.close();
  await dispatcher.close();
  await sender.close();
  await Promise.all([parts.compute.close(), parts.checks.close(), parts.labelThread.close()]);
  await captchas.close();
  await Promise.all([parts.honeypotHits.close(), parts.turnedAway.close(), parts.files.close(), lifecycle.ended()]);
  await parts.db.close();
  await parts.databaseServer.close();
}

/** Builds the whole service and listens. The database may be reached later: see `ready`. */
export async function startService(config: Config, log: Log, options: ServiceOverrides = {}): Promise<Service> {
  let listening: AddressInfo | undefined;
  const parts = await createParts(config, log, options, () => listening);
  const { db, limits, links, metrics, databaseServer, lifecycle, dispatcher, files } = parts;
  const { cleanUp, domainChecks, app, changeFeed, server } = parts;
  const signal = lifecycle.stopping;
  const ready = lifecycle.start(databaseServer, changeFeed, [
    async () => dispatcher.run(),
    () => cleanUp.run(),
    () => runDigestLoop({ db, limits, log, signal }, () => dispatcher.wake()),
    () => files.run(signal),
    () => domainChecks.run(app.onDeploymentChange),
    // Forms in the pages of errors are signed during an outage too.
    async () => void (await links().catch(() => undefined)),
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
        pageLookups: () => app.pages.lookups,
        connections: db.use,
        backlogAge: () => deliveriesBacklogAge(db),
      }),
    close: () => close(parts),
  };
}
