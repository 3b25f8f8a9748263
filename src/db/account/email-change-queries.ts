import type { Knex } from 'knex';
import { newAuditEntryId, OWNER_PREFIX } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { isDuplicate } from '../postgres/out-of-reach.ts';
import { execute, query } from '../postgres/query.ts';

/*
 * A new address of an owner is stored apart until a link in a mail to it is opened. E-mails are in lower case; `hash` is
 * that of the link's token.
 */

/** Stores the address that an owner wants, in place of one that waits already; false when another owner has it. */
export const askForEmailChange = async (db: Knex, ownerId: number, email: string, hash: Buffer): Promise<boolean> =>
  (await execute(
    db,
    'ask-for-email-change',
    `INSERT INTO email_changes (owner_id, email, hash, expires_at)
     SELECT :ownerId, :email, :hash, now() + interval '${SIZES.emailChange.linkHours} hours'
      WHERE NOT EXISTS (SELECT FROM owners WHERE email = :email)
         ON CONFLICT (owner_id) DO UPDATE
        SET email = excluded.email, hash = excluded.hash, expires_at = excluded.expires_at`,
    { ownerId, email, hash },
  )) === 1;

/** Forgets the address that an owner wants, in a statement of more: an expression for the owner's id. */
export const cancelEmailChange = (owner: string): string => `DELETE FROM email_changes WHERE owner_id = ${owner}`;

/**
 * Ends the sessions of an address and the links that would begin one, in a statement of more: an expression for an address that may not
 * sign in as its owner any longer.
 */
export const endSessionsOf = (email: string): string => `
  ended AS (DELETE FROM sessions WHERE email = ${email}),
  unsent AS (DELETE FROM sign_in_links WHERE email = ${email})`;

/** Forgets the address that an owner wants: its link works no longer. */
export const forgetEmailChange = (db: Knex, ownerId: number): Promise<number> =>
  execute(db, 'forget-email-change', cancelEmailChange(':ownerId'), { ownerId });

/** The condition for a row of email_changes: a suspended owner, or one who is being deleted, gets no other address. */
const IS_ACTIVE = 'EXISTS (SELECT FROM owners WHERE id = owner_id AND suspended_at IS NULL)';

/** The address that a link confirms, while it works. `isTaken`: another owner has it by now. */
export async function findEmailChange(
  db: Knex,
  hash: Buffer,
): Promise<{ email: string; isTaken: boolean } | undefined> {
  const sql = `SELECT email, EXISTS (SELECT FROM owners WHERE owners.email = email_changes.email) AS "isTaken"
                 FROM email_changes WHERE hash = ? AND expires_at > now() AND ${IS_ACTIVE}`;
  return (await query<{ email: string; isTaken: boolean }>(db, 'find-email-change', sql, [hash]))[0];
}

/** The address of an owner before and after a change. */
type EmailChange = { before: string; after: string };

/**
 * Uses a link up, and gives its owner the new address; undefined when it works no longer, and 'taken' when another owner
 * has the address by now. Sessions of the old address and links that were sent to it end, and it receives no more mail. `ipAddress`: of
 * the browser that has opened the link, for the audit.
 */
export async function useEmailChange(
  db: Knex,
  hash: Buffer,
  ipAddress: string,
): Promise<EmailChange | 'taken' | undefined> {
  try {
    const [changed] = await query<EmailChange>(
      db,
      'use-email-change',
      `WITH used AS (
         DELETE FROM email_changes WHERE hash = :hash AND expires_at > now() AND ${IS_ACTIVE} RETURNING owner_id, email
       ), links AS (
         DELETE FROM sign_in_links USING used JOIN api_keys USING (owner_id) WHERE key_id = api_keys.id
       ), changed AS (
         UPDATE owners SET email = used.email
           FROM used JOIN owners AS old ON old.id = used.owner_id
          WHERE owners.id = used.owner_id AND owners.suspended_at IS NULL
         RETURNING owners.id, old.email AS before, owners.email AS after
       ), ${endSessionsOf('(SELECT before FROM changed)')}, recipients AS (
         UPDATE mail_recipients SET removed_at = now(), confirmed_at = NULL
           FROM changed JOIN deployments ON deployments.owner_id = changed.id
          WHERE mail_recipients.deployment_id = deployments.id AND mail_recipients.email = changed.before
            AND mail_recipients.removed_at IS NULL
       ), recorded AS (
         INSERT INTO audit_entries (id, owner_id, actor, is_operator, via, action, target, ip_address)
         SELECT :entryId, id, before, false, 'session', 'account.change', '${OWNER_PREFIX}' || id, :ipAddress FROM changed
       )
       SELECT before, after FROM changed`,
      { hash, ipAddress, entryId: newAuditEntryId() },
    );
    return changed;
  } catch (error) {
    if (isDuplicate(error)) return 'taken';
    throw error;
  }
}
