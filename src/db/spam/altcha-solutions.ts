import type { Knex } from 'knex';
import type { Solution } from '../../lib/altcha.ts';
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
