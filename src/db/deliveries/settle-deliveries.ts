import type { Knex } from 'knex';
import type { MailEvent } from '../../lib/events.ts';
import { query } from '../postgres/query.ts';
import { type Addressee, settleMail } from './mail-failure-queries.ts';

/** An attempt that has ended, as its owner sees it, with its answer: `status` and `response` are null without one. */
export type LoggedAttempt = {
  /** ISO 8601. */
  at: string;
  durationMs: number;
  status: number | null;
  error: string | null;
  response: string | null;
};

/** The outcome of an attempt. */
export type AttemptOutcome = {
  id: string;
  deploymentId: string;
  /**
   * The number of attempts that the lease returned. An outcome changes nothing of a delivery that has been leased again
   * since.
   */
  attempts: number;
  /**
   * The webhook whose state this may change, with the URL of the attempt; undefined for a mail, and for a success where
   * nothing failed.
   */
  webhook: { id: string; url: string } | undefined;
  /** The address that got the mail, or refused it for good; undefined where the attempt says nothing of the address. */
  mail: (Addressee & { isRefused: boolean }) | undefined;
  /** `returned`: the attempt did not begin, or a stop of the process ended it. It is not counted, and due again at once. */
  result: 'succeeded' | 'failed' | 'retry' | 'returned';
  lastStatus: number | undefined;
  lastError: string | undefined;
  /** Undefined for a mail, and where the result is `returned`. */
  attempt: LoggedAttempt | undefined;
  /** Seconds until the next attempt, of a `retry`. */
  delay: number;
};

/** The attempts of one delivery that are kept, the last ones: an owner may have it tried again without end. */
const KEPT_ATTEMPTS = 50;

/** The event of the mail that tells an owner that a webhook was switched off. */
const WEBHOOK_OFF: MailEvent = 'webhook-off';
/** A webhook that has failed for this long is switched off. */
const GIVE_UP_AFTER = "interval '5 days'";
/** An owner gets at most one notice of a webhook in this time, however often it is switched off. */
const NOTICE_EVERY = "interval '1 day'";

/*
 * Stores the outcomes of attempts, and what follows for their webhooks: the time of the first failure since a success,
 * and whether they stay on.
 *
 * - A webhook whose state does not change is not written, and neither is one whose URL has changed since the attempt.
 * - The time of a notice does not count when it is in the future: a clock has been set back since.
 * - The lists of ids keep a plan that was made for empty tables from reading whole tables.
 */
const SETTLE = `
  WITH outcome AS MATERIALIZED (
    SELECT id, "deploymentId" AS deployment_id, attempts, webhook ->> 'id' AS webhook_id, webhook ->> 'url' AS url, result,
           "lastStatus" AS last_status, "lastError" AS last_error, attempt, delay
      FROM json_to_recordset(?) AS outcome (
        id text, "deploymentId" text, attempts int, webhook json, result text, "lastStatus" int, "lastError" text,
        attempt jsonb, delay float8)
  ), settled AS (
    UPDATE deliveries
       SET status = CASE WHEN result IN ('succeeded', 'failed') THEN result ELSE 'pending' END,
           attempts = deliveries.attempts - (result = 'returned')::int,
           leased = false,
           next_attempt_at = now() + delay * interval '1 s',
           last_status = CASE WHEN result = 'returned' THEN deliveries.last_status ELSE outcome.last_status END,
           last_error = CASE WHEN result = 'returned' THEN deliveries.last_error ELSE outcome.last_error END,
           attempt_log = CASE
             WHEN attempt IS NULL THEN attempt_log
             ELSE jsonb_path_query_array(coalesce(attempt_log, '[]') || attempt, '$[last - ${KEPT_ATTEMPTS - 1} to last]')
           END,
           updated_at = now()
      FROM outcome
     WHERE deliveries.id = ANY (?::text[]) AND deliveries.id = outcome.id
       AND deliveries.deployment_id = outcome.deployment_id
       AND leased AND deliveries.attempts = outcome.attempts
  ), webhook_outcome AS MATERIALIZED (
    SELECT webhook_id, url, bool_or(result = 'succeeded') AS succeeded,
           coalesce(bool_or(result <> 'succeeded' AND last_status = 410), false) AS gone, min(id) AS delivery_id,
           coalesce(min(last_error) FILTER (WHERE result <> 'succeeded' AND last_status = 410),
                    min(last_error) FILTER (WHERE result <> 'succeeded')) AS last_error
      FROM outcome WHERE webhook_id IS NOT NULL AND result <> 'returned' GROUP BY webhook_id, url
  ), webhook AS MATERIALIZED (
    SELECT id, active, succeeded, gone, failing_since, delivery_id, last_error,
           gone OR NOT succeeded AND coalesce(failing_since <= now() - ${GIVE_UP_AFTER}, false) AS given_up,
           coalesce(noticed_at NOT BETWEEN now() - ${NOTICE_EVERY} AND now() + ${NOTICE_EVERY}, true) AS notice_due
      FROM webhooks
      JOIN webhook_outcome ON webhooks.id = webhook_outcome.webhook_id AND webhooks.url = webhook_outcome.url
     WHERE webhooks.id = ANY (?::text[])
       AND (succeeded AND failing_since IS NOT NULL OR NOT succeeded AND failing_since IS NULL
         OR active AND (gone OR NOT succeeded AND failing_since <= now() - ${GIVE_UP_AFTER}))
     ORDER BY id FOR NO KEY UPDATE OF webhooks
  ), changed AS (
    UPDATE webhooks
       SET active = webhooks.active AND NOT given_up,
           failing_since = CASE WHEN NOT succeeded THEN coalesce(webhook.failing_since, now()) END,
           noticed_at = CASE WHEN webhook.active AND given_up AND notice_due THEN now() ELSE noticed_at END
      FROM webhook WHERE webhooks.id = webhook.id
    RETURNING webhooks.id, deployment_id, url, webhook.active AND given_up AS switched_off, notice_due, gone,
              delivery_id, last_error, coalesce(webhook.failing_since, now()) AS failed_since
  ), notified AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
    SELECT delivery_id || to_hex((extract(epoch FROM now()) * 1000)::bigint), deployment_id, owner_id, '${WEBHOOK_OFF}',
           json_build_object('webhook_id', changed.id, 'url', url, 'gone', gone, 'last_error', last_error,
             'failing_since', failed_since),
           now(), now(), now()
      FROM changed JOIN deployments ON deployments.id = deployment_id WHERE switched_off AND notice_due
  )
  SELECT id FROM changed WHERE switched_off`;

/** Webhooks, by their ids, and addresses that are switched off because of outcomes. */
export type SwitchedOff = { webhooks: string[]; mails: Addressee[] };

/** Stores outcomes, in one transaction; before that, what follows for the addresses of mails. */
export async function settleDeliveries(db: Knex, outcomes: readonly AttemptOutcome[]): Promise<SwitchedOff> {
  const mails: Addressee[] = [];
  // First: once an attempt is settled, the next one may be due, and must not go to an address that is off.
  for (const { mail, lastError } of outcomes) {
    if (mail && (await settleMail(db, mail, mail.isRefused, lastError))) mails.push(mail);
  }
  const rows = await query<{ id: string }>(db, 'settle-deliveries', SETTLE, [
    JSON.stringify(outcomes),
    outcomes.map(({ id }) => id),
    outcomes.flatMap(({ webhook }) => (webhook ? [webhook.id] : [])),
  ]);
  return { webhooks: rows.map(({ id }) => id), mails };
}
