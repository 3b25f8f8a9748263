import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { ChangeFeed } from './db/deployments/change-feed.ts';
import type { Database } from './db/postgres/connect.ts';
import type { DatabaseServer } from './db/postgres/database-server.ts';
import { isMigratedPrimary } from './db/postgres/migrate.ts';
import type { Readiness } from './http/app.ts';
import type { Log } from './lib/log.ts';
import { checkPooler, createFirstOwner, type FirstOwner, prepareDatabase } from './prepare-database.ts';

type LifecycleParts = { config: Config; log: Log; db: Database };

/** Starts and stops the service, and runs its background work in between. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  readonly #stop = new AbortController();
  #isStarting = true;
  #isStopping = false;
  #tasks: Promise<void>[] = [];

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** Fires when the service stops. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  readonly isStarting = (): boolean => this.#isStarting;

  readonly readiness = async (): Promise<Readiness> => {
    const { db } = this.#parts;
    if (this.#isStopping) return 'stopping';
    const isReady = !this.#isStarting && (await isMigratedPrimary(db).catch(() => false));
    return isReady ? 'ready' : 'no database';
  };

  /** Prepares the database, then begins the tasks, which run until the service stops. Rejects when it can't be used. */
  async start(
    databaseServer: DatabaseServer,
    changeFeed: ChangeFeed,
    tasks: readonly (() => Promise<void>)[],
  ): Promise<{ firstOwner: FirstOwner | undefined }> {
    const { config, log, db } = this.#parts;
    await prepareDatabase(databaseServer, config, log, this.stopping);
    await checkPooler(db, log);
    const firstOwner = await createFirstOwner(databaseServer, db, config);
    // Reads the custom domains, before a request for one is answered.
    await changeFeed.read();
    this.#isStarting = false;
    this.#tasks = [() => changeFeed.run(log, this.stopping), ...tasks].map((run) => run());
    return { firstOwner };
  }

  /** Says at `/readyz` that the service stops, and goes on for `shutdownDelayMs`: balancers notice. */
  async announceStop(): Promise<void> {
    this.#isStopping = true;
    if (!this.#isStarting) await delay(this.#parts.config.shutdownDelayMs);
    this.#stop.abort();
  }

  /** Settles when all tasks have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#tasks);
  }
}
