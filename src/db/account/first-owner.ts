import type { Knex } from 'knex';
import { execute } from '../postgres/query.ts';
import { ANONYMOUS } from './anonymous-owner.ts';
import { makeKey } from './owner-queries.ts';
import { makeSignInLink } from './session-queries.ts';

/** Makes the first owner, a key for it and a link that signs in; undefined when there is an owner already. */
export async function createFirstKey(
  db: Knex,
  owner: { email: string; plan: string },
  linkHash: Buffer,
): Promise<string | undefined> {
  return db.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE owners IN SHARE ROW EXCLUSIVE MODE');
    const owners = await execute(
      transaction,
      'find-any-owner',
      `SELECT FROM owners WHERE email <> '${ANONYMOUS}' LIMIT 1`,
    );
    if (owners > 0) return undefined;
    const { key } = await makeKey(transaction, { ...owner, defaultPlan: owner.plan });
    await makeSignInLink(transaction, owner.email, { hash: linkHash });
    return key;
  });
}
