import type { DigestRange, LeasedDelivery, Target } from '../db/deliveries/delivery-target.ts';
import type { Digest } from '../db/deliveries/digests.ts';
import type { Labels } from '../db/deployments/labels.ts';
import { newSessionId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Cidr } from '../lib/public-address.ts';
import { confirmationExpiry, type SignedLinks } from '../lib/signed-links.ts';
import { type Limits, SIZES } from '../limits.ts';
import {
  confirmationEmail,
  digestEmail,
  type Email,
  noticeEmail,
  recipientOffEmail,
  storageEmail,
  submissionEmail,
  testEmail,
} from './mail/emails.ts';
import type { MailClient } from './mail/send-email.ts';
import { signInEmail } from './mail/sign-in-email.ts';
import type { OwnAddress } from './webhooks/own-address.ts';
import { type Content, genericHeaders, genericPayload, SAMPLE_DATA, slackPayload } from './webhooks/payloads.ts';
import type { Attempt, WebhookClient } from './webhooks/send-webhook.ts';

const NO_LABELS: Labels = new Map();

/** A target of one kind, or of several. */
type Of<Kind extends Target['kind']> = Extract<Target, { kind: Kind }>;
type MailTarget = Exclude<Target, Of<'webhook' | 'unreadable'>>;

type Options = {
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
};

/** Sends each kind of delivery. What a kind needs is loaded when its first delivery is due. */
export class Sender {
  readonly #options: Options;
  #webhooks: Promise<WebhookClient> | undefined;
  #mail: Promise<MailClient> | undefined;
  #hasWarned = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Sends a delivery once; settles soon after `signal` has fired. */
  async attempt(delivery: LeasedDelivery, signal: AbortSignal): Promise<Attempt> {
    const { id, target } = delivery;
    switch (target.kind) {
      case 'unreadable':
        this.#options.log.error({ delivery: id, reason: target.reason }, 'a delivery cannot be read');
        return { error: `the delivery cannot be read: ${target.reason}`, isFinal: target.isFinal };
      case 'webhook':
        return this.#sendWebhook(delivery, target, signal);
      default:
        return this.#sendEmail({ id, to: target.to }, () => this.#write(delivery, target, signal), signal);
    }
  }

  /** Sends a link that signs in, once: it would have expired before a retry. Rejects when the mail server refuses it. */
  async mailLink(to: string, url: string): Promise<void> {
    const { limits, baseUrl } = this.#options;
    const write = (): Email => signInEmail({ url, baseUrl, minutes: SIZES.session.linkMinutes });
    const signal = AbortSignal.timeout(limits.mail.signInTimeoutMs);
    const { error } = await this.#sendEmail({ id: newSessionId(), to }, write, signal);
    if (error !== undefined) throw new Error(error);
  }

  async close(): Promise<void> {
    (await this.#mail)?.close();
    await (await this.#webhooks)?.close();
  }

  async #sendWebhook(
    { id, deploymentId, slug, submissionId, data, createdAt }: LeasedDelivery,
    { event, url, secrets, type }: Of<'webhook'>,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const pageUrl = this.#options.urlOf(slug);
    const content: Content = { deploymentId, slug, data: data ?? SAMPLE_DATA[event], createdAt };
    const body = type === 'slack' ? slackPayload(event, content) : genericPayload(event, content);
    const headers = type === 'slack' ? {} : genericHeaders({ submissionId, slug, pageUrl });
    this.#webhooks ??= this.#openWebhooks();
    return (await this.#webhooks).send({ id, url, secrets, headers, body }, signal);
  }

  async #openWebhooks(): Promise<WebhookClient> {
    const { WebhookClient } = await import('./webhooks/send-webhook.ts');
    return new WebhookClient(this.#options);
  }

  async #sendEmail(
    { id, to }: { id: string; to: string },
    write: () => Email | Promise<Email | undefined>,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { smtpUrl, log } = this.#options;
    if (smtpUrl === undefined) {
      if (!this.#hasWarned) {
        log.warn('a mail is due, but mail is off: set SMTP_URL, and it is sent when it is tried again');
      }
      this.#hasWarned = true;
      return { error: 'mail is off: SMTP_URL is not set' };
    }
    const email = await write();
    // The submissions of a digest have been deleted.
    if (!email) return {};
    this.#mail ??= this.#openMail(smtpUrl);
    return (await this.#mail).send({ id, to, ...email }, signal);
  }

  async #openMail(smtpUrl: string): Promise<MailClient> {
    const { limits, mailFrom } = this.#options;
    const { MailClient } = await import('./mail/send-email.ts');
    return new MailClient({ smtpUrl, from: mailFrom, maxConnections: limits.mail.concurrent, limits });
  }

  async #write(delivery: LeasedDelivery, target: MailTarget, signal: AbortSignal): Promise<Email | undefined> {
    const { deploymentId, slug, createdAt } = delivery;
    const { urlOf, baseUrl, links } = this.#options;
    const about = { deploymentId, slug, pageUrl: urlOf(slug), baseUrl };
    switch (target.kind) {
      case 'notice':
        return noticeEmail({ ...about, notice: target.notice });
      case 'recipient-off': {
        const { recipient, recipients, lastError } = target;
        return recipientOffEmail({ ...about, recipient, recipients, lastError });
      }
      case 'storage':
        return storageEmail({ ...target, baseUrl });
      case 'confirmation': {
        const { recipientId, owner } = target;
        const expires = confirmationExpiry(createdAt);
        const url = (await links()).confirm({ deploymentId, recipientId }, expires);
        return confirmationEmail({ slug, pageUrl: about.pageUrl, owner, url, expires });
      }
      default:
        return this.#writeShown(delivery, target, signal);
    }
  }

  /** A mail to a person who wants mail about a deployment: to its owner, or to a recipient. */
  async #writeShown(
    { deploymentId, slug, submissionId, data, createdAt }: LeasedDelivery,
    target: Of<'mail' | 'digest' | 'test-mail'>,
    signal: AbortSignal,
  ): Promise<Email | undefined> {
    const { urlOf, baseUrl, links, readDigest } = this.#options;
    const { recipientId } = target;
    const [labels, signed] = await Promise.all([this.#labelsOrNames(deploymentId, signal), links()]);
    const pageUrl = urlOf(slug);
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

  /** A mail is better with labels, and is sent without them rather than late or not at all. */
  async #labelsOrNames(deploymentId: string, signal: AbortSignal): Promise<Labels> {
    const { limits, labelsOf, log } = this.#options;
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
}
