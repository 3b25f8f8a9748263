import { describe, expect, it } from 'vitest';
import { newGuestId } from '../../src/lib/ids.ts';
import { operatorOf, printed, refusedFor } from '../support/run-command.ts';
import { storeTexts } from '../support/stored-submissions.ts';
import { testService } from '../support/test-service.ts';

const service = await testService();
const run = operatorOf(service, 'deployments');
const owner = await service.owner({ email: 'ada@command.example' });

const print = (...args: string[]): Promise<string> => printed(run(...args));

const remove = async (id: string): Promise<void> => void (await owner.delete(`/deploy/${id}`).expect(200));

/** The tables that have rows of a deployment, beside its own. */
const TABLES = [
  ...[
    'anonymous_pages',
    'deliveries',
    'digests',
    'domains',
    'feeds',
    'form_rules',
    'former_slugs',
    'guests',
    'honeypot_hits',
    'idempotency_keys',
    'mail_recipients',
  ],
  ...['page_drafts', 'page_versions', 'pages', 'shares', 'spam_submissions', 'submission_files'],
  ...[
    'submission_marks',
    'submissions',
    'test_submissions',
    'trashed_submissions',
    'turned_away',
    'visitor_confirmations',
    'webhooks',
  ],
];

/** How many rows of a deployment each table has, its own at the end. */
async function rowsOf(id: string): Promise<number[]> {
  const tables = TABLES.map((table) => ({ table, where: { deployment_id: id } }));
  return Promise.all(
    [...tables, { table: 'deployments', where: { id } }].map(
      async ({ table, where }) => (await service.db(table).where(where)).length,
    ),
  );
}

