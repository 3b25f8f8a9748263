import type { Knex } from 'knex';
import { ownerWireId } from '../../lib/ids.ts';
import { beginPurge, finishPurge } from '../deployments/deleted-deployment-queries.ts';
import { deleteInBatches } from '../old-rows.ts';
import { execute, query } from '../postgres/query.ts';
import { record } from './audit-queries.ts';

/** Deployments that one statement finds. */
const BATCH = 100;

/*
 * The address is free at once, for somebody new. A name without an @ is in no list. Its pages are in no trash, because nobody can sign in.
 */
const BEGIN = `
  WITH renamed AS (
    UPDATE owners SET email = 'deleted ' || id, deleting = true, suspended_at = coalesce(suspended_at, clock_timestamp())
     WHERE id = :id
  ), sessions_of_address AS (
    DELETE FROM sessions WHERE email = :email
  ), links AS (
    DELETE FROM sign_in_links WHERE email = :email
  ), guests_of_address AS (
    DELETE FROM guests WHERE email = :email
  )
  UPDATE deployments SET deleted_at = coalesce(deleted_at, clock_timestamp()), suspended = true WHERE owner_id = :id`;

/**
 * Begins to delete an owner with all that it has: from now on its keys, its pages and its address are gone; false when there is no such
 * owner. `finishOwnerDeletions` removes the rest.
 */
export const beginOwnerDeletion = (db: Knex, id: number): Promise<boolean> =>
  db.transaction(async (transaction) => {
    const [owner] = await query<{ email: string }>(
      transaction,
      'lock-owner-to-delete',
      'SELECT email FROM owners WHERE id = ? AND NOT deleting FOR UPDATE',
      [id],
    );
    if (!owner) return false;
    await execute(transaction, 'begin-owner-deletion', BEGIN, { id, email: owner.email });
    await record(transaction, { target: ownerWireId(id), ownerId: id });
    return true;
  });

const REMOVE = `
  WITH keys AS (
    DELETE FROM api_keys WHERE owner_id = :id
  ), allowed AS (
    DELETE FROM grants WHERE owner_id = :id
  ), requests AS (
    DELETE FROM owner_idempotency_keys WHERE owner_id = :id
  ), counted AS (
    DELETE FROM storage WHERE owner_id = :id
  )
  DELETE FROM owners WHERE id = :id AND NOT EXISTS (SELECT FROM deployments WHERE owner_id = :id)`;

/** Deletes an owner to the end, a bounded number of rows at a time. When it is interrupted it can be run again. */
async function finish(db: Knex, id: number, signal: AbortSignal | undefined): Promise<void> {
  let deployments: { id: string }[];
  do {
    deployments = await query(
      db,
      'find-deployments-to-delete',
      'SELECT id FROM deployments WHERE owner_id = ? LIMIT ?',
      [...[id, BATCH]],
    );
    for (const { id: deploymentId } of deployments) {
      signal?.throwIfAborted();
      await beginPurge(db, deploymentId);
      await finishPurge(db, deploymentId, signal);
    }
  } while (deployments.length > 0);
  // A trigger has the objects in the bucket removed.
  const contents = {
    name: 'remove-contents-of-owner',
    table: 'site_contents',
    key: 'owner_id, sha256',
    isOld: 'owner_id = :id',
  };
  await deleteInBatches(db, contents, { id }, { signal });
  // A statement of its own: its trigger counts the storage, which REMOVE deletes.
  await execute(db, 'remove-drafts-of-owner', 'DELETE FROM new_page_drafts WHERE owner_id = ?', [id]);
  await execute(db, 'remove-owner', REMOVE, { id });
}

/** Deletes all owners whose deletion has begun. Throws when the signal fires. */
export async function finishOwnerDeletions(db: Knex, signal?: AbortSignal): Promise<void> {
  const owners = await query<{ id: number }>(
    db,
    'find-owners-to-delete',
    'SELECT id FROM owners WHERE deleting ORDER BY id',
  );
  for (const { id } of owners) await finish(db, id, signal);
}
