import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { newApiKey, newKeyId } from '../ids.ts';
import { isDuplicate } from './connect.ts';

export type Owner = { id: number; plan: string };

export type ApiKey = {
  id: string;
  email: string;
  plan: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Whose key this is; undefined when it is unknown or revoked. Notes the use, at most once a minute. */
export async function findOwnerByKey(db: Knex, key: string): Promise<Owner | undefined> {
  const hash = hashOf(key);
  const { rows } = await db
    .raw(
      `SELECT owners.id, owners.plan, coalesce(api_keys.last_used_at < now() - interval '1 minute', true) AS unnoted
         FROM api_keys JOIN owners ON owners.id = api_keys.owner_id
        WHERE api_keys.hash = ? AND api_keys.revoked_at IS NULL`,
      [hash],
    )
    .options({ name: 'find-owner-by-key' });
  const [row] = rows;
  if (!row) return undefined;
  if (row.unnoted) await noteUse(db, hash);
  return { id: row.id, plan: row.plan };
}

/** A database that only reads is no reason to refuse a key, so this never fails. */
async function noteUse(db: Knex, hash: Buffer): Promise<void> {
  const due = "last_used_at IS NULL OR last_used_at < now() - interval '1 minute'";
  await db.raw(`UPDATE api_keys SET last_used_at = now() WHERE hash = ? AND (${due})`, [hash]).catch(() => undefined);
}

/** Makes a key, and its owner where there is none; a plan, if given, becomes the owner's. The key is stored as a hash. */
export async function createKey(
  db: Knex,
  { email, plan, defaultPlan }: { email: string; plan: string | undefined; defaultPlan: string },
): Promise<string> {
  const key = newApiKey();
  await db.raw(
    `WITH owner AS (
       INSERT INTO owners (email, plan) VALUES (?, ?)
       ON CONFLICT (email) DO UPDATE SET plan = coalesce(?, owners.plan)
       RETURNING id
     )
     INSERT INTO api_keys (id, owner_id, hash) SELECT ?, id, ? FROM owner`,
    [email.toLowerCase(), plan ?? defaultPlan, plan ?? null, newKeyId(), hashOf(key)],
  );
  return key;
}

/** Makes the first owner and a key for it; undefined when there is an owner already. */
export async function createFirstKey(db: Knex, email: string, plan: string): Promise<string | undefined> {
  return db.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE owners IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await transaction.raw('SELECT FROM owners LIMIT 1');
    return rows.length > 0 ? undefined : createKey(transaction, { email, plan, defaultPlan: plan });
  });
}

export async function listKeys(db: Knex): Promise<ApiKey[]> {
  const { rows } = await db.raw(
    `SELECT api_keys.id, email, plan, api_keys.created_at, last_used_at, revoked_at
       FROM api_keys JOIN owners ON owners.id = api_keys.owner_id ORDER BY api_keys.id`,
  );
  return rows.map(
    (row: {
      id: string;
      email: string;
      plan: string;
      created_at: Date;
      last_used_at: Date | null;
      revoked_at: Date | null;
    }) => ({
      id: row.id,
      email: row.email,
      plan: row.plan,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      revokedAt: row.revoked_at,
    }),
  );
}

/** Whether there is such a key; one that was revoked before stays revoked since then. */
export async function revokeKey(db: Knex, id: string): Promise<boolean> {
  const { rowCount } = await db.raw('UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = ?', [id]);
  return rowCount === 1;
}

/** An owner as the operator sees it. */
export type ListedOwner = { email: string; plan: string; createdAt: Date; liveDeployments: number };

const OWNERS_AT_ONCE = 500;

/** All owners, oldest first, a bounded number at a time. */
export async function* listOwners(db: Knex): AsyncGenerator<ListedOwner> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows }: { rows: { id: number; email: string; plan: string; created_at: Date; live: number }[] } =
      await db.raw(
        `SELECT id, email, plan, created_at,
                (SELECT count(*) FROM deployments WHERE owner_id = owners.id AND deleted_at IS NULL) AS live
           FROM owners WHERE id > ? ORDER BY id LIMIT ?`,
        [after, OWNERS_AT_ONCE],
      );
    for (const { email, plan, created_at: createdAt, live: liveDeployments } of rows) {
      yield { email, plan, createdAt, liveDeployments };
    }
    after = rows.at(-1)?.id;
  }
}

export async function ownerExists(db: Knex, email: string): Promise<boolean> {
  return (await db('owners').where({ email }).first('id')) !== undefined;
}

/** Puts an owner on a plan; whether there is such an owner. */
export async function changePlan(db: Knex, email: string, plan: string): Promise<boolean> {
  return (await db('owners').where({ email }).update({ plan })) === 1;
}

/** Gives an owner another e-mail, in lower case both; 'taken' when another owner has it. */
export async function changeEmail(
  db: Knex,
  email: string,
  newEmail: string,
): Promise<'changed' | 'taken' | 'no-owner'> {
  try {
    const changed = await db('owners').where({ email }).update({ email: newEmail });
    return changed === 1 ? 'changed' : 'no-owner';
  } catch (error) {
    if (isDuplicate(error)) return 'taken';
    throw error;
  }
}
