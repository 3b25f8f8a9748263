import type { Knex } from 'knex';
import { firstAuditEntryId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { deleteInBatches } from '../old-rows.ts';
import { query } from '../postgres/query.ts';

/** Owners whose entries one statement counts. */
const OWNERS_BATCH = 100;

/*
 * The owners that follow one, each with the newest entry that is too much. Their entries are counted in the index, and no further than
 * the limit.
 */
const FIND_EXCESS = `
  WITH RECURSIVE owner AS (
    (SELECT owner_id, 1 AS position FROM audit_entries WHERE owner_id > :after ORDER BY owner_id LIMIT 1)
    UNION ALL
    SELECT next.owner_id, position + 1 FROM owner CROSS JOIN LATERAL (
      SELECT owner_id FROM audit_entries WHERE audit_entries.owner_id > owner.owner_id ORDER BY owner_id LIMIT 1
    ) AS next WHERE position < :batch
  )
  SELECT owner_id AS "ownerId", (
           SELECT id FROM audit_entries WHERE audit_entries.owner_id = owner.owner_id ORDER BY id DESC OFFSET :max LIMIT 1
         ) AS last
    FROM owner ORDER BY owner_id`;

/**
 * Removes the entries of each owner beyond the newest `max`, but none of the last `keptHours` as of `now`: nobody pushes out the trace
 * of what they have just done. Entries outlast their owner.
 */
export async function removeExcessAudit(
  db: Knex,
  { now, signal, ...limits }: { now: Date; signal?: AbortSignal; max?: number; batch?: number },
): Promise<void> {
  const { max = SIZES.audit.maxPerOwner, batch = OWNERS_BATCH } = limits;
  const first = firstAuditEntryId(new Date(now.getTime() - SIZES.audit.keptHours * 60 * 60 * 1_000));
  let found: { ownerId: number; last: string | null }[];
  for (let after = 0; ; after = found.at(-1)?.ownerId ?? after) {
    signal?.throwIfAborted();
    found = await query(db, 'find-excess-audit', FIND_EXCESS, { after, batch, max });
    for (const { ownerId, last } of found) {
      if (last === null) continue;
      const excess = {
        ...{ name: 'remove-excess-audit', table: 'audit_entries', key: 'id' },
        isOld: 'owner_id = :ownerId AND id <= :last AND id < :first',
      };
      await deleteInBatches(db, excess, { ownerId, last, first }, { signal });
    }
    if (found.length < batch) return;
  }
}
