import type { Event } from '../events.ts';

/** Where a delivery goes. `notice` is a mail that is about no event. */
export type Target =
  | {
      kind: 'webhook';
      webhookId: string;
      event: Event;
      url: string;
      type: 'generic' | 'slack';
      secrets: readonly string[];
      /** Whether nothing has succeeded since a failure. */
      isFailing: boolean;
    }
  | { kind: 'mail'; event: Event; to: string }
  /** `notice`: a text where an older version has made it. */
  | { kind: 'notice'; to: string; notice: WebhookNotice | string };

/** What the owner is told of a webhook that was switched off. */
export type WebhookNotice = {
  webhookId: string;
  url: string;
  /** Whether its receiver answered 410. */
  isGone: boolean;
  /** Why the last attempt failed. */
  lastError: string;
  /** The first failure since the last success. */
  failingSince: Date;
};

/** A delivery that this process may attempt until its lease ends. */
export type LeasedDelivery = {
  id: string;
  /** How many attempts there have been, including the one that this lease is for. */
  attempts: number;
  /** The host and port that it goes to, or MAIL. */
  receiver: string;
  ownerId: number;
  deploymentId: string;
  slug: string;
  /** undefined for a test or a notice. */
  submissionId: string | undefined;
  target: Target;
  /** The JSON text that was submitted; undefined for a test or a notice. */
  data: string | undefined;
  /** When the submission, the test or the notice was made. */
  createdAt: Date;
};

/** The receiver of all mail. */
export const MAIL = '@mail';

export type TargetRow = {
  webhook_id: string | null;
  event: Event | null;
  url: string | null;
  type: 'generic' | 'slack' | null;
  secret: string | null;
  previous_secrets: readonly { secret: string; until: string }[] | null;
  failing: boolean;
  mail_to: string | null;
  notice: string | null;
};

/** The column `notice`, as the statement that settles deliveries writes it. */
type NoticeRow = { webhook_id: string; url: string; gone: boolean; last_error: string; failing_since: string };

function toNotice(text: string): WebhookNotice | string {
  if (!text.startsWith('{')) return text;
  const row: NoticeRow = JSON.parse(text);
  return {
    webhookId: row.webhook_id,
    url: row.url,
    isGone: row.gone,
    lastError: row.last_error,
    failingSince: new Date(row.failing_since),
  };
}

export function toTarget(row: TargetRow): Target {
  const { webhook_id: webhookId, event, url, type, secret, previous_secrets, failing: isFailing, mail_to: to } = row;
  if (webhookId !== null && event !== null && url !== null && type !== null && secret !== null) {
    const previous = previous_secrets?.filter(({ until }) => Date.parse(until) > Date.now()) ?? [];
    const secrets = [secret, ...previous.map((old) => old.secret)];
    return { kind: 'webhook', webhookId, event, url, type, secrets, isFailing };
  }
  if (to === null) throw new Error('A delivery has neither a webhook nor a mail address.');
  if (row.notice !== null) return { kind: 'notice', to, notice: toNotice(row.notice) };
  if (event === null) throw new Error('A delivery has neither an event nor a notice.');
  return { kind: 'mail', event, to };
}
