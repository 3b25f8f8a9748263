import type { Knex } from 'knex';
import { changeAccount, findAccountId } from '../../src/db/account/operator-queries.ts';

/** Suspends the owner with an address, or ends that, as an operator does. */
export async function suspendOwner(db: Knex, email: string, suspended = true): Promise<void> {
  const id = await findAccountId(db, email);
  if (id === undefined || !(await changeAccount(db, id, { suspended }))) throw new Error(`No owner has ${email}`);
}
