import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUsage } from '../../../src/db/account/owners.ts';
import { findRefusedMail } from '../../../src/db/deliveries/mail-failures.ts';
import { listDeployments } from '../../../src/db/deployments/deployments.ts';
import { listOverview } from '../../../src/db/deployments/overview.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const MANY = 20_000;
const NAMED = 5;

let service: TestService;
let ownerId: number;
beforeAll(async () => {
  service = await startTestService();
  await service.owner({ email: 'many@test.example' });
  ({ id: ownerId } = await service.db('owners').where({ email: 'many@test.example' }).first('id'));
  await service.db.transaction(async (transaction) => {
    // Without triggers: the one that counts them takes quadratic time within a transaction.
    await transaction.raw('SET LOCAL session_replication_role = replica');
    await transaction.raw(
      `INSERT INTO deployments (id, owner_id, slug)
       SELECT 'd_' || lpad(n::text, 24, '0'), ?, 'many-' || translate(n::text, '0123456789', 'abcdefghij')
         FROM generate_series(1, ?::int) AS n`,
      [ownerId, MANY],
    );
    await transaction.raw("INSERT INTO pages (deployment_id, html) SELECT id, '<p>' FROM deployments");
    await transaction.raw('UPDATE live_deployments SET live = ? WHERE owner_id = ?', [MANY, ownerId]);
  });
  await service.db.raw('ANALYZE');
}, 60_000);
afterAll(() => service.close());

/** How many rows a connection has read from the tables, since it last reported that. */
async function rowsRead(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ read: number }] }>(
    'SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables',
  );
  return rows[0].read;
}

/** How many rows a query reads from the tables. */
const rowsReadBy = (read: (db: Knex) => Promise<unknown>): Promise<number> =>
  service.db.transaction(async (transaction) => {
    const before = await rowsRead(transaction);
    await read(transaction);
    return (await rowsRead(transaction)) - before;
  });

describe('an owner with very many deployments', () => {
  it.each<[string, (db: Knex) => Promise<unknown>, number]>([
    ['GET /me: usage', (db) => findUsage(db, ownerId, NAMED), 5],
    ['GET /me: refused mail', (db) => findRefusedMail(db, ownerId, NAMED), 0],
    ['GET /deploy', (db) => listDeployments(db, ownerId, { page: 1, limit: 50 }), 200],
    ['GET /deploy, the last page', (db) => listDeployments(db, ownerId, { page: MANY / 50, limit: 50 }), 200],
    ['GET /overview', (db) => listOverview(db, ownerId, { page: 1, limit: 50 }), 400],
  ])('%s reads some rows, not those of all', async (_what, read, most) => {
    // A prepared statement may get another plan at its sixth use.
    for (let use = 0; use < 7; use += 1) expect(await rowsReadBy(read)).toBeLessThanOrEqual(most);
  });

  it('is told which deployments mail was switched off for, its own live ones only, newest first', async () => {
    const other = await service.owner({ email: 'other@test.example' });
    const { id: foreign } = await other.deploy();
    const idOf = (n: number): string => `d_${String(n).padStart(24, '0')}`;
    const switchedOff = { mail_switched_off_at: new Date() };
    await service
      .db('deployments')
      .whereIn('id', [idOf(3), idOf(9), idOf(11), foreign])
      .update(switchedOff);
    await service
      .db('deployments')
      .whereIn('id', [idOf(11), idOf(12)])
      .update({ deleted_at: new Date() });
    const recipient = (n: string, deploymentId: string, more = {}) => ({
      ...{ id: `rcp_${n}`, deployment_id: deploymentId, email: `${n}@test.example`, position: 1 },
      ...{ switched_off_at: new Date(), ...more },
    });
    await service
      .db('mail_recipients')
      .insert([
        ...[recipient('a', idOf(5)), recipient('b', idOf(5)), recipient('c', idOf(9)), recipient('d', idOf(12))],
        ...[recipient('e', foreign), recipient('f', idOf(7), { removed_at: new Date() })],
        recipient('g', idOf(8), { switched_off_at: null }),
      ]);
    expect(await findRefusedMail(service.db, ownerId, 2)).toEqual({ total: 3, ids: [idOf(9), idOf(5)] });
    expect(await rowsReadBy((db) => findRefusedMail(db, ownerId, 2))).toBeLessThanOrEqual(20);
  });
});
