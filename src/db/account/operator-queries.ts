import type { Knex } from 'knex';
import { ownerWireId } from '../../lib/ids.ts';
import { liveDeployments } from '../deployments/live-deployment-queries.ts';
import { execute, type ListPage, type Paging, query, queryPage } from '../postgres/query.ts';
import { record } from './audit-queries.ts';
import { endSessionsOf } from './email-change-queries.ts';
import { usedStorage } from './storage-queries.ts';

/*
 * What operators see of all owners, and how they suspend one. The service's own owner, which has no address, is none of them.
 */

/** An owner as operators see it. */
type ListedAccount = {
  id: string;
  email: string;
  plan: string;
  deployments: number;
  storageUsed: number;
  lastUsedAt: Date | null;
  suspended: boolean;
  createdAt: Date;
};

const COLUMNS = `
  'own_' || owners.id AS id, owners.email, plan, ${liveDeployments('owners.id')} AS deployments,
  ${usedStorage('owners.id')} AS "storageUsed",
  greatest((SELECT max(last_used_at) FROM api_keys WHERE owner_id = owners.id),
           (SELECT max(last_used_at) FROM sessions WHERE sessions.email = owners.email)) AS "lastUsedAt",
  suspended_at IS NOT NULL AS suspended, owners.created_at AS "createdAt"`;

const MATCHING = "strpos(owners.email, '@') > 0 AND strpos(owners.email, lower(:q)) > 0";

/** A page of the owners whose address contains a text, newest first, and how many there are in all. */
export const listAccounts = (db: Knex, q: string, paging: Paging): Promise<ListPage<ListedAccount>> =>
  queryPage(
    db,
    'list-accounts',
    {
      total: `SELECT count(*) AS total FROM owners WHERE ${MATCHING}`,
      rows: `SELECT ${COLUMNS} FROM owners WHERE ${MATCHING} ORDER BY owners.id DESC LIMIT :limit OFFSET :offset`,
    },
    { q },
    paging,
  );

/** An owner with this number. */
export async function findAccount(db: Knex, id: number): Promise<ListedAccount | undefined> {
  const sql = `SELECT ${COLUMNS} FROM owners WHERE owners.id = ? AND strpos(owners.email, '@') > 0`;
  return (await query<ListedAccount>(db, 'find-listed-account', sql, [id]))[0];
}

/** The number of the owner with an address. */
export async function findAccountId(db: Knex, email: string): Promise<number | undefined> {
  return (await query<{ id: number }>(db, 'find-account-id', 'SELECT id FROM owners WHERE email = ?', [email]))[0]?.id;
}

/*
 * The pages of an owner tell themselves that it is suspended: submissions and pages read no owner. All processes learn of it as of a change
 * of each page.
 */
const MARK_PAGES = 'UPDATE deployments SET suspended = :suspended WHERE owner_id = :id AND suspended <> :suspended';

/** What was held becomes due, except what waits for a webhook that is off. */
const RELEASE = `
  UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
   WHERE owner_id = ? AND status = 'pending' AND next_attempt_at = 'infinity'
     AND NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = deliveries.webhook_id AND NOT active)`;

/** The condition, in SQL, that an address is that of a suspended owner: an expression for it. Nobody signs in with such an address. */
export const isSuspended = (email: string): string =>
  `EXISTS (SELECT FROM owners WHERE owners.email = ${email} AND suspended_at IS NOT NULL)`;

/* Sessions of keys stay: they work again with the keys. */
const SIGN_OUT = `
  WITH suspended AS (SELECT email FROM owners WHERE id = ?), ${endSessionsOf('(SELECT email FROM suspended)')}
  SELECT FROM suspended`;

/** Suspends an owner, or ends that; false when there is no such owner. Nothing happens to one who is in that state already. */
async function setSuspended(transaction: Knex, id: number, suspended: boolean): Promise<void> {
  const changed = await execute(
    transaction,
    'set-suspended',
    `UPDATE owners SET suspended_at = CASE WHEN :suspended THEN clock_timestamp() END
      WHERE id = :id AND (suspended_at IS NOT NULL) <> :suspended`,
    { id, suspended },
  );
  if (changed === 0) return;
  await execute(transaction, 'mark-pages-of-suspended', MARK_PAGES, { id, suspended });
  if (suspended) await execute(transaction, 'sign-out-suspended', SIGN_OUT, [id]);
  else await execute(transaction, 'release-deliveries-of-owner', RELEASE, [id]);
  const action = suspended ? 'owner.suspend' : 'owner.resume';
  await record(transaction, { action, target: ownerWireId(id), ownerId: id });
}

