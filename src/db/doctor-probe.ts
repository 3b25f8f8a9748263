import type { Knex } from 'knex';
import { newDeploymentId } from '../lib/ids.ts';
import { execute, query, queryOne } from './postgres/query.ts';

/** A deployment that the doctor makes for the time of its checks. */
type Probe = { id: string; slug: string };

const OWNER = 'doctor@formhost.invalid';
const SLUG = 'formhost-doctor';
/** A probe that is older is left over from a doctor that was killed. */
const LEFT_OVER_AFTER = "interval '1 minute'";

/** Makes a page for the doctor. It has the same slug each time if that is free, and so needs only one certificate. */
export async function createProbe(db: Knex, html: string, cell = ''): Promise<Probe> {
  return db.transaction(async (transaction) => {
    const owner = await queryOne<{ id: number }>(
      transaction,
      'create-probe-owner',
      `INSERT INTO owners (email, plan) VALUES (?, 'doctor')
       ON CONFLICT (email) DO UPDATE SET plan = 'doctor' RETURNING id`,
      [OWNER],
    );
    const leftOver = await query<{ id: string }>(
      transaction,
      'find-old-probes',
      `SELECT id FROM deployments WHERE owner_id = ? AND created_at < now() - ${LEFT_OVER_AFTER}`,
      [owner.id],
    );
    for (const { id } of leftOver) await remove(transaction, id);
    const id = newDeploymentId(cell);
    const { free } = await queryOne<{ free: boolean }>(
      transaction,
      'is-slug-free',
      'SELECT NOT EXISTS (SELECT FROM deployments WHERE slug = ? AND deleted_at IS NULL) AS free',
      [SLUG],
    );
    const slug = free ? SLUG : `${SLUG}-x${id.replaceAll(/[^a-z]/g, '')}`;
    const insertDeployment = 'INSERT INTO deployments (id, owner_id, slug) VALUES (?, ?, ?)';
    await execute(transaction, 'insert-probe', insertDeployment, [id, owner.id, slug]);
    const insertPage = 'INSERT INTO pages (deployment_id, html) VALUES (?, ?)';
    await execute(transaction, 'insert-probe-page', insertPage, [id, Buffer.from(html)]);
    return { id, slug };
  });
}

/** Removes a probe, with its submissions. */
export async function removeProbe(db: Knex, { id }: Probe): Promise<void> {
  await db.transaction(async (transaction) => {
    // createProbe locks this row first, too. So of two doctors the one that ends last removes the owner.
    await execute(transaction, 'lock-probe-owner', 'SELECT FROM owners WHERE email = ? FOR UPDATE', [OWNER]);
    await remove(transaction, id);
    await execute(
      transaction,
      'remove-probe-owner',
      'DELETE FROM owners WHERE email = ? AND NOT EXISTS (SELECT FROM deployments WHERE owner_id = owners.id)',
      [OWNER],
    );
  });
}

/** There is no key to a probe, so it has no webhooks and no deliveries. */
async function remove(transaction: Knex, id: string): Promise<void> {
  // First: a submission that is being stored has this lock until it is committed.
  await execute(transaction, 'lock-probe', 'SELECT FROM deployments WHERE id = ? FOR UPDATE', [id]);
  for (const table of ['submission_files', 'submissions', 'pages']) {
    await execute(transaction, `remove-probe-${table}`, `DELETE FROM ${table} WHERE deployment_id = ?`, [id]);
  }
  await execute(transaction, 'remove-probe', 'DELETE FROM deployments WHERE id = ?', [id]);
}
