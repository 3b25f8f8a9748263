import type { Knex } from 'knex';
import { newAuditEntryId } from '../../lib/ids.ts';
import type { Database } from '../postgres/connect.ts';
import { execute, type ListPage, type Paging, query, queryPage, readAll } from '../postgres/query.ts';

/** Entries that one statement reads. */
const ENTRIES_BATCH = 500;

/** What the audit has entries of. */
export const ACTIONS = [
  'sign-in',
  'session.end',
  'key.create',
  'key.revoke',
  'grant.create',
  'grant.revoke',
  'account.change',
  'page.publish',
  'page.preview',
  'page.claim',
  'page.delete',
  'page.undelete',
  'page.purge',
  'settings.change',
  'domain.add',
  'domain.remove',
  'guest.add',
  'guest.change',
  'guest.remove',
  'share.create',
  'share.delete',
  'webhook.create',
  'webhook.change',
  'webhook.delete',
  'feed.create',
  'feed.change',
  'feed.delete',
  'submission.delete',
  'submission.restore',
  'submission.erase',
  'submission.export',
  'submission.import',
  'page.take-down',
  'page.restore',
  'owner.suspend',
  'owner.resume',
  'owner.delete',
  'owner.plan',
] as const;
export type Action = (typeof ACTIONS)[number];

/** How somebody has proved who they are. */
export const WAYS = ['key', 'session', 'grant', 'command'] as const;

/**
 * Somebody who changes something by one request or one command. `name`: an address, or `operator` for a command. `ownerId`: whose account
 * and pages it is about, where an entry does not say so. `isOperator`: owners do not see the address that it came from.
 */
export type Actor = {
  action: Action;
  name: string;
  via: (typeof WAYS)[number];
  ipAddress: string | null;
  ownerId: number | null;
  isOperator: boolean;
};
type ActorOfEntry = Actor & { entryId: string };

/** The name of an actor who runs a command of operators. */
const OPERATOR = 'operator';

/**
 * Returns the database for somebody: functions that change something find the actor in it, and write the entry of the audit in the
 * transaction of the change.
 */
export function actingAs(db: Database, actor: Actor): Database {
  const userParams = { ...db.userParams, actor: { ...actor, entryId: newAuditEntryId() } satisfies ActorOfEntry };
  const asActor =
    <T>(work: (transaction: Knex.Transaction) => Promise<T>) =>
    (transaction: Knex.Transaction): Promise<T> => {
      transaction.userParams = userParams;
      return work(transaction);
    };
  const own = {
    userParams,
    transaction: <T>(work: (transaction: Knex.Transaction) => Promise<T>, config?: Knex.TransactionConfig) =>
      db.transaction(asActor(work), config),
    longTransaction: <T>(work: (transaction: Knex.Transaction) => Promise<T>, timeoutMs?: number) =>
      db.longTransaction(asActor(work), timeoutMs),
  };
  return new Proxy(db, {
    get: (target, name) => Reflect.get(Object.hasOwn(own, name) ? own : target, name),
  });
}

/** Returns the database for a command of operators. */
export const actingAsOperator = (db: Database, action: Action): Database =>
  actingAs(db, { action, name: OPERATOR, via: 'command', ipAddress: null, ownerId: null, isOperator: true });

/** What was changed. `action`: where it is not that of the actor. `deploymentId`: the page that it belongs to. `ownerId`: left out, the actor's. `count`: of how many things. */
type Changed = {
  action?: Action;
  target: string;
  deploymentId?: string | undefined;
  ownerId?: number | undefined;
  count?: number | undefined;
};

const actorOf = (db: Knex): ActorOfEntry | undefined => {
  const { actor }: { actor?: ActorOfEntry } = db.userParams;
  return actor;
};

/*
 * A request that changes many things in several transactions has one entry, which counts them. The owner of a page is looked up where an
 * operator acts.
 */
const RECORD = `
  INSERT INTO audit_entries AS entries (id, owner_id, deployment_id, actor, is_operator, via, action, target, count, ip_address)
  VALUES (:entryId,
          coalesce(CAST(:ownerId AS bigint), (SELECT owner_id FROM deployments WHERE id = CAST(:deploymentId AS text))),
          :deploymentId, :name, :isOperator, :via, :action, :target, :count, :ipAddress)
      ON CONFLICT (id) DO UPDATE SET count = entries.count + excluded.count`;

