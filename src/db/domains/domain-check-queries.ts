import type { Knex } from 'knex';
import type { MailEvent } from '../../lib/events.ts';
import { newDeliveryId } from '../../lib/ids.ts';
import { DOMAIN_SENTENCES } from '../../problems/domain-sentences.ts';
import { execute, query } from '../postgres/query.ts';

/** A domain that a process looks up. */
export type CheckedDomain = { deploymentId: string; slug: string; domain: string };

/** How often domains are looked up again, and for how long one is served without its proof. */
export type CheckTimes = { checkSeconds: number; graceSeconds: number };

/** The result of a look-up. `proof` is `silent` where DNS did not answer. `txt`: the values of the TXT records that DNS has. */
export type CheckOutcome = { proof: 'found' | 'gone' | 'silent'; txt: readonly string[]; problem: string | null };

const BROKEN: MailEvent = 'domain-broken';

/** A look-up that has not ended after this time is due again: its process may have died. */
const LEASE = "interval '1 minute'";

/**
 * Leases up to `limit` domains that are due to this process, of owners in turn. Returns the domains of live deployments:
 * domains of deleted ones are not looked up.
 */
export async function leaseDueDomains(
  db: Knex,
  limit: number,
  { checkSeconds }: CheckTimes,
): Promise<{ due: CheckedDomain[]; isMore: boolean }> {
  const rows = await query<CheckedDomain & { isDeleted: boolean }>(
    db,
    'lease-due-domains',
    `UPDATE domains
        SET next_check_at = now() + CASE WHEN is_deleted THEN :checkSeconds * interval '1 second' ELSE ${LEASE} END
       FROM (
         SELECT deployment_id, domain, slug, deleted_at IS NOT NULL AS is_deleted
           FROM domains JOIN deployments ON deployments.id = deployment_id
          WHERE next_check_at <= now() AND (deployment_id, domain) IN (
            SELECT deployment_id, domain FROM (
              SELECT deployment_id, domain, next_check_at,
                     row_number() OVER (PARTITION BY owner_id ORDER BY next_check_at) AS turn
                FROM domains JOIN deployments ON deployments.id = deployment_id
               WHERE next_check_at <= now()
            ) AS all_due ORDER BY turn, next_check_at LIMIT :limit)
            FOR NO KEY UPDATE OF domains SKIP LOCKED
       ) AS due
      WHERE domains.deployment_id = due.deployment_id AND domains.domain = due.domain
     RETURNING domains.deployment_id AS "deploymentId", slug, domains.domain, is_deleted AS "isDeleted"`,
    { limit, checkSeconds },
  );
  return { due: rows.filter((row) => !row.isDeleted), isMore: rows.length === limit };
}

/** Tells the owner of each domain in `changed` that has become broken, in the same statement. */
const MAIL_OWNER = `
    INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
    SELECT :deliveryId, deployments.id, owner_id, '${BROKEN}', json_build_object('domain', domain, 'problem', problem),
           now(), now(), now()
      FROM changed JOIN deployments ON deployments.id = changed.deployment_id
     WHERE was = 'live' AND changed.status = 'broken'`;

/*
 * Changes are of the row as it is now: other processes may look the same domain up.
 *
 * - DNS says that the proof is there: the domain is live, unless :isTaken.
 * - DNS has said for the time of grace that it is not there: a live one is broken.
 * - The next look-up is at the end of the grace at the latest. Look-ups of pending domains become rarer with time.
 */
