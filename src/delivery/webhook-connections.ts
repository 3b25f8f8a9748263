import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type Limits, SIZES } from '../limits.ts';
import type { Connect } from './fenced-connector.ts';

/** One connection to an origin, which carries one attempt at a time. */
export type Connection = {
  origin: string;
  client: Client;
  socket: Socket | undefined;
  /** Aborted when the connection is dropped: closes the socket in any state. */
  life: AbortController;
  /** Whether it has been used for an attempt before. */
  isReused: boolean;
};

/**
 * All connections. undici's Agent is not used: it can't abort a connection that is being made, and does not say which
 * attempt it is for.
 */
export function createConnections(connect: Connect, { delivery: limits }: Limits) {
  const all = new Set<Connection>();
  const idle = new Map<string, Connection[]>();
  let idleCount = 0;

  function open(origin: string): Connection {
    const life = new AbortController();
    const client = new Client(origin, {
      allowH2: false,
      maxHeaderSize: SIZES.webhook.maxHeaderBytes,
      keepAliveMaxTimeout: limits.idleConnectionMs,
      // Only the attempt's signal limits the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) =>
        connect(options, life.signal, (...outcome) => {
          connection.socket = outcome[1] ?? undefined;
          callback(...outcome);
        }),
    });
    const connection: Connection = { origin, client, socket: undefined, life, isReused: false };
    // During an attempt, the attempt drops the connection, or the client connects again.
    client.on('disconnect', () => {
      if (idle.get(origin)?.includes(connection)) drop(connection);
    });
    all.add(connection);
    return connection;
  }

  function remove(connection: Connection): void {
    const free = idle.get(connection.origin) ?? [];
    const others = free.filter((other) => other !== connection);
    idleCount -= free.length - others.length;
    if (others.length > 0) idle.set(connection.origin, others);
    else idle.delete(connection.origin);
  }

  function drop(connection: Connection): void {
    remove(connection);
    all.delete(connection);
    connection.life.abort();
  }

  return {
    open,
    drop,
    reuseOrOpen(origin: string): Connection {
      const kept = idle.get(origin)?.pop();
      if (kept) idleCount -= 1;
      return kept ?? open(origin);
    },
    release(connection: Connection): void {
      if (idleCount >= limits.idleConnections) {
        drop(connection);
        return;
      }
      idleCount += 1;
      connection.isReused = true;
      const free = idle.get(connection.origin);
      if (free) free.push(connection);
      else idle.set(connection.origin, [connection]);
    },
    async close(): Promise<void> {
      await Promise.all(Array.from(all, ({ client }) => client.close()));
    },
  };
}
