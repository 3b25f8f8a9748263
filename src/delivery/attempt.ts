import type { LeasedDelivery } from '../db/delivery-target.ts';
import { LINK_MINUTES } from '../db/sessions.ts';
import { newSessionId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Cidr } from '../public-address.ts';
import type { SignedLinks } from '../signed-links.ts';
import { type Email, noticeEmail, submissionEmail } from './emails.ts';
import type { OwnAddress } from './own-address.ts';
import { type Content, genericHeaders, genericPayload, SAMPLE_DATA, slackPayload } from './payloads.ts';
import type { SendEmail } from './send-email.ts';
import type { Attempt, createSendWebhook } from './send-webhook.ts';
import { signInEmail } from './sign-in-email.ts';

/** Mails that are sent at the same time, each over a connection of its own. */
export const MAX_CONCURRENT_MAILS = 5;

/** Sends a delivery once; settles soon after `signal` has fired. */
export type AttemptDelivery = (delivery: LeasedDelivery, signal: AbortSignal) => Promise<Attempt>;

/** Sends a link that signs in, once: it would have expired before a retry. Rejects when the mail server refuses it. */
type MailLink = (to: string, url: string) => Promise<void>;
const MAIL_LINK_TIMEOUT_MS = 30_000;

/** Sends each kind of delivery. What a kind needs is loaded when its first delivery is due. */
export function createAttempt({
  allowedNetworks,
  own,
  urlOf,
  baseUrl,
  links,
  smtpUrl,
  mailFrom,
  log,
}: {
  allowedNetworks: readonly Cidr[];
  own: OwnAddress;
  /** A page's URL by its slug. */
  urlOf(slug: string): string;
  /** The origin of the API. */
  baseUrl: string;
  /** The links in mails. */
  links(): Promise<SignedLinks>;
  /** undefined: mail is off. */
  smtpUrl: string | undefined;
  mailFrom: { name: string; address: string };
  log: Log;
}): { attempt: AttemptDelivery; mailLink: MailLink; close(): Promise<void> } {
  let webhooks: Promise<ReturnType<typeof createSendWebhook>> | undefined;
  let mail: Promise<SendEmail> | undefined;
  let hasWarned = false;

  async function openWebhooks(): Promise<ReturnType<typeof createSendWebhook>> {
    const { createSendWebhook } = await import('./send-webhook.ts');
    return createSendWebhook({ allowedNetworks, own });
  }

  async function openMail(smtpUrl: string): Promise<SendEmail> {
    const { createSendEmail } = await import('./send-email.ts');
    return createSendEmail({ smtpUrl, from: mailFrom, maxConnections: MAX_CONCURRENT_MAILS });
  }

  async function sendEmail(
    { id, to }: { id: string; to: string },
    write: () => Email | Promise<Email>,
    signal: AbortSignal,
  ): Promise<Attempt> {
    if (smtpUrl === undefined) {
      if (!hasWarned) log.warn('a mail is due, but mail is off: set SMTP_URL, and it is sent when it is tried again');
      hasWarned = true;
      return { error: 'mail is off: SMTP_URL is not set' };
    }
    mail ??= openMail(smtpUrl);
    return (await mail).send({ id, to, ...(await write()) }, signal);
  }

  return {
    async attempt({ id, deploymentId, slug, submissionId, target, data, createdAt }, signal) {
      const pageUrl = urlOf(slug);
      if (target.kind === 'notice') {
        const { to, notice } = target;
        return sendEmail({ id, to }, () => noticeEmail({ deploymentId, slug, notice, pageUrl, baseUrl }), signal);
      }
      if (target.kind === 'mail') {
        const write = async (): Promise<Email> => {
          if (submissionId === undefined || data === undefined) throw new Error('A mail is about no submission.');
          const content = { deploymentId, submissionId, slug, data, createdAt, now: new Date(), pageUrl, baseUrl };
          return submissionEmail({ ...content, links: await links() });
        };
        return sendEmail({ id, to: target.to }, write, signal);
      }
      const { event } = target;
      const content: Content = { deploymentId, slug, data: data ?? SAMPLE_DATA[event], createdAt };
      const { url, secrets, type } = target;
      const body = type === 'slack' ? slackPayload(event, content) : genericPayload(event, content);
      const headers = type === 'slack' ? {} : genericHeaders({ submissionId, slug, pageUrl });
      webhooks ??= openWebhooks();
      return (await webhooks).send({ id, url, secrets, headers, body }, signal);
    },
    async mailLink(to, url) {
      const write = (): Email => signInEmail({ url, baseUrl, minutes: LINK_MINUTES });
      const signal = AbortSignal.timeout(MAIL_LINK_TIMEOUT_MS);
      const { error } = await sendEmail({ id: newSessionId(), to }, write, signal);
      if (error !== undefined) throw new Error(error);
    },
    async close() {
      (await mail)?.close();
      await (await webhooks)?.close();
    },
  };
}
