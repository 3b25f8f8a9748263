import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LIMITS } from '../../src/limits.ts';
import { startService } from '../../src/service.ts';
import { testLimits } from '../support/limits.ts';
import { asOwner, type Owner, openSocket, testService } from '../support/service.ts';

const { answerTimeoutMs } = LIMITS.requests;
/** Less than what a statement may take. */
const FIRST_WAIT_MS = answerTimeoutMs / 2;

const service = await testService();

/** Nobody else reads these tables until the transaction is over. */
async function hold(...tables: string[]): Promise<Knex.Transaction> {
  const holder = await service.db.transaction();
  onTestFinished(async () => void (await holder.rollback().catch(() => undefined)));
  await holder.raw(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  return holder;
}

/** How many statements of requests wait for a lock; those that look for deliveries may as well. */
async function statementsThatWait(): Promise<number> {
  const { rowCount } = await service.db.raw(
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%deliveries%'`,
  );
  return rowCount;
}

async function waiting(statements: number): Promise<void> {
  while ((await statementsThatWait()) !== statements);
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
          // Of keys that are not recognised yet, few are looked up at a time.
          await asOwner(url, owner.key).get(`/deploy/${id}`).expect(200);
          const headers = `Host: api.test\r\nAuthorization: Bearer ${owner.key}\r\n`;
          return {
            socket: openSocket(url).setEncoding('latin1'),
            request: `${line(id)} HTTP/1.1\r\n${headers}\r\n`,
            next: `GET /healthz HTTP/1.1\r\n${headers}\r\n`,
            path: line(id).split(' ')[1],
          };
        }),
      );
      lines.length = 0;
      const [keys, pages] = [await hold('api_keys'), await hold('deployments')];

      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const first = requests.map(async ({ socket }) => statuses(socket, 1));
      for (const { socket, request } of requests) socket.write(request);
      // No statement takes long, and all of them together do.
      await waiting(REQUESTS.length);
      vi.advanceTimersByTime(FIRST_WAIT_MS);
      await keys.commit();
      await waiting(REQUESTS.length);
      vi.advanceTimersByTime(answerTimeoutMs - FIRST_WAIT_MS);
      expect(await Promise.all(first)).toEqual(REQUESTS.map(() => ['503']));

      if (later === 'answers') await pages.commit();
      else {
        await service.db.raw(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        await pages.commit();
      }
      vi.useRealTimers();
      await waiting(0);
      const second = requests.map(async ({ socket }) => statuses(socket, 1));
      for (const { socket, next } of requests) socket.write(next);
      expect(await Promise.all(second)).toEqual(REQUESTS.map(() => ['200']));
      const aboutRequests = lines.filter(({ req_id, path }) => req_id !== undefined && path !== '/healthz');
      expect(new Set(aboutRequests.map(({ level, msg, path, status }) => ({ level, msg, path, status })))).toEqual(
        new Set(requests.map(({ path }) => ({ level: 30, msg: 'answered', path, status: 503 }))),
      );
      expect(aboutRequests.length).toBe(REQUESTS.length);
    },
  );
});
