import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { runSql, withDatabase } from './support/database.ts';
import { sendRaw } from './support/service.ts';

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** An address that is a database's while `open`, and nobody's before and after. */
async function gateTo(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const postgresPort = Number(url.port || 5432);
  const target = folder ? { path: `${folder}/.s.PGSQL.${postgresPort}` } : { host: url.hostname, port: postgresPort };
  const port = await freePort();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const postgres = createConnection(target);
    for (const socket of [client, postgres]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          client.destroy();
          postgres.destroy();
          sockets.delete(socket);
        });
    }
    client.pipe(postgres).pipe(client);
  });
  url.host = `127.0.0.1:${port}`;
  url.search = '';
  return {
    url: url.href,
    connections: () => connections,
    async open() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

const database = `formhost_test_${randomBytes(6).toString('hex')}`;
let gate: Awaited<ReturnType<typeof gateTo>>;
let child: ChildProcess;
let url: string;
beforeAll(async () => {
  const server = inject('postgresUrl');
  await runSql(server, `CREATE DATABASE ${database}`);
  await runSql(server, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  gate = await gateTo(withDatabase(server, database));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  child = spawn(process.execPath, ['src/main.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PORT: String(port), DATABASE_URL: gate.url, LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  });
});
afterAll(async () => {
  child.kill();
  if (child.exitCode === null) await once(child, 'exit');
  await gate.close();
  await runSql(inject('postgresUrl'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
});

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });

/** The process is up, and says whether it can serve. */
async function expectHealth(ready: 200 | 503): Promise<void> {
  const [healthz, readyz] = await Promise.all([request(url).get('/healthz'), request(url).get('/readyz')]);
  expect([healthz.status, readyz.status]).toEqual([200, ready]);
  if (ready === 503) expectUnavailable(readyz);
}

function expectUnavailable({ status, headers, body }: request.Response): void {
  expect({ status, retryAfter: headers['retry-after'], body }).toEqual({
    status: 503,
    retryAfter: expect.stringMatching(/^[1-9]\d*$/),
    body: { error: expect.stringMatching(/\S/) },
  });
}

// One process, started before its database can be reached: the cases are its story, in order.
describe('a service whose database is not there yet', () => {
  it('is up, and not ready', async () => {
    await eventually(() => expectHealth(503));
    await request(url).head('/healthz').expect(200);
    await request(url).head('/readyz').expect(503);
  });

  it.each([
    ['with a query', 'GET /healthz?probe=1 HTTP/1.1'],
    ['with HEAD', 'HEAD /healthz HTTP/1.1'],
    ['in HTTP/1.0', 'GET /healthz HTTP/1.0'],
    ['with an absolute target', 'GET http://localhost/healthz HTTP/1.1'],
  ])('is up when it is asked %s', async (_how, line) => {
    const [status] = (await sendRaw(url, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).split('\r\n');
    expect(status).toBe('HTTP/1.1 200 OK');
  });

  it('answers everything else 503 within 3 s, with Retry-After', async () => {
    const start = performance.now();
    const key = `Bearer fh_${'0'.repeat(43)}`;
    const [page, ...answers] = await Promise.all([
      request(url).get('/').set('Host', 'hello.localhost'),
      request(url).post('/deploy').set('Authorization', key).send({ html: 'x' }),
      request(url).get('/submissions/d_00000000000000000000').set('Authorization', key),
      request(url).post('/submit/d_00000000000000000000').send({ a: 'b' }),
    ]);
    answers.forEach(expectUnavailable);
    expect([page.status, page.type]).toEqual([503, 'text/html']);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('is not ready when the database is reached and not migrated', async () => {
    await gate.open();
    await eventually(async () => expect(gate.connections()).toBeGreaterThan(5));
    await expectHealth(503);
  });

  it('becomes ready without a restart', async () => {
    await runSql(inject('postgresUrl'), `ALTER DATABASE ${database} RESET default_transaction_read_only`);
    await eventually(() => expectHealth(200));
    await request(url).post('/submit/d_00000000000000000000').send({ a: 'b' }).expect(404);
    await request(url)
      .get('/deploy/d_00000000000000000000')
      .set('Authorization', `Bearer fh_${'0'.repeat(43)}`)
      .expect(401);
  });

  it('is not ready while the database is gone again, and ready once it is back', async () => {
    await gate.close();
    await eventually(() => expectHealth(503));
    await gate.open();
    await eventually(() => expectHealth(200));
  });
});

describe.each(['/healthz', '/readyz'])('%s', (path) => {
  it('needs no key, and has JSON in it that nobody keeps', async () => {
    const { status, type, headers } = await request(url).get(path);
    expect([status, type, headers['cache-control']]).toEqual([200, 'application/json', 'no-store']);
    await request(url).get(path).set('Authorization', 'Bearer nonsense').expect(200);
  });

  it.each(['post', 'put', 'patch', 'delete', 'options'] as const)('answers %s with 405 and Allow', async (method) => {
    const { status, headers, body } = await request(url)[method](path);
    expect([status, body]).toEqual([405, { error: expect.stringMatching(/\S/) }]);
    expect(headers.allow?.split(/, */).toSorted()).toEqual(['GET', 'HEAD']);
  });

  it.each(['/', '/x', '%20'])('is that path exactly: with %s after it 404', async (rest) => {
    await request(url)
      .get(path + rest)
      .expect(404);
  });
});
