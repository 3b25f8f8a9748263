import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../src/service.ts';
import { testLimits } from '../support/test-limits.ts';
import { type Owner, openSocket, testService } from '../support/test-service.ts';

/** Much less than what a statement may take here. */
const answerTimeoutMs = 500;

const service = await testService();

/** Keeps statements of requests waiting until the transaction is over. */
async function holdDeployments(): Promise<Knex.Transaction> {
  const holder = await service.db.transaction();
  onTestFinished(async () => void (await holder.rollback().catch(() => undefined)));
  await holder.raw('LOCK TABLE deployments IN ACCESS EXCLUSIVE MODE');
  return holder;
}

/** Settles when no statement of a request waits for a lock; those that look for deliveries may. */
async function noStatementWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await service.db.raw(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%deliveries%'`,
    );
    if (rowCount === 0) return;
  }
}

type Line = { req_id?: string; level: number; msg: string; path?: string; status?: number };

/** A service with a log that the test reads. */
async function startLogged() {
  const lines: Line[] = [];
  const stream = new Writable({
    write(text, _encoding, done) {
      lines.push(JSON.parse(String(text)));
      done();
    },
  });
  const logged = await startService(service.config, pino({ level: 'info' }, stream), {
    limits: testLimits({ requests: { answerTimeoutMs } }),
  });
  onTestFinished(() => logged.close());
  await logged.ready;
  return { url: logged.url, lines };
}

/** Settles when so many answers have come, with their statuses. */
async function statuses(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  for (;;) {
    text += await once(socket, 'data');
    const found = text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
    if (found.length >= count) return found;
  }
}

/** Without bodies: the time of those that have one begins when it has been read, which is after what is found first. */
const REQUESTS: ((id: string) => string)[] = [
  (id) => `GET /deploy/${id}`,
  (id) => `GET /deploy/${id}/html`,
  (id) => `GET /submissions/${id}`,
  (id) => `GET /webhooks/${id}`,
  (id) => `DELETE /deploy/${id}`,
];

describe('a request that is answered because it took too long', () => {
  it.each(['answers', 'fails'])(
    'is answered once, and no error is logged, though its handler %s later',
    async (later) => {
      const { url, lines } = await startLogged();
      const requests = await Promise.all(
        REQUESTS.map(async (line) => {
          const owner: Owner = await service.owner();
          const { id } = await owner.deploy({ html: 'old' });
          const headers = `Host: api.test\r\nAuthorization: Bearer ${owner.key}\r\n`;
          return {
            socket: openSocket(url).setEncoding('latin1'),
            request: `${line(id)} HTTP/1.1\r\n${headers}\r\n`,
            next: `GET /openapi.json HTTP/1.1\r\n${headers}\r\n`,
            path: line(id).split(' ')[1],
          };
        }),
      );
      lines.length = 0;
      const pages = await holdDeployments();
      const first = requests.map(async ({ socket }) => statuses(socket, 1));
      for (const { socket, request } of requests) socket.write(request);
      expect(await Promise.all(first)).toEqual(REQUESTS.map(() => ['503']));

      if (later === 'answers') await pages.commit();
      else {
        await service.db.raw(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        await pages.commit();
      }
      await noStatementWaits();
      const second = requests.map(async ({ socket }) => statuses(socket, 1));
      for (const { socket, next } of requests) socket.write(next);
      expect(await Promise.all(second)).toEqual(REQUESTS.map(() => ['200']));
      const aboutRequests = lines.filter(({ req_id, path }) => req_id !== undefined && path !== '/openapi.json');
      expect(new Set(aboutRequests.map(({ level, msg, path, status }) => ({ level, msg, path, status })))).toEqual(
        new Set(requests.map(({ path }) => ({ level: 30, msg: 'answered', path, status: 503 }))),
      );
      expect(aboutRequests.length).toBe(REQUESTS.length);
    },
  );
});