const SETTLE = `
  WITH after AS MATERIALIZED (
    SELECT status AS was, created_at,
           CASE WHEN :proof = 'found' AND NOT :isTaken THEN 'live'
                WHEN :proof = 'gone' AND status = 'live'
                     AND coalesce(proof_gone_at, now()) <= now() - :graceSeconds * interval '1 second' THEN 'broken'
                ELSE status
           END AS status,
           CASE :proof WHEN 'gone' THEN coalesce(proof_gone_at, now()) WHEN 'silent' THEN proof_gone_at END AS proof_gone_at
      FROM domains WHERE deployment_id = :deploymentId AND domain = :domain FOR NO KEY UPDATE
  ), changed AS (
    UPDATE domains
       SET status = after.status, proof_gone_at = after.proof_gone_at, problem = :problem, checked_at = now(),
           next_check_at = least(
             now() + interval '1 second' * CASE after.status
               WHEN 'pending' THEN least(:checkSeconds, greatest(60, extract(epoch FROM now() - after.created_at) / 4))
               ELSE :checkSeconds * (0.9 + 0.2 * random()) END,
             CASE WHEN after.status = 'live' AND after.proof_gone_at IS NOT NULL THEN greatest(
               after.proof_gone_at + :graceSeconds * interval '1 second', now() + interval '1 minute') END)
      FROM after
     WHERE domains.deployment_id = :deploymentId AND domain = :domain
    RETURNING domains.*, was
  ), mailed AS (${MAIL_OWNER})
  SELECT was <> status AS "hasChanged" FROM changed`;

/** The deployment that another claimant takes a domain from: its own proof has gone, or it was deleted. */
const TAKE_FROM = `
  WITH changed AS (
    UPDATE domains
       SET status = 'broken', problem = '${DOMAIN_SENTENCES.moved}',
           proof_gone_at = coalesce(proof_gone_at, now())
     WHERE domain = :domain AND status = 'live' AND deployment_id = :holder
    RETURNING domains.*, 'live' AS was
  ), mailed AS (${MAIL_OWNER})
  SELECT FROM changed`;

/**
 * Records what DNS has said about a domain. `taken`: the problem where another deployment has the domain, whose proof is
 * there too. `proofOf`: the proof of a deployment. Answers which deployments this has changed.
 */
export function settleDomainCheck(
  db: Knex,
  { deploymentId, slug, domain }: CheckedDomain,
  { proof, txt, problem }: CheckOutcome,
  { times, taken, proofOf }: { times: CheckTimes; taken: string; proofOf(deploymentId: string): string },
): Promise<{ deploymentId: string; slug: string }[]> {
  return db.transaction(async (transaction) => {
    const changed: { deploymentId: string; slug: string }[] = [];
    let isTaken = false;
    if (proof === 'found') {
      // Two claimants of one domain are settled one after the other.
      await execute(transaction, 'lock-domain', 'SELECT pg_advisory_xact_lock(hashtextextended(?, 50))', [domain]);
      const claim = `
        SELECT FROM domains JOIN deployments ON deployments.id = deployment_id
         WHERE deployment_id = ? AND domain = ? AND deleted_at IS NULL FOR NO KEY UPDATE OF domains`;
      // It was removed during the look-up: nobody else loses the domain.
      if ((await execute(transaction, 'lock-domain-claim', claim, [deploymentId, domain])) === 0) return [];
      const [holder] = await query<{ deploymentId: string; slug: string; isDeleted: boolean }>(
        transaction,
        'find-domain-holder',
        `SELECT id AS "deploymentId", slug, deleted_at IS NOT NULL AS "isDeleted"
           FROM domains JOIN deployments ON deployments.id = deployment_id
          WHERE domain = ? AND status = 'live' AND deployment_id <> ?`,
        [domain, deploymentId],
      );
      isTaken = holder !== undefined && !holder.isDeleted && txt.includes(proofOf(holder.deploymentId));
      if (holder && !isTaken) {
        const values = { domain, holder: holder.deploymentId, deliveryId: newDeliveryId() };
        await execute(transaction, 'take-domain', TAKE_FROM, values);
        changed.push(holder);
      }
    }
    const [settled] = await query<{ hasChanged: boolean }>(transaction, 'settle-domain-check', SETTLE, {
      ...{ deploymentId, domain, proof, isTaken, problem: isTaken ? taken : problem, deliveryId: newDeliveryId() },
      ...times,
    });
    return settled?.hasChanged ? [...changed, { deploymentId, slug }] : changed;
  });
}
