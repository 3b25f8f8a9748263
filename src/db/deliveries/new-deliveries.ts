import type { Event, MailEvent } from '../../lib/events.ts';
import { MAIL, ownerReceives, RECEIVES_MAIL } from './mail-recipient-queries.ts';

/** The event that a submission is, and that of its mail to a recipient. */
const EVENT: Event = 'submission';
const RECIPIENT_EVENT: MailEvent = 'submission-mail';

/**
 * The deliveries of what is `accepted` to webhooks and by mail, which are due: a part of a statement. An id consists of parts of
 * the id of the submission, which is unique and rises with time, and of a `suffix` that tells receivers apart. The owner's test
 * of a form has these; a submission has a confirmation besides.
 */
export const newDeliveries = `queued AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, recipient_id, event, receiver,
                            bytes, next_attempt_at, created_at, updated_at)
    SELECT 'dl_' || substr(accepted.id, 5) || suffix,
           accepted.deployment_id, accepted.owner_id, accepted.id, webhook_id, recipient_id,
           event, receiver, octet_length(data), now, now, now
      FROM accepted, LATERAL (
        SELECT webhooks.id AS webhook_id, NULL AS recipient_id, right(webhooks.id, 10) AS suffix, '${EVENT}' AS event, receiver
          FROM webhooks
         WHERE webhooks.deployment_id = accepted.deployment_id AND active AND '${EVENT}' = ANY (events)
        UNION ALL
        SELECT NULL, NULL, '', '${EVENT}', '${MAIL}'
          FROM owners
         WHERE is_mailed AND owners.id = owner_id AND ${ownerReceives('accepted.deployment_id', 'accepted.notify_owner')}
        UNION ALL
        SELECT NULL, mail_recipients.id, right(mail_recipients.id, 10), '${RECIPIENT_EVENT}', '${MAIL}'
          FROM mail_recipients
         WHERE is_mailed AND mail_recipients.deployment_id = accepted.deployment_id AND ${RECEIVES_MAIL}
      ) AS target
  )`;
