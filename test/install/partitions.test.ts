import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSql } from '../support/database.ts';
import { cloneDatabase, emptyDatabase } from '../support/fresh-database.ts';
import { PROJECT } from '../support/process.ts';
import { type Received, startReceiver } from '../support/receivers.ts';
import { backedUp, operatorOf, restored as restoredWell } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { asOwner, type Owner, startTestService, type TestService, testService } from '../support/test-service.ts';

const FORMS = 5;
const ALLOWED = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

const partition = async (url: string): Promise<void> =>
  runSql(url, await readFile(join(PROJECT, 'deploy/examples/partitions.sql'), 'utf8'));

const command = (name: 'backup' | 'restore', file: string, databaseUrl: string) =>
  operatorOf({ databaseUrl }, name)(file);

describe('submissions and deliveries in partitions (deploy/examples/partitions.sql)', () => {
  const received: Received[] = [];
  let service: TestService;
  let owner: Owner;
  let forms: string[];
  let folder: string;

  /** One submission to each form, and what the list of each shows then, newest first. */
  async function submitToEach(url: string, as: Owner, ids: readonly string[], note: string): Promise<void> {
    for (const id of ids) {
      const sent = await fetch(`${url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ note, id }) });
      expect(sent.status).toBe(200);
      const { body } = await as.get(`/submissions/${id}`).expect(200);
      expect(body.submissions[0].data).toEqual({ note, id });
    }
  }

  const notesReceived = (): string[] => received.map(({ body }) => JSON.parse(body).data.note);

  /** Five forms with a submission each, in whole tables that are then divided; and a service on them. */
  async function divide(): Promise<void> {
    folder = await emptyFolder();
    const receiver = await startReceiver((response, request) => {
      received.push(request);
      // The first attempt of each is refused, so that deliveries are claimed from the database too.
      const isFirst =
        received.filter(({ headers }) => headers['webhook-id'] === request.headers['webhook-id']).length === 1;
      response.writeHead(isFirst ? 500 : 204).end();
    });
    const database = await cloneDatabase();
    const before = await startTestService(ALLOWED, { ...database, drop: async () => undefined });
    owner = await before.owner();
    const { key } = owner;
    forms = [];
    for (let count = 0; count < FORMS; count += 1) {
      const { id } = await owner.deploy();
      await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
      forms.push(id);
    }
    await submitToEach(before.url, owner, forms, 'before');
    const [first = ''] = forms;
    const listed = await owner.get(`/submissions/${first}/search`).expect(200);
    await owner.patch(`/submissions/${first}/${listed.body.submissions[0].id}`).send({ starred: true }).expect(200);
    await before.close();
    await partition(database.url);
    service = await testService({ ...ALLOWED, DELIVERY_RETRY_DELAYS: '0,0,0' }, database);
    owner = asOwner(service.url, key);
  }

  async function keepsAll(): Promise<void> {
    const [first = ''] = forms;
    const { body } = await owner.get(`/submissions/${first}/search?starred=true`).expect(200);
    expect(body.submissions).toMatchObject([{ data: { note: 'before' }, starred: true }]);
    const { rows } = await service.db.raw(
      `SELECT tablename, indexname FROM pg_indexes WHERE tablename IN ('submissions', 'deliveries') ORDER BY indexname`,
    );
    const whole = await testService();
    const expected = await whole.db.raw(
      `SELECT tablename, indexname FROM pg_indexes WHERE tablename IN ('submissions', 'deliveries') ORDER BY indexname`,
    );
    expect(rows).toEqual(expected.rows);
    const { rows: used } = await service.db.raw('SELECT count(DISTINCT tableoid) AS partitions FROM submissions');
    expect(used[0].partitions).toBeGreaterThan(1);
  }

  /** Submissions, deliveries that are tried again, reads, marks, deletions. */
  async function servesARun(): Promise<void> {
    await submitToEach(service.url, owner, forms, 'after');
    await expect.poll(() => notesReceived().filter((note) => note === 'after').length).toBe(2 * FORMS);
    for (const id of forms) {
      const { body: all } = await owner.get(`/webhooks/${id}`).expect(200);
      const log = `/webhooks/${id}/${all.webhooks[0].id}/deliveries`;
      await expect
        .poll(async () => (await owner.get(log)).body.deliveries[0])
        .toMatchObject({ status: 'succeeded', attempts: 2 });
      const { body: deliveries } = await owner.get(log).expect(200);
      await owner.post(`${log}/${deliveries.deliveries[0].id}/retry`).expect(202);
      const { body } = await owner.get(`/submissions/${id}?limit=1`).expect(200);
      const [{ id: submissionId }] = body.submissions;
      await owner.get(`/submissions/${id}/${submissionId}`).expect(200);
      await owner.mark(id, 'star', [submissionId]);
      await owner.delete(`/submissions/${id}/${submissionId}`).expect(200);
      expect((await owner.get(`/submissions/${id}`)).body.total).toBe(body.total - 1);
    }
  }

  async function isRestored(): Promise<void> {
    const file = join(folder, 'one.backup');
    expect(await command('backup', file, service.databaseUrl)).toEqual(backedUp);
    const read = async (one: TestService['db']) =>
      (await one.raw('SELECT CAST(each AS text) AS row FROM submissions AS each ORDER BY 1')).rows;
    const source = await read(service.db);
    expect(source.length).toBe(FORMS);
    const into = { whole: await emptyDatabase(), parts: await cloneDatabase() };
    await partition(into.parts.url);
    for (const [name, target] of Object.entries(into)) {
      expect([name, await command('restore', file, target.url)]).toEqual([name, restoredWell]);
      const restored = await testService(ALLOWED, target);
      expect(await read(restored.db)).toEqual(source);
      const as = asOwner(restored.url, owner.key);
      await submitToEach(restored.url, as, forms, `restored into ${name}`);
      await expect.poll(notesReceived).toContain(`restored into ${name}`);
    }
  }

  it('keep what was there, serve a short run, and are backed up and restored into whole tables and partitions', async () => {
    await divide();
    await keepsAll();
    await servesARun();
    await isRestored();
  });
});
