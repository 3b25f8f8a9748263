import type { Knex } from 'knex';
import { newGuestId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { audited, record } from './audit-queries.ts';
import { isSuspended } from './operator-queries.ts';

/** The rights of a guest: to read submissions and note what was done with them; to change the page as well. */
export const ROLES = ['reader', 'editor'] as const;
export type Role = (typeof ROLES)[number];

/** `acceptedAt`: null while the guest has not signed in since. */
export type Guest = { id: string; email: string; role: Role; invitedAt: Date; acceptedAt: Date | null };

const COLUMNS = 'id, email, role, invited_at AS "invitedAt", accepted_at AS "acceptedAt"';

/** `hash`: of the token in the link of the invitation. */
type Invitation = { email: string; role: Role; hash: Buffer };

/** Why an address cannot be invited; `known`: it is a guest's, or the owner's. */
type Refusal = 'no-deployment' | 'known' | 'limit-reached';

/** Selects what an invitation to :deploymentId depends on. */
const INVITABLE = `
  SELECT (SELECT count(*) FROM guests WHERE deployment_id = deployments.id) AS guests,
         owners.email = :email OR EXISTS (
           SELECT FROM guests WHERE deployment_id = deployments.id AND guests.email = :email) AS "isKnown"
    FROM deployments JOIN owners ON owners.id = owner_id
   WHERE deployments.id = :deploymentId AND deleted_at IS NULL`;

function refusalOf(page: { guests: number; isKnown: boolean } | undefined): Refusal | undefined {
  if (!page) return 'no-deployment';
  if (page.isKnown) return 'known';
  return page.guests >= SIZES.guest.maxPerDeployment ? 'limit-reached' : undefined;
}

/** Returns why an address cannot be invited to a deployment now, if that is so. */
export const checkInvitation = async (db: Knex, deploymentId: string, email: string): Promise<Refusal | undefined> =>
  refusalOf(
    (await query<{ guests: number; isKnown: boolean }>(db, 'check-invitation', INVITABLE, { deploymentId, email }))[0],
  );

/** Adds a guest to a live deployment. */
export function inviteGuest(
  db: Knex,
  deploymentId: string,
  { email, role, hash }: Invitation,
): Promise<Guest | Refusal> {
  return db.transaction(async (transaction) => {
    // One invitation at a time, so that the count is still true when the row is inserted.
    await execute(transaction, 'lock-deployment-of-guests', 'SELECT FROM deployments WHERE id = ? FOR NO KEY UPDATE', [
      deploymentId,
    ]);
    const [page] = await query<{ guests: number; isKnown: boolean }>(transaction, 'check-invitation', INVITABLE, {
      deploymentId,
      email,
    });
    const refusal = refusalOf(page);
    if (refusal) return refusal;
    const id = newGuestId();
    await record(transaction, { target: id, deploymentId });
    return queryOne<Guest>(
      transaction,
      'invite-guest',
      `INSERT INTO guests (id, deployment_id, email, role, invited_at, link_hash, link_expires_at)
       VALUES (?, ?, ?, ?, clock_timestamp(), ?, clock_timestamp() + interval '${SIZES.guest.linkDays} days')
       RETURNING ${COLUMNS}`,
      [id, deploymentId, email, role, hash],
    );
  });
}

/** A page of a deployment's guests, oldest first. */
export const listGuests = (db: Knex, deploymentId: string, paging: Paging): Promise<ListPage<Guest>> =>
  queryPage(
    db,
    'list-guests',
    {
      total: 'SELECT count(*) AS total FROM guests WHERE deployment_id = :deploymentId',
      rows: `SELECT ${COLUMNS} FROM guests WHERE deployment_id = :deploymentId ORDER BY id LIMIT :limit OFFSET :offset`,
    },
    { deploymentId },
    paging,
  );

/** Returns whether a deployment has a guest with this id. */
export const guestExists = async (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  (await execute(db, 'find-guest', 'SELECT FROM guests WHERE id = ? AND deployment_id = ?', [id, deploymentId])) === 1;

/** Gives a guest another role; undefined when the guest has been removed. */
export async function changeRole(db: Knex, deploymentId: string, id: string, role: Role): Promise<Guest | undefined> {
  const change = (connection: Knex): Promise<Guest[]> =>
    query(connection, 'change-role', `UPDATE guests SET role = ? WHERE id = ? RETURNING ${COLUMNS}`, [role, id]);
  const [guest] = await audited(db, change, ({ length }) => (length > 0 ? { target: id, deploymentId } : undefined));
  return guest;
}

/** Removes a guest; whether there still was one. */
export const removeGuest = (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  audited(
    db,
    async (connection) => (await execute(connection, 'remove-guest', 'DELETE FROM guests WHERE id = ?', [id])) === 1,
    (isRemoved) => (isRemoved ? { target: id, deploymentId } : undefined),
  );

/** An invitation whose link works. */
export type LinkedInvitation = { email: string; slug: string; title: string | null; inviter: string };

const LINKED = `guests JOIN deployments ON deployments.id = guests.deployment_id
     WHERE link_hash = :hash AND link_expires_at > now() AND deleted_at IS NULL AND NOT suspended
       AND NOT ${isSuspended('guests.email')}`;

/** The invitation that a link accepts, while it works. */
export async function findInvitation(db: Knex, hash: Buffer): Promise<LinkedInvitation | undefined> {
  const [row] = await query<LinkedInvitation>(
    db,
    'find-invitation',
    `SELECT guests.email, slug, (SELECT title FROM pages WHERE pages.deployment_id = deployments.id) AS title,
            (SELECT owners.email FROM owners WHERE owners.id = owner_id) AS inviter
       FROM ${LINKED}`,
    { hash },
  );
  return row;
}

/** Uses the link of an invitation up; the guest's address and the page, undefined when it works no longer. */
export async function acceptInvitation(
  db: Knex,
  hash: Buffer,
): Promise<{ email: string; deploymentId: string } | undefined> {
  const [row] = await query<{ email: string; deploymentId: string }>(
    db,
    'accept-invitation',
    `UPDATE guests SET link_hash = NULL, link_expires_at = NULL, accepted_at = coalesce(accepted_at, now())
      WHERE link_hash = :hash AND id IN (SELECT guests.id FROM ${LINKED})
     RETURNING email, deployment_id AS "deploymentId"`,
    { hash },
  );
  return row;
}

/** Notes, in a statement of more, that the invitations of an address are accepted: somebody has signed in with it. In SQL. */
export const acceptedBy = (email: string): string =>
  `UPDATE guests SET accepted_at = now() WHERE email = ${email} AND accepted_at IS NULL`;

/** A guest on a page, with the page's owner. */
export type GuestAccess = { id: string; role: Role; ownerId: number; ownerEmail: string; plan: string };

/** The guest with an address on another owner's live deployment; undefined where the address is none of it. */
export async function findGuestAccess(
  db: Knex,
  { id: ownId, email }: { id: number; email: string },
  deploymentId: string,
): Promise<GuestAccess | undefined> {
  const [row] = await query<GuestAccess>(
    db,
    'find-guest-access',
    `SELECT guests.id, role, owner_id AS "ownerId", owners.email AS "ownerEmail", plan
       FROM guests JOIN deployments ON deployments.id = guests.deployment_id JOIN owners ON owners.id = owner_id
      WHERE guests.deployment_id = ? AND guests.email = ? AND owner_id <> ? AND deleted_at IS NULL AND NOT suspended`,
    [deploymentId, email, ownId],
  );
  return row;
}
