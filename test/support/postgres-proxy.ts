import { once } from 'node:events';
import { createConnection, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { freePort } from './process.ts';

/** A connection through the proxy: its two ends, and what ends both. */
export type Link = { client: Socket; postgres: Socket; end(): void };

/**
 * Postgres at an address where a test can cause faults. `carry` gets each connection, with `notes` of the test, and
 * forwards what should pass. It listens until `close`, and at the same address again after `open`.
 */
export async function proxyTo<Notes extends object>(
  databaseUrl: string,
  notes: () => Notes,
  carry: (link: Link & Notes) => void,
) {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const port = Number(url.port || 5432);
  let target: NetConnectOpts = folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port };
  const links = new Set<Link & Notes>();

  const server = createServer((client) => {
    const postgres = createConnection(target);
    const end = () => {
      links.delete(link);
      client.destroy();
      postgres.destroy();
    };
    const link = { ...notes(), client, postgres, end };
    links.add(link);
    for (const socket of [client, postgres]) socket.on('error', end).on('close', end);
    carry(link);
  });
  // Nobody else gets it while nobody listens there.
  const ownPort = await freePort();
  server.listen(ownPort, '127.0.0.1');
  await once(server, 'listening');
  url.host = `127.0.0.1:${ownPort}`;
  url.search = '';

  return {
    url: url.href,
    /** The open connections. */
    links,
    /** Leads new connections to another port of this machine. */
    move(to: number) {
      target = { host: '127.0.0.1', port: to };
    },
    async open() {
      server.listen(ownPort, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      for (const link of links) link.end();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Postgres at an address where a statement can be lost, or the answer to it: then it has run, and the client gets no
 * answer.
 */
export async function forgetfulProxyTo(databaseUrl: string) {
  let lost: { statement: string; after: string; hasRun: boolean } | undefined;
  const proxy = await proxyTo(
    databaseUrl,
    () => ({ isLost: false, isAfter: false }),
    (link) => {
      link.client.on('data', (bytes) => {
        if (lost && bytes.includes(lost.after)) link.isAfter = true;
        if (lost && link.isAfter && bytes.includes(lost.statement)) {
          const { hasRun } = lost;
          lost = undefined;
          if (!hasRun) return link.end();
          link.isLost = true;
        }
        link.postgres.write(bytes);
      });
      // Postgres answers a statement when it has committed it.
      link.postgres.on('data', (bytes) => {
        if (link.isLost) link.end();
        else link.client.write(bytes);
      });
    },
  );
  return {
    ...proxy,
    /**
     * Loses the answer to the next statement that has this in its text or its name, on a connection that has sent
     * `after` meanwhile: the process's other work commits too.
     */
    loseAnswerTo(statement: string, after = statement): void {
      lost = { statement, after, hasRun: true };
    },
    /** Loses the statement itself. */
    lose(statement: string, after: string): void {
      lost = { statement, after, hasRun: false };
    },
    /** Returns whether the proxy still has something to lose. */
    isWaiting: () => lost !== undefined,
  };
}

/**
 * Connections to the database may be refused and cut, or get no answer; or be cut at every so-manieth piece of traffic.
 */
export type Trouble = 'none' | 'refused' | 'hanging' | { cutEvery: number };

/** Postgres at an address where a test can make trouble. */
export async function troubledPostgres(databaseUrl: string) {
  let trouble: Trouble = 'none';
  const proxy = await proxyTo(
    databaseUrl,
    () => ({ pieces: 0 }),
    (link) => {
      const pass = (to: Socket) => (bytes: Buffer) => {
        link.pieces += 1;
        if (trouble === 'refused' || (typeof trouble === 'object' && link.pieces % trouble.cutEvery === 0)) link.end();
        else if (trouble !== 'hanging') to.write(bytes);
      };
      link.client.on('data', pass(link.postgres));
      link.postgres.on('data', pass(link.client));
      if (trouble === 'refused') link.end();
    },
  );
  return {
    ...proxy,
    make(next: Trouble) {
      // A connection that hangs stays so for its user: a network that comes back does not bring back the bytes that it lost.
      if (next === 'refused' || trouble === 'hanging') for (const link of proxy.links) link.end();
      trouble = next;
    },
  };
}
