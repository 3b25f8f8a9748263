import request from 'supertest';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { VERSION } from '../../src/lib/project.ts';
import { LIMITS } from '../../src/limits.ts';
import { type Service, startService } from '../../src/service.ts';
import { failure } from '../support/answers.ts';
import { runSql } from '../support/database.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { testLimits } from '../support/test-limits.ts';
import { BASE_URL, PAGES_DOMAIN, sendRaw, UNKNOWN_KEY } from '../support/test-service.ts';

const database = await testDatabase(emptyDatabase);
/** The database's address, where nobody is before it is opened and after it is closed. */
let gate: Awaited<ReturnType<typeof proxyTo>>;
let connections = 0;
let service: Service;
let url: string;
beforeAll(async () => {
  await runSql(inject('postgresUrl'), `ALTER DATABASE ${database.name} SET default_transaction_read_only = on`);
  gate = await proxyTo(
    database.url,
    () => ({}),
    ({ client, postgres }) => {
      connections += 1;
      client.pipe(postgres).pipe(client);
    },
  );
  await gate.close();
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: gate.url, LOG_LEVEL: 'silent' };
  service = await startService({ ...loadConfig(settings), port: 0 }, createLog('silent'), {
    limits: testLimits({ requests: LIMITS.requests, database: LIMITS.database }),
  });
  url = service.url;
});
afterAll(async () => {
  await service.close();
  await gate.close();
});

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 110_000, interval: 50 });

/** The process is up, and says whether it can serve. */
async function expectHealth(ready: 200 | 503): Promise<void> {
  const [healthz, readyz] = await Promise.all([request(url).get('/healthz'), request(url).get('/readyz')]);
  expect([healthz.status, healthz.body]).toEqual([200, { status: 'ok', version: VERSION }]);
  expect(readyz.status).toBe(ready);
  if (ready === 503) expectUnavailable(readyz);
}

function expectUnavailable({ status, headers, body }: request.Response): void {
  expect({ status, retryAfter: headers['retry-after'], body }).toEqual({
    status: 503,
    retryAfter: expect.stringMatching(/^[1-9]\d*$/),
    body: failure,
  });
}

// One service, started before its database can be reached: the cases are its story, in order.
describe('a service whose database is not there yet', () => {
  it('is up, and not ready', async () => {
    await eventually(() => expectHealth(503));
    await request(url).head('/healthz').expect(200);
    await request(url).head('/readyz').expect(503);
  });

  it.each([
    ['with a query', 'GET /healthz?probe=1 HTTP/1.1'],
    ['with an absolute target', 'GET http://localhost/healthz HTTP/1.1'],
  ])('is up when it is asked %s', async (_how, line) => {
    const [status] = (await sendRaw(url, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).split('\r\n');
    expect(status).toBe('HTTP/1.1 200 OK');
  });

  it('answers everything else 503, with Retry-After', async () => {
    const key = `Bearer ${UNKNOWN_KEY}`;
    const [page, ...answers] = await Promise.all([
      request(url).get('/').set('Host', `hello.${PAGES_DOMAIN}`),
      request(url).post('/deploy').set('Authorization', key).send({ html: 'x' }),
      request(url).get('/submissions/d_00000000000000000000').set('Authorization', key),
      request(url).post('/submit/d_00000000000000000000').send({ a: 'b' }),
    ]);
    answers.forEach(expectUnavailable);
    expect([page.status, page.type]).toEqual([503, 'text/html']);
  });

  it('is not ready when the database is reached and not migrated', async () => {
    await gate.open();
    await expect.poll(() => connections).toBeGreaterThan(5);
    await expectHealth(503);
  });

  it('becomes ready without a restart', async () => {
    await runSql(inject('postgresUrl'), `ALTER DATABASE ${database.name} RESET default_transaction_read_only`);
    await eventually(() => expectHealth(200));
    await request(url).post('/submit/d_00000000000000000000').send({ a: 'b' }).expect(404);
    await request(url).get('/deploy/d_00000000000000000000').set('Authorization', `Bearer ${UNKNOWN_KEY}`).expect(401);
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

  it.each(['/', '%20'])('is that path exactly: with %s after it 404', async (rest) => {
    await request(url)
      .get(path + rest)
      .expect(404);
  });
});
