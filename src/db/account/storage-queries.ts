import type { Knex } from 'knex';
import type { MailEvent } from '../../lib/events.ts';
import { newDeliveryId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, query } from '../postgres/query.ts';
import { ANONYMOUS } from './anonymous-owner.ts';

/*
 * The bytes that an owner stores: pages, their versions, and files of submissions and of spam, of live deployments and in
 * the trash. Triggers of migrations/0044-storage.ts count them when a transaction commits, so that whatever stores or
 * removes bytes is counted, and locks the owner's row last.
 */

/** The bytes that an owner on each plan may store; Infinity for no limit, which a plan that is not listed has too. */
export type StorageLimits = ReadonlyMap<string, number>;

/** The owner whose bytes are counted: by id, or as the owner of a deployment. */
type Of = { ownerId: number } | { deploymentId: string };

/** The bytes that an owner stores, and may store. */
type Storage = {
  ownerId: number;
  plan: string;
  used: number;
  limit: number;
  /** The part of the limit that the last mail was about, and the least use since then. */
  mailedPercent: number;
  lowest: number;
};

/** An owner would store more bytes than the plan allows: nothing was stored. */
export class StorageFull extends Error {
  readonly storage: Storage;

  constructor(storage: Storage) {
    super('The storage of the owner is full.');
    this.storage = storage;
  }
}

/** Returns SQL for the bytes that an owner stores. `owner` is the owner's id in SQL. */
export const usedStorage = (owner: string): string =>
  `coalesce((SELECT used FROM storage WHERE owner_id = ${owner}), 0)`;

/** Pages that nobody has claimed are bounded by their number; what visitors add to them, here. */
function limitOf(plan: string, of: Of, limits: StorageLimits): number {
  if (plan !== ANONYMOUS) return limits.get(plan) ?? Number.POSITIVE_INFINITY;
  return 'deploymentId' in of ? SIZES.anonymous.maxStoredBytes : Number.POSITIVE_INFINITY;
}

/** Undefined where there is no limit, or no such live deployment. */
async function findLimited(db: Knex, of: Of, limits: StorageLimits): Promise<Storage | undefined> {
  const [row] = await query<Omit<Storage, 'limit'>>(
    db,
    'find-storage',
    `SELECT owners.id AS "ownerId", plan, coalesce(used, 0) AS used, coalesce(mailed_percent, 0) AS "mailedPercent",
            coalesce(lowest, 0) AS lowest
       FROM owners LEFT JOIN storage ON owner_id = owners.id
      WHERE owners.id = coalesce(CAST(:ownerId AS bigint), (
        SELECT owner_id FROM deployments WHERE id = :deploymentId AND coalesce(deleted_at, taken_down_at) IS NULL))`,
    { ownerId: null, deploymentId: null, ...of },
  );
  const limit = limitOf(row?.plan ?? '', of, limits);
  return row && limit !== Number.POSITIVE_INFINITY ? { ...row, limit } : undefined;
}

/** Throws StorageFull if so many more bytes would be too many. Nothing is reserved. */
export async function checkStorage(db: Knex, of: Of, bytes: number, limits: StorageLimits): Promise<void> {
  const storage = await findLimited(db, of, limits);
  if (!storage || storage.used + bytes <= storage.limit) return;
  await mailUse(db, storage, true);
  throw new StorageFull(storage);
}

/**
 * Counts what a transaction has stored. Throws StorageFull if that is too much. The owner's row is locked until the
 * transaction ends, which should be at once: so concurrent transactions together don't exceed the limit.
 */
export async function settleStorage(transaction: Knex, of: Of, limits: StorageLimits): Promise<void> {
  if (!(await findLimited(transaction, of, limits))) return;
  await execute(transaction, 'count-storage', 'SET CONSTRAINTS count_storage IMMEDIATE');
  const storage = await findLimited(transaction, of, limits);
  if (storage && storage.used > storage.limit) throw new StorageFull(storage);
  if (storage) await mailUse(transaction, storage, false);
}

/** The owner gets a mail when use reaches these parts of the limit. */
const MAIL_PERCENTS = [80, 100];
/** A mail is sent again once use has been lower by this part of the limit: otherwise use around 80 % would send many. */
const MAIL_AGAIN_PERCENT = 10;
/** The use that each change adds to is counted anew after this time. */
const RECOUNT_HOURS = 24;

/** The part of the limit that the owner is to get a mail about now. */
function duePercent({ used, limit, mailedPercent, lowest }: Storage, isRefused: boolean): number | undefined {
  const reaches = (bytes: number, percent: number): boolean => limit > 0 && 100 * bytes >= percent * limit;
  // A change that is refused can leave the last bytes free for ever.
  const isFull = isRefused && reaches(used, 100 - MAIL_AGAIN_PERCENT);
  const reached = MAIL_PERCENTS.filter((percent) => (isFull && percent === 100) || reaches(used, percent));
  return reached.findLast((percent) => percent > mailedPercent || !reaches(lowest, percent - MAIL_AGAIN_PERCENT));
}

const EVENT: MailEvent = 'storage';

/** Makes the mail to an owner whose storage is nearly full, or full. It is sent as a mail about the newest live page. */
async function mailUse(db: Knex, storage: Storage, isRefused: boolean): Promise<void> {
  const percent = duePercent(storage, isRefused);
  if (percent === undefined) return;
  const { ownerId, mailedPercent, lowest, used, limit, plan } = storage;
  // Nobody has that address.
  if (plan === ANONYMOUS) return;
  const notice = { percent, used, limit, plan };
  await execute(
    db,
    'mail-storage',
    `WITH page AS MATERIALIZED (
       SELECT id FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
     ), mailed AS (
       -- Once, also when several transactions find that it is due.
       UPDATE storage SET mailed_percent = :percent, lowest = used
         FROM page WHERE owner_id = :ownerId AND mailed_percent = :mailedPercent AND lowest = :lowest
       RETURNING page.id AS deployment_id
     )
     INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
     SELECT :deliveryId, deployment_id, :ownerId, '${EVENT}', :notice, now(), now(), now() FROM mailed`,
    { ownerId, percent, mailedPercent, lowest, deliveryId: newDeliveryId(), notice: JSON.stringify(notice) },
  );
}

/** Makes the mail about a change that `checkStorage` has refused in a transaction, with which its mail was rolled back. */
export const mailRefusal = (db: Knex, { storage }: StorageFull): Promise<void> => mailUse(db, storage, true);

/** Counts all that one owner stores, if that was not done for a day; false when there is no such owner. */
export const recountStorage = async (db: Knex): Promise<boolean> =>
  (await execute(
    db,
    'recount-storage',
    `SELECT recount_storage(owner_id) FROM (
       SELECT owner_id FROM storage WHERE counted_at < now() - interval '${RECOUNT_HOURS} hours'
        ORDER BY counted_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS due`,
  )) === 1;