/** Changes the plan of an owner, and whether the owner is suspended, as far as they are given; false when there is no such owner. */
export const changeAccount = (
  db: Knex,
  id: number,
  { plan, suspended }: { plan?: string | undefined; suspended?: boolean | undefined },
): Promise<boolean> =>
  db.transaction(async (transaction) => {
    // Whoever makes a page meanwhile waits, and then sees whether its owner is suspended.
    const [owner] = await query<{ plan: string }>(
      transaction,
      'lock-account',
      'SELECT plan FROM owners WHERE id = ? FOR UPDATE',
      [id],
    );
    if (!owner) return false;
    if (plan !== undefined && plan !== owner.plan) {
      await execute(transaction, 'set-plan', 'UPDATE owners SET plan = ? WHERE id = ?', [plan, id]);
      await record(transaction, { action: 'owner.plan', target: ownerWireId(id), ownerId: id });
    }
    if (suspended !== undefined) await setSuspended(transaction, id, suspended);
    return true;
  });

/** A live page as operators see it. */
export type ListedPage = {
  id: string;
  slug: string;
  title: string | null;
  ownerEmail: string;
  takenDown: boolean;
  createdAt: Date;
};

const PAGE_COLUMNS = `
  deployments.id, slug, title, owners.email AS "ownerEmail", taken_down_at IS NOT NULL AS "takenDown",
  deployments.created_at AS "createdAt"`;
const PAGES = `
  deployments JOIN owners ON owners.id = owner_id LEFT JOIN pages ON pages.deployment_id = deployments.id
 WHERE deleted_at IS NULL`;
const MATCHING_PAGES = `${PAGES} AND (
   strpos(slug, lower(:q)) > 0 OR strpos(lower(title), lower(:q)) > 0 OR strpos(owners.email, lower(:q)) > 0
   OR EXISTS (
     SELECT FROM domains WHERE domains.deployment_id = deployments.id AND (strpos(domain, lower(:q)) > 0 OR domain = :host))
   OR slug = :label
   OR deployments.id IN (SELECT deployment_id FROM former_slugs WHERE slug = :label AND until > now())
   OR deployments.id IN (SELECT deployment_id FROM page_versions WHERE preview = :label))`;

/** The host of a URL that may be a page's: its name, and its label under the domain of pages. null: there is none. */
export type PageHost = { host: string | null; label: string | null };

/**
 * A page of the live pages whose slug, title, domain or owner's address contains a text, or which are at a host, newest first, and how many
 * there are.
 */
export const listAllPages = (
  db: Knex,
  { q, host, label }: PageHost & { q: string },
  paging: Paging,
): Promise<ListPage<ListedPage>> =>
  queryPage(
    db,
    'list-all-pages',
    {
      total: `SELECT count(*) AS total FROM ${MATCHING_PAGES}`,
      rows: `SELECT ${PAGE_COLUMNS} FROM ${MATCHING_PAGES} ORDER BY deployments.id DESC LIMIT :limit OFFSET :offset`,
    },
    { q, host, label },
    paging,
  );

/** A live page of any owner. */
export async function findAnyLivePage(db: Knex, id: string): Promise<ListedPage | undefined> {
  const sql = `SELECT ${PAGE_COLUMNS} FROM ${PAGES} AND deployments.id = ?`;
  return (await query<ListedPage>(db, 'find-any-live-page', sql, [id]))[0];
}

/** A delivery whose last attempt has failed. `receiver`: its host and port, or `mail`. */
type FailedDelivery = {
  id: string;
  deploymentId: string;
  slug: string;
  ownerEmail: string;
  webhookId: string | null;
  receiver: string;
  status: 'pending' | 'failed';
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/* As in the index deliveries_failing. */
const FAILING = "last_error IS NOT NULL AND status <> 'succeeded'";

/** A page of the deliveries whose last attempt has failed, newest first, and how many there are in all. */
export const listFailing = (db: Knex, paging: Paging): Promise<ListPage<FailedDelivery>> =>
  queryPage(
    db,
    'list-failing-deliveries',
    {
      total: `SELECT count(*) AS total FROM deliveries WHERE ${FAILING}`,
      rows: `
        SELECT failing.id, failing.deployment_id AS "deploymentId", slug, owners.email AS "ownerEmail",
               webhook_id AS "webhookId", receiver, status, attempts, last_status AS "lastStatus",
               last_error AS "lastError", failing.created_at AS "createdAt", failing.updated_at AS "updatedAt"
          FROM (
            SELECT * FROM deliveries WHERE ${FAILING} ORDER BY id DESC LIMIT :limit OFFSET :offset
          ) AS failing
          JOIN deployments ON deployments.id = failing.deployment_id
          JOIN owners ON owners.id = deployments.owner_id
         ORDER BY failing.id DESC`,
    },
    {},
    paging,
  );