/** Writes the entry of a change in its transaction. Nothing is written where nobody acts: the service itself does it. */
export async function record(transaction: Knex, changed: Changed): Promise<void> {
  const actor = actorOf(transaction);
  if (actor) await write(transaction, actor, changed);
}

/** Writes the entry of a change by somebody who is only known from what was changed. */
export const recordAs = (transaction: Knex, actor: Actor, changed: Changed): Promise<void> =>
  write(transaction, { ...actor, entryId: newAuditEntryId() }, changed);

async function write(
  transaction: Knex,
  actor: ActorOfEntry,
  { target, deploymentId, ownerId, count, ...other }: Changed,
): Promise<void> {
  const { name, isOperator, via, ipAddress } = actor;
  const { action = actor.action } = other;
  const entryId = action === actor.action ? actor.entryId : newAuditEntryId();
  await execute(transaction, 'record-in-audit', RECORD, {
    ...{ entryId, name, isOperator, via, action, ipAddress, target },
    ownerId: ownerId ?? actor.ownerId,
    deploymentId: deploymentId ?? null,
    count: count ?? null,
  });
}

/** Runs a change, with its entry in one transaction where somebody acts. `changedBy`: undefined when nothing has changed. */
export async function audited<T>(
  db: Knex,
  change: (connection: Knex) => Promise<T>,
  changedBy: (outcome: T) => Changed | undefined,
): Promise<T> {
  if (!actorOf(db)) return change(db);
  const work = async (transaction: Knex): Promise<T> => {
    const outcome = await change(transaction);
    const changed = changedBy(outcome);
    if (changed) await record(transaction, changed);
    return outcome;
  };
  return db.isTransaction ? work(db) : db.transaction(work);
}

/** An entry. `count`: null where it is about one thing. `ipAddress`: null for a command. */
export type AuditEntry = Pick<Actor, 'via' | 'action' | 'ipAddress'> & {
  id: string;
  at: Date;
  actor: string;
  target: string;
  count: number | null;
};

const COLUMNS = 'id, at, actor, via, action, target, count';
/* An operator's address is nobody else's business. */
const OWN_COLUMNS = `${COLUMNS}, CASE WHEN NOT is_operator THEN ip_address END AS "ipAddress"`;
const ALL_COLUMNS = `${COLUMNS}, ip_address AS "ipAddress"`;
const OWN = `owner_id = :ownerId AND (CAST(:pages AS text[]) IS NULL OR deployment_id = ANY (CAST(:pages AS text[])))`;

/** The entries that a credential reads: of its owner, and only of some pages where it is for these alone. */
export type AuditOf = { ownerId: number; pages: readonly string[] | null };
const valuesOf = ({ ownerId, pages }: AuditOf): Knex.ValueDict => ({ ownerId, pages: pages && [...pages] });

/** A page of an owner's entries, newest first, and how many there are in all. */
export const listAudit = (db: Knex, of: AuditOf, paging: Paging): Promise<ListPage<AuditEntry>> =>
  queryPage(
    db,
    'list-audit',
    {
      total: `SELECT count(*) AS total FROM audit_entries WHERE ${OWN}`,
      rows: `SELECT ${OWN_COLUMNS} FROM audit_entries WHERE ${OWN} ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    },
    valuesOf(of),
    paging,
  );

/** All entries of an owner, oldest first, a bounded number at a time. */
export const readAudit = (db: Knex, of: AuditOf): AsyncGenerator<AuditEntry> =>
  readAll((last) =>
    query(
      db,
      'read-audit',
      `SELECT ${OWN_COLUMNS} FROM audit_entries WHERE ${OWN} AND id > :after ORDER BY id LIMIT :limit`,
      { ...valuesOf(of), after: last?.id ?? '', limit: ENTRIES_BATCH },
    ),
  );

/** A page of all entries, newest first, and how many there are in all. */
export const listWholeAudit = (db: Knex, paging: Paging): Promise<ListPage<AuditEntry>> =>
  queryPage(
    db,
    'list-whole-audit',
    {
      total: 'SELECT count(*) AS total FROM audit_entries',
      rows: `SELECT ${ALL_COLUMNS} FROM audit_entries ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    },
    {},
    paging,
  );
