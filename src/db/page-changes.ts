import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import type { Limits } from '../limits.ts';
import { execute } from './postgres/query.ts';
import { type Connection, openClient } from './postgres/servers.ts';

const CHANNEL = 'formhost_pages';

/** Notifies every process, at commit, that what is live under `slug` has changed. */
export const announcePageChange = (db: Knex, slug: string): Promise<unknown> =>
  execute(db, 'announce-page-change', 'SELECT pg_notify(?, ?)', [CHANNEL, slug]);

type PageChanges = {
  /** Whether every change that is older than `pageChangesStaleMs` has been received. */
  isInvalidationLive(): boolean;
  /** Listens on a new connection: the present one may lead to a server that another has replaced. */
  reconnect(): void;
  close(): Promise<void>;
};

/**
 * Listens for changes of pages, and connects again when the connection is lost. `onChange` gets a slug; `onReset` is
 * called when changes may have been missed.
 */
export function watchPageChanges(
  connection: Connection,
  {
    limits: { database: limits },
    onChange,
    onReset,
  }: { limits: Limits; onChange(slug: string): void; onReset(): void },
): PageChanges {
  const stopping = new AbortController();
  let liveAt = Number.NEGATIVE_INFINITY;
  let reconnect: () => void = () => undefined;

  const open = (): Promise<pg.Client> =>
    openClient(connection, {
      application_name: 'formhost pages',
      connectionTimeoutMillis: limits.pageChangesTimeoutMs,
      query_timeout: limits.pageChangesTimeoutMs,
      keepAlive: true,
    });

  /** Notifies from a connection of its own. */
  async function notify(payload: string): Promise<void> {
    const client = await open();
    try {
      await client.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function listen(): Promise<void> {
    let client: pg.Client | undefined;
    const lost = new AbortController();
    const lose = () => lost.abort();
    reconnect = lose;
    stopping.signal.addEventListener('abort', lose, { once: true });
    try {
      client = await open();
      client.on('error', lose).on('end', lose);
      await client.query(`LISTEN ${CHANNEL}`);
      // A pooler may accept LISTEN and forward no notifications: wait for one of our own first. It comes from another
      // connection, because a transaction pooler does forward what a connection notifies itself of.
      const own = `self:${process.pid}:${Math.random()}`;
      const ownReceived = new Promise<void>((resolve) => {
        client?.on('notification', ({ payload = '' }) => (payload === own ? resolve() : onChange(payload)));
      });
      await notify(own);
      const deadline = delay(limits.pageChangesTimeoutMs, undefined, { signal: lost.signal }).then(() => {
        throw new Error('No notification arrives.');
      });
      await Promise.race([ownReceived, deadline]);
      onReset();
      while (!lost.signal.aborted) {
        const sentAt = performance.now();
        await client.query('SELECT 1');
        liveAt = sentAt;
        // A heartbeat that has been answered shows that every change before it has been received.
        await delay(limits.pageChangesHeartbeatMs, undefined, { signal: lost.signal });
      }
    } catch {
      // The connection is lost, or could not be made: the loop below tries again.
    } finally {
      liveAt = Number.NEGATIVE_INFINITY;
      lose();
      stopping.signal.removeEventListener('abort', lose);
      await client?.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listen();
      await delay(limits.pageChangesReconnectMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  // A transaction pooler forwards no notifications, and keeps connections on which LISTEN was sent.
  const running = connection.pooler === 'transaction' ? Promise.resolve() : run();

  return {
    reconnect: () => reconnect(),
    isInvalidationLive: () => performance.now() - liveAt < limits.pageChangesStaleMs,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
