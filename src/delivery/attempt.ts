import type { DigestRange, LeasedDelivery, Target } from '../db/delivery-target.ts';
import type { Digest } from '../db/digests.ts';
import type { Labels } from '../db/labels.ts';
import { newSessionId } from '../ids.ts';
import { type Limits, SIZES } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Cidr } from '../public-address.ts';
import { confirmationExpiry, type SignedLinks } from '../signed-links.ts';
import {
  confirmationEmail,
  digestEmail,
  type Email,
  noticeEmail,
  recipientOffEmail,
  submissionEmail,
  testEmail,
} from './emails.ts';
import type { OwnAddress } from './own-address.ts';
import { type Content, genericHeaders, genericPayload, SAMPLE_DATA, slackPayload } from './payloads.ts';
import type { SendEmail } from './send-email.ts';
import type { Attempt, createSendWebhook } from './send-webhook.ts';
import { signInEmail } from './sign-in-email.ts';

const NO_LABELS: Labels = new Map();

type ShowingTarget = Extract<Target, { kind: 'mail' | 'digest' | 'test-mail' }>;

/** Sends a delivery once; settles soon after `signal` has fired. */
export type AttemptDelivery = (delivery: LeasedDelivery, signal: AbortSignal) => Promise<Attempt>;

/** Sends a link that signs in, once: it would have expired before a retry. Rejects when the mail server refuses it. */
type MailLink = (to: string, url: string) => Promise<void>;

/** Sends each kind of delivery. What a kind needs is loaded when its first delivery is due. */
export function createAttempt({
  limits,
  allowedNetworks,
  own,
  urlOf,
  baseUrl,
  links,
  labelsOf,
  readDigest,
  smtpUrl,
  mailFrom,
  log,
}: {
  limits: Limits;
  allowedNetworks: readonly Cidr[];
  own: OwnAddress;
  /** A page's URL by its slug. */
  urlOf(slug: string): string;
  /** The origin of the API. */
  baseUrl: string;
  /** The links in mails. */
  links(): Promise<SignedLinks>;
  /** What people are shown instead of the names of a deployment's fields. */
  labelsOf(deploymentId: string): Promise<Labels>;
  readDigest(deploymentId: string, range: DigestRange): Promise<Digest>;
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
    return createSendWebhook({ limits, allowedNetworks, own });
  }

  async function openMail(smtpUrl: string): Promise<SendEmail> {
    const { createSendEmail } = await import('./send-email.ts');
    return createSendEmail({ smtpUrl, from: mailFrom, maxConnections: limits.mail.concurrent, limits });
  }

  async function sendEmail(
    { id, to }: { id: string; to: string },
    write: () => Email | Promise<Email | undefined>,
    signal: AbortSignal,
  ): Promise<Attempt> {
    if (smtpUrl === undefined) {
      if (!hasWarned) log.warn('a mail is due, but mail is off: set SMTP_URL, and it is sent when it is tried again');
      hasWarned = true;
      return { error: 'mail is off: SMTP_URL is not set' };
    }
    const email = await write();
    // What a digest was about has been deleted.
    if (!email) return {};
    mail ??= openMail(smtpUrl);
    return (await mail).send({ id, to, ...email }, signal);
  }

  /** A mail is better with labels, and is sent without them rather than late or not at all. */
  async function labelsOrNames(deploymentId: string, signal: AbortSignal): Promise<Labels> {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(limits.mail.labelsTimeoutMs)]);
    const none = new Promise<Labels>((resolve) => {
      ending.addEventListener('abort', () => resolve(NO_LABELS), { once: true });
    });
    try {
      return await Promise.race([labelsOf(deploymentId), none]);
    } catch (error) {
      log.warn({ err: error, deployment: deploymentId }, 'labels could not be read: a mail has the names of fields');
      return NO_LABELS;
    }
  }

  /** A mail to a person who wants mail about a deployment: to its owner, or to a recipient. */
  async function writeShown(
    { deploymentId, slug, submissionId, target, data, createdAt }: LeasedDelivery & { target: ShowingTarget },
    pageUrl: string,
    signal: AbortSignal,
  ): Promise<Email | undefined> {
    const { recipientId } = target;
    const [labels, signed] = await Promise.all([labelsOrNames(deploymentId, signal), links()]);
    const mail = { deploymentId, slug, pageUrl, baseUrl, recipientId, labels, links: signed, now: new Date() };
    if (target.kind === 'test-mail') return testEmail({ ...mail, data: SAMPLE_DATA.submission });
    if (target.kind === 'digest') {
      const { range } = target;
      const { submissions, total } = await readDigest(deploymentId, range);
      return total === 0 ? undefined : digestEmail({ ...mail, from: range.from, to: range.to, submissions, total });
    }
    if (submissionId === undefined || data === undefined) throw new Error('A mail is about no submission.');
    return submissionEmail({ ...mail, submission: { id: submissionId, data, createdAt } });
  }

  async function writeConfirmation(
    { deploymentId, slug, createdAt }: LeasedDelivery,
    { recipientId, owner }: { recipientId: string; owner: string },
    pageUrl: string,
  ): Promise<Email> {
    const expires = confirmationExpiry(createdAt);
    const url = (await links()).confirm({ deploymentId, recipientId }, expires);
    return confirmationEmail({ slug, pageUrl, owner, url, expires });
  }

  return {
    async attempt(delivery, signal) {
      const { id, deploymentId, slug, submissionId, target, data, createdAt } = delivery;
      const pageUrl = urlOf(slug);
      if (target.kind !== 'webhook') {
        const about = { deploymentId, slug, pageUrl, baseUrl };
        const write = (): Email | Promise<Email | undefined> => {
          switch (target.kind) {
            case 'notice':
              return noticeEmail({ ...about, notice: target.notice });
            case 'recipient-off': {
              const { recipient, recipients, lastError } = target;
              return recipientOffEmail({ ...about, recipient, recipients, lastError });
            }
            case 'confirmation':
              return writeConfirmation(delivery, target, pageUrl);
            default:
              return writeShown({ ...delivery, target }, pageUrl, signal);
          }
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
      const write = (): Email => signInEmail({ url, baseUrl, minutes: SIZES.session.linkMinutes });
      const signal = AbortSignal.timeout(limits.mail.signInTimeoutMs);
      const { error } = await sendEmail({ id: newSessionId(), to }, write, signal);
      if (error !== undefined) throw new Error(error);
    },
    async close() {
      (await mail)?.close();
      await (await webhooks)?.close();
    },
  };
}