describe('deployments purge', () => {
  /** A deployment with some of everything. */
  async function deployMuch() {
    const deployment = await owner.deploy();
    const { body } = await owner.post(`/webhooks/${deployment.id}`).send({ url: 'https://e.example/' }).expect(201);
    await owner.post(`/deploy/${deployment.id}/feeds`).send({ name: 'Accounts' }).expect(201);
    await owner.post(`/deploy/${deployment.id}/shares`).send({}).expect(201);
    await service.db('guests').insert({
      ...{ id: newGuestId(), deployment_id: deployment.id, email: 'grace@command.example' },
      ...{ role: 'reader', invited_at: service.db.fn.now() },
    });
    await owner.put(`/deploy/${deployment.id}`).send({ html: '<h1>Another</h1>' }).expect(200);
    await owner.put(`/deploy/${deployment.id}/draft`).send({ html: '<h1>A third</h1>' }).expect(200);
    await storeTexts(
      service.db,
      deployment.id,
      Array.from({ length: 1_203 }, () => '{"a":1}'),
    );
    await service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, event, status, next_attempt_at,
                               created_at, updated_at)
       SELECT 'dl_00' || md5(id), deployment_id, 1, id, CASE number % 2 WHEN 0 THEN ? END, 'submission', 'failed', now(),
              now(), now()
         FROM submissions WHERE deployment_id = ?`,
      [body.id, deployment.id],
    );
    await service.db.raw(
      `WITH file AS (
         INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
         SELECT 'file_' || md5(id || part), deployment_id, id, 'a', 'text/plain', 1
           FROM submissions, generate_series(1, 2) AS part WHERE deployment_id = ? AND number <= 5 RETURNING id
       )
       INSERT INTO submission_file_chunks (file_id, position, content) SELECT id, 0, 'x' FROM file`,
      [deployment.id],
    );
    await service.db.raw(
      `INSERT INTO idempotency_keys (deployment_id, key_hash, body_hash, submission_id, created_at)
       SELECT deployment_id, sha256(id::bytea), sha256('{}'), id, now() FROM submissions WHERE deployment_id = ? AND number <= 3`,
      [deployment.id],
    );
    await service
      .db('submission_marks')
      .insert([1, 2].map((number) => ({ deployment_id: deployment.id, number, read: true, starred: false })));
    await service.db('anonymous_pages').insert({ deployment_id: deployment.id, hash: Buffer.from(deployment.id) });
    await service.db('domains').insert({ deployment_id: deployment.id, domain: 'forms.shop.example' });
    for (const table of ['honeypot_hits', 'turned_away'])
      await service.db(table).insert({ deployment_id: deployment.id, day: '2026-11-21', count: 3 });
    await service.db('visitor_confirmations').insert({
      ...{ deployment_id: deployment.id, address_hash: Buffer.from('hash') },
      ...{ day: '2026-11-21', delivery_id: 'dl_1' },
    });
    const mail = { notify_every: 'day', recipients: ['bea@command.example', 'cyd@command.example'] };
    await owner.change(deployment.id, mail);
    await owner.change(deployment.id, { spam: { blocklist: ['casino'] } });
    await service.db.raw(
      `INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
       SELECT :id, 'sub_' || md5(:id || n), '{}', '192.0.2.1', now(), now(), 'blocklist' FROM generate_series(1, 600) AS n`,
      { id: deployment.id },
    );
    await service.db.raw(
      `INSERT INTO trashed_submissions (deployment_id, number, id, data, ip_address, created_at, read, starred, note, status,
                                        deleted_at)
       SELECT :id, 2000 + n, 'sub_' || md5(:id || 't' || n), '{}', '192.0.2.1', now(), false, false, '', 'open', now()
         FROM generate_series(1, 700) AS n`,
      { id: deployment.id },
    );
    await service.db.raw(
      `INSERT INTO test_submissions (deployment_id, after_number, id, data, ip_address, created_at, page_version)
       SELECT :id, 0, 'sub_' || md5(:id || 'o' || n), '{}', '192.0.2.1', now(), 1 FROM generate_series(1, 600) AS n`,
      { id: deployment.id },
    );
    return deployment;
  }

  it('removes everything of a deleted deployment for good, and nothing of another', async () => {
    const [gone, kept, live] = [await deployMuch(), await deployMuch(), await deployMuch()];
    await Promise.all([gone, kept].map(({ id }) => remove(id)));
    // A deleted deployment has no former slugs.
    const whole = [1, 1_203, 1, 1, 1, 1, 0, 1, 1, 3, 2, 1, 1, 1, 1, 600, 10, 2, 1_203, 600, 700, 1, 1, 1, 1];
    const nothing = whole.map(() => 0);
    expect(await rowsOf(gone.id)).toEqual(whole);
    expect(await print('purge', gone.id)).toBe(
      `purged ${gone.id} (${gone.slug}) of ada@command.example, and its 1203 submissions\n`,
    );
    expect(await Promise.all([gone, kept, live].map(({ id }) => rowsOf(id)))).toEqual([nothing, whole, whole]);
    expect(await service.db('submission_file_chunks').where({ content: Buffer.from('x') })).toHaveLength(20);
    expect(await run('undelete', gone.id)).toEqual(refusedFor('no deployment', gone.id));
    expect(await run('purge', live.id)).toEqual(refusedFor(live.id, 'not deleted'));
    expect(await rowsOf(live.id)).toEqual(whole);
  });

  it('is tried here with every table that has rows of a deployment', async () => {
    // The audit keeps what was done to a page that is gone.
    const { rows } = await service.db.raw(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'deployment_id'
          AND table_name NOT IN ('audit_entries', 'deployment_changes')
        ORDER BY name`,
    );
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(TABLES);
  });

  it('that was stopped in the middle goes on when it is run again, and its deployment never comes back', async () => {
    const { id } = await deployMuch();
    await remove(id);
    // The purge ends after its first deletion.
    await service.db('pages').where({ deployment_id: id }).delete();
    expect(await run('undelete', id)).toEqual(refusedFor(id, 'purge'));
    await print('export', id);
    await print('purge', id);
    expect(await rowsOf(id)).toEqual([...TABLES, 'deployments'].map(() => 0));
  });
});
