import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type Limits, SIZES } from '../../limits.ts';
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
export class Connections {
  readonly #connect: Connect;
  readonly #limits: Limits['delivery'];
  readonly #all = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;

  constructor(connect: Connect, limits: Limits) {
    this.#connect = connect;
    this.#limits = limits.delivery;
  }

  open(origin: string): Connection {
    const life = new AbortController();
    const client = new Client(origin, {
      allowH2: false,
      maxHeaderSize: SIZES.webhook.maxHeaderBytes,
      keepAliveMaxTimeout: this.#limits.idleConnectionMs,
      // Only the attempt's signal limits the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) =>
        this.#connect(options, life.signal, (...outcome) => {
          connection.socket = outcome[1] ?? undefined;
          callback(...outcome);
        }),
    });
    const connection: Connection = { origin, client, socket: undefined, life, isReused: false };
    // During an attempt, the attempt drops the connection, or the client connects again.
    client.on('disconnect', () => {
      if (this.#idle.get(origin)?.includes(connection)) this.drop(connection);
    });
    this.#all.add(connection);
    return connection;
  }

  reuseOrOpen(origin: string): Connection {
    const kept = this.#idle.get(origin)?.pop();
    if (kept) this.#idleCount -= 1;
    return kept ?? this.open(origin);
  }

  release(connection: Connection): void {
    if (this.#idleCount >= this.#limits.idleConnections) {
      this.drop(connection);
      return;
    }
    this.#idleCount += 1;
    connection.isReused = true;
    const free = this.#idle.get(connection.origin);
    if (free) free.push(connection);
    else this.#idle.set(connection.origin, [connection]);
  }

  drop(connection: Connection): void {
    const free = this.#idle.get(connection.origin) ?? [];
    const others = free.filter((other) => other !== connection);
    this.#idleCount -= free.length - others.length;
    if (others.length > 0) this.#idle.set(connection.origin, others);
    else this.#idle.delete(connection.origin);
    this.#all.delete(connection);
    connection.life.abort();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#all, ({ client }) => client.close()));
  }
}
