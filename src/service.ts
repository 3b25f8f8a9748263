import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { type Config, isLocalHost } from './config.ts';
import { connect, isOutOfReach } from './db/connect.ts';
import { openDatabaseServer } from './db/database-server.ts';
import { deliveriesBacklogAge, type LeasedDelivery } from './db/deliveries.ts';
import { isMigrated, migrate } from './db/migrate.ts';
import { createFirstKey } from './db/owners.ts';
import { watchPageChanges } from './db/page-changes.ts';
import { type NewFile, storeSubmissionWithFiles } from './db/submission-files.ts';
import { createSubmissionQueue } from './db/submission-queue.ts';
import { type NewSubmission, type Outcome, storeSubmissions } from './db/submissions.ts';
import { createUploadQueue } from './db/upload-queue.ts';
import { createAttempt } from './delivery/attempt.ts';
import { cleanUpDeliveries } from './delivery/clean-up.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { HttpError } from './http/errors.ts';
import { createRequestIds } from './ids.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createServer } from './server.ts';

/** The service cannot start, for a reason that is the operator's to mend; the message names the setting. */
export class StartError extends Error {}

export type Service = {
  /** Where it listens, such as http://127.0.0.1:3000. */
  url: string;
  /**
   * Settles when the database is reached and migrated; rejects when it never will be. `firstKey` is the key of the
   * owner that an embedded database gets at its very first start, when nobody but this machine can reach the service.
   */
  ready: Promise<{ firstKey: string | undefined }>;
  /** What has happened so far, for Prometheus. */
  exposeMetrics(): Promise<Registry>;
  /** Answers what is in flight, then lets go of everything. */
  close(): Promise<void>;
};

const FIRST_OWNER = 'owner@localhost';
const RETRY_MS = 500;
/** How long a request that comes while the service is starting waits for it. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 25;

/** The plan with the highest limit. */
function roomiest({ planLimits }: Config): string {
  const [first] = [...planLimits].toSorted(([, a], [, b]) => (a === b ? 0 : b - a));
  if (!first) throw new Error('PLAN_LIMITS has no plan.');
  return first[0];
}

/** Builds the whole service and listens; what it needs of the database may come later (`ready`). */
export async function startService(config: Config, log: Log): Promise<Service> {
  const databaseServer = await openDatabaseServer(config, (message) => log.info(message)).catch((error) => {
    throw new StartError(`DATA_DIR ${config.dataDir} cannot be used: ${error.message}`, { cause: error });
  });
  const { connection, isEmbedded } = databaseServer;
  const db = connect(connection, { onRenew: () => pageChanges.reconnect() });
  const metrics = createMetrics();
  const stopping = new AbortController();

  async function prepare(): Promise<void> {
    for (;;) {
      try {
        return await migrate(connection, stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        if (!isOutOfReach(error)) {
          const place = isEmbedded ? `DATA_DIR ${config.dataDir}` : 'the database of DATABASE_URL';
          const reason = error instanceof Error ? error.message : String(error);
          throw new StartError(`${place} cannot be used: ${reason}`, { cause: error });
        }
        log.warn({ err: error }, 'the database is out of reach; trying again');
        await delay(RETRY_MS, undefined, { signal: stopping.signal });
      }
    }
  }
  const { deliveryTimeoutMs: timeoutMs, deliveryLeaseMs: leaseMs, deliveryRetryDelays: retryDelays } = config;
  const sending = createAttempt({
    allowedNetworks: config.webhookAllowCidrs,
    smtpUrl: config.smtpUrl,
    mailFrom: config.mailFrom,
    log,
  });
  const dispatcher = createDispatcher({
    db,
    attempt: sending.attempt,
    retryDelays,
    timeoutMs,
    leaseMs,
    log,
    count: metrics.delivery,
  });
  if (config.smtpUrl === undefined) log.warn('mail is off: SMTP_URL is not set');
  let cleaningUp: Promise<void> | undefined;

  type Leasing = { leaseMs: number; busy: readonly string[] | undefined };

  /** Has submissions stored, so many in one transaction, and then their first deliveries attempted. */
  async function storing<T extends { deliveries: LeasedDelivery[] }>(
    count: number,
    commit: (leasing: Leasing) => Promise<T>,
  ): Promise<T> {
    metrics.batch(count);
    const leasedAt = performance.now();
    const busy = dispatcher.busy();
    const stored = await commit({ leaseMs, busy });
    // The visitors are answered first.
    if (busy) setImmediate(() => dispatcher.start(stored.deliveries, leasedAt));
    else dispatcher.wake();
    return stored;
  }

  const store = async (batch: readonly NewSubmission[]): Promise<Outcome[]> =>
    (await storing(batch.length, (leasing) => storeSubmissions(db, batch, leasing))).outcomes;

  const storeWithFiles = async (submission: NewSubmission, files: readonly NewFile[]): Promise<Outcome> =>
    (await storing(1, (leasing) => storeSubmissionWithFiles(db, submission, files, leasing))).outcome;

  let isPrepared = false;
  const ready = prepare().then(async () => {
    const firstKey =
      isEmbedded && isLocalHost(config.host) ? await createFirstKey(db, FIRST_OWNER, roomiest(config)) : undefined;
    isPrepared = true;
    dispatcher.run();
    cleaningUp = cleanUpDeliveries(db, config.deliveryLogDays, log, stopping.signal);
    return { firstKey };
  });
  // Whoever starts the service is told through `ready`; requests, by the 503 that they get.
  ready.catch(() => undefined);

  /** Looks again and again: reactions on `ready` would pile up while the database is away. */
  async function untilReady(): Promise<void> {
    for (let waited = 0; !isPrepared; waited += LOOK_MS) {
      if (waited >= PATIENCE_MS) {
        throw new HttpError(503, 'The service is starting: try again shortly.', { 'Retry-After': '2' });
      }
      await delay(LOOK_MS, undefined, { ref: false });
    }
  }

  const app = createApp({
    config,
    db,
    queue: createSubmissionQueue(store),
    uploads: createUploadQueue(storeWithFiles),
    reviewDeliveries: dispatcher.review,
    metrics,
    log,
    newRequestId: createRequestIds(),
    pagesAreCurrent: () => pageChanges.current(),
    isStarting: () => !isPrepared,
    untilReady,
    isReady: async () => isPrepared && (await isMigrated(db).catch(() => false)),
  });
  const pageChanges = watchPageChanges(connection, { onChange: app.forgetPage, onReset: app.doubtPages });
  const server = createServer(app.listener);

  const exposeMetrics = (): Promise<Registry> =>
    metrics.expose({
      pageLookups: app.pageLookups,
      connections: db.use,
      backlogAge: () => deliveriesBacklogAge(db),
    });

  async function close(): Promise<void> {
    stopping.abort();
    dispatcher.drain();
    await server.close();
    await dispatcher.close();
    await sending.close();
    await Promise.all([pageChanges.close(), cleaningUp]);
    await db.close();
    await databaseServer.close();
  }
  try {
    const { address, family, port }: AddressInfo = await server.listen(config.port, config.host);
    return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, ready, exposeMetrics, close };
  } catch (error) {
    await close();
    throw error;
  }
}
