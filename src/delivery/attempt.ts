import type { LeasedDelivery } from '../db/deliveries.ts';
import type { Log } from '../log.ts';
import type { Cidr } from '../public-address.ts';
import { noticeEmail, submissionEmail } from './emails.ts';
import { type Content, genericPayload, SAMPLE_DATA, slackPayload } from './payloads.ts';
import type { SendEmail } from './send-email.ts';
import type { Attempt, createSendWebhook } from './send-webhook.ts';

/** Sends a delivery once. Never rejects, and settles soon after `signal` has fired. */
export type AttemptDelivery = (delivery: LeasedDelivery, signal: AbortSignal) => Promise<Attempt>;

/** Builds what sends each kind of delivery, when the first of its kind is due: nothing of it is loaded before. */
export function createAttempt({
  allowedNetworks,
  smtpUrl,
  mailFrom,
  log,
}: {
  allowedNetworks: readonly Cidr[];
  /** undefined: mail is off. */
  smtpUrl: string | undefined;
  mailFrom: { name: string; address: string };
  log: Log;
}): { attempt: AttemptDelivery; close(): Promise<void> } {
  let webhooks: Promise<ReturnType<typeof createSendWebhook>> | undefined;
  let mail: Promise<SendEmail> | undefined;
  let isMissed = false;

  async function openWebhooks(): Promise<ReturnType<typeof createSendWebhook>> {
    const { createSendWebhook } = await import('./send-webhook.ts');
    return createSendWebhook({ allowedNetworks });
  }

  async function openMail(smtpUrl: string): Promise<SendEmail> {
    const { createSendEmail } = await import('./send-email.ts');
    return createSendEmail({ smtpUrl, from: mailFrom });
  }

  function mailIsOff(): Attempt {
    if (!isMissed) log.warn('a mail is due, but mail is off: set SMTP_URL, and it is sent when it is tried again');
    isMissed = true;
    return { error: 'mail is off: SMTP_URL is not set' };
  }

  return {
    async attempt({ id, deploymentId, slug, target, data = SAMPLE_DATA, createdAt }, signal) {
      const content: Content = { deploymentId, slug, data, createdAt };
      if (target.kind === 'webhook') {
        const body = target.type === 'slack' ? slackPayload(content) : genericPayload(content);
        webhooks ??= openWebhooks();
        return (await webhooks).send({ id, url: target.url, secrets: target.secrets, body }, signal);
      }
      if (smtpUrl === undefined) return mailIsOff();
      mail ??= openMail(smtpUrl);
      const { to, notice } = target;
      const email = notice === undefined ? submissionEmail(content) : noticeEmail({ slug, text: notice });
      return (await mail).send({ id, to, ...email }, signal);
    },
    async close() {
      (await mail)?.close();
      await (await webhooks)?.close();
    },
  };
}
