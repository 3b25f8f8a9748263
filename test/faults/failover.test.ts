// @module-tag slow
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import request from 'supertest';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/db/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { runSql } from '../support/database.ts';
import { ms } from '../support/figures.ts';
import { testLimits } from '../support/limits.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, getPage, JSON_TYPE, PAGES_DOMAIN } from '../support/service.ts';

const FORMS = 40;
const RECOVERY_MS = 5_000;

/** An address that leads to one port and, from `move` on, new connections to another. */
async function startMovingAddress(port: number) {
  let target = port;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const postgres = createConnection({ host: '127.0.0.1', port: target });
    for (const [socket, peer] of [
      [client, postgres],
      [postgres, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => peer.destroy());
      socket.pipe(peer);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return {
    url: `postgres://postgres@127.0.0.1:${address.port}/postgres`,
    move(to: number): void {
      target = to;
    },
    close(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

it('follows a failover: the old primary only reads, and the address leads to its replica', async () => {
  const old = await startPostgresServer();
  onTestFinished(old.close);
  const address = await startMovingAddress(old.port);
  onTestFinished(address.close);
  const settings = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' };
  const service = await startServiceProcess({ ...settings, DATABASE_URL: address.url });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  await service.ready();
  const replica = await old.replica();
  onTestFinished(replica.close);
  // What is acknowledged is on both.
  await runSql(old.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await runSql(old.url, 'SELECT pg_reload_conf()');
  await service.ready();
  const db = connect({ connectionString: old.url }, { limits: testLimits() });
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await db.close();
  const owner = asOwner(service.url, key);
  const forms = await Promise.all(Array.from({ length: FORMS }, () => owner.deploy({ html: 'old' })));
  const [first] = forms;
  if (!first) throw new Error('There is no form');
  await getPage(service.url, first.slug).expect(200, 'old');

  const answers: { status: number; id: string; form: string; at: number }[] = [];
  const until = new AbortController();
  const submitting = (async () => {
    for (const form of forms
      .flatMap((each) => Array.from({ length: 9 }, () => each))
      .toSorted(() => Math.random() - 0.5)) {
      if (until.signal.aborted) return;
      const sent = { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' };
      const response = await fetch(`${service.url}/submit/${form.id}`, sent);
      const body: { id?: string } = JSON.parse(await response.text());
      answers.push({ status: response.status, id: body.id ?? '', form: form.id, at: performance.now() });
      await new Promise((resolve) => setTimeout(resolve, response.status === 200 ? 15 : 50));
    }
  })();
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(50), { timeout: 20_000 });

  // The old one is there, reads, and keeps its connections.
  await runSql(old.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
  await runSql(old.url, 'SELECT pg_reload_conf()');
  await runSql(replica.url, 'SELECT pg_promote()');
  address.move(replica.port);
  const movedAt = performance.now();
  await vi.waitFor(() => expect(answers.some(({ status, at }) => status === 200 && at > movedAt + 500)).toBe(true), {
    timeout: 30_000,
  });
  await request(service.url).get('/readyz').expect(200);
  until.abort();
  await submitting;
  const backAt = answers.find(({ status, at }) => status === 200 && at > movedAt)?.at ?? Number.NaN;

  // A change that another process makes on the new primary is received.
  const other = await startServiceProcess({ ...settings, DATABASE_URL: replica.url });
  onTestFinished(() => void other.child.kill('SIGKILL'));
  await other.ready();
  await getPage(service.url, first.slug).expect(200, 'old');
  await asOwner(other.url, key).put(`/deploy/${first.id}`).send({ html: 'new' }).expect(200);
  const changedAt = performance.now();
  await vi.waitFor(() => getPage(service.url, first.slug).expect(200, 'new'), { timeout: 5_000, interval: 10 });
  const shownIn = performance.now() - changedAt;

  const lists = await Promise.all(forms.map(({ id }) => owner.get(`/submissions/${id}?limit=100`)));
  const stored = new Set(lists.flatMap(({ body }) => body.submissions.map(({ id }: { id: string }) => id)));
  const accepted = answers.filter(({ status }) => status === 200);
  const lost = accepted.filter(({ id }) => !stored.has(id));
  console.log(
    `failover: ${accepted.length} of ${answers.length} answered 200, ${lost.length} of them lost; followed in ` +
      `${ms(backAt - movedAt)}; a change of a page elsewhere shown in ${ms(shownIn)}`,
  );
  expect(lost).toEqual([]);
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(backAt - movedAt).toBeLessThan(RECOVERY_MS);
  expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' });
  await other.stop();
});
