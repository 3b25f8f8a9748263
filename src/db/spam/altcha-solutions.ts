import type { Knex } from 'knex';
import type { Solution } from '../../lib/altcha.ts';
import type { Limits } from '../../limits.ts';
import { execute } from '../postgres/query.ts';

/**
 * Uses a solution up; false when it has been used. It belongs in the transaction that stores the submission, after the
 * deployment's row is locked: any transaction that used it before has ended, and nothing is waited for.
 */
export async function storeSolution(transaction: Knex, { hash, expiresAt }: Solution): Promise<boolean> {
  const stored = await execute(
    transaction,
    'store-altcha-solution',
    'INSERT INTO altcha_solutions (hash, expires_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING',
    [hash, expiresAt],
  );
  return stored === 1;
}

/** Removes up to a batch of solutions whose challenges have expired; answers how many. */
export const removeExpiredSolutions = (db: Knex, { cleanUp: { batch, solutionMarginMs } }: Limits): Promise<number> =>
  execute(
    db,
    'remove-expired-altcha-solutions',
    `DELETE FROM altcha_solutions WHERE hash IN (
       SELECT hash FROM altcha_solutions WHERE expires_at < now() - ? * interval '1 ms'
        ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)`,
    [solutionMarginMs, batch],
  );
