import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import type { Connection } from './connect.ts';

const CHANNEL = 'formhost_pages';
// A beat that was answered within STALE_MS proves that every change older than it has been heard of.
const BEAT_MS = 100;
const STALE_MS = 200;
const RECONNECT_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;

/** Tells every process, at commit, that what is live under `slug` has changed. */
export const announcePageChange = (db: Knex, slug: string): Promise<unknown> =>
  db.raw('SELECT pg_notify(?, ?)', [CHANNEL, slug]);

export type PageChanges = {
  /** Whether every change that is older than a quarter of a second has been heard of. */
  current(): boolean;
  /** Listens on a new connection: the one there is may lead to a server that no longer counts. */
  reconnect(): void;
  close(): Promise<void>;
};

/**
 * Listens for changes of pages, and goes on trying while it can't. `onChange` gets a slug; `onReset` says that
 * changes may have been missed.
 */
export function watchPageChanges(
  connection: Connection,
  { onChange, onReset }: { onChange(slug: string): void; onReset(): void },
): PageChanges {
  const stopping = new AbortController();
  let heardAt = Number.NEGATIVE_INFINITY;
  let reconnect: () => void = () => undefined;

  async function listen(): Promise<void> {
    const client = new pg.Client({
      ...connection,
      application_name: 'formhost pages',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const lost = new AbortController();
    const lose = () => lost.abort();
    reconnect = lose;
    client.on('error', lose).on('end', lose);
    stopping.signal.addEventListener('abort', lose, { once: true });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      // A pooler between us and Postgres may accept LISTEN and pass nothing on: hear ourselves before believing it.
      const own = `self:${process.pid}:${Math.random()}`;
      const heardSelf = new Promise<void>((resolve) => {
        client.on('notification', ({ payload = '' }) => (payload === own ? resolve() : onChange(payload)));
      });
      await client.query('SELECT pg_notify($1, $2)', [CHANNEL, own]);
      const deadline = delay(CONNECT_TIMEOUT_MS, undefined, { signal: lost.signal }).then(() => {
        throw new Error('LISTEN passes nothing on.');
      });
      await Promise.race([heardSelf, deadline]);
      onReset();
      while (!lost.signal.aborted) {
        const askedAt = performance.now();
        await client.query('SELECT 1');
        heardAt = askedAt;
        await delay(BEAT_MS, undefined, { signal: lost.signal });
      }
    } catch {
      // Lost, or never had: the loop below tries again.
    } finally {
      heardAt = Number.NEGATIVE_INFINITY;
      lose();
      stopping.signal.removeEventListener('abort', lose);
      await client.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listen();
      await delay(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const running = run();

  return {
    reconnect: () => reconnect(),
    current: () => performance.now() - heardAt < STALE_MS,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
