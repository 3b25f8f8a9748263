import { EVENTS, type Event } from '../../lib/events.ts';

/** Where a delivery goes. `notice` is a mail to the owner about a webhook. */
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
  /** About a submission. */
  | ({ kind: 'mail' } & Receiving)
  | ({ kind: 'digest'; range: DigestRange } & Receiving)
  | ({ kind: 'test-mail' } & Receiving)
  /** Asks an address whether it wants mail about a deployment. `owner`: whose deployment it is. */
  | { kind: 'confirmation'; to: string; recipientId: string; owner: string }
  /** Tells the owner that a recipient was switched off. `recipients`: the whole list. */
  | { kind: 'recipient-off'; to: string; recipient: string; recipients: readonly string[]; lastError: string }
  /** Tells the owner how much of the storage is used. */
  | ({ kind: 'storage'; to: string } & StorageUse)
  /** `notice`: a text where an older version has made it. */
  | { kind: 'notice'; to: string; notice: WebhookNotice | string }
  /** The row cannot be decoded. `isFinal`: neither can a newer version. */
  | { kind: 'unreadable'; reason: string; isFinal: boolean };

/** Who gets a mail. `recipientId`: undefined for the owner of a deployment that lists no recipients. */
export type Receiving = { to: string; recipientId: string | undefined };

/** What a digest is about: the submissions with numbers above `after`, up to `last`. Times are of its window. */
export type DigestRange = { after: number; last: number; from: Date; to: Date };

/**
 * The events of mails. `submission-mail` is a mail about a submission to a recipient; the one to the owner has the event
 * `submission`.
 */
export const MAIL_EVENTS = [
  'submission-mail',
  'digest',
  'test-mail',
  'confirmation',
  'recipient-off',
  'storage',
] as const;
type MailEvent = (typeof MAIL_EVENTS)[number];

const KNOWN_EVENTS: ReadonlySet<string> = new Set([...EVENTS, ...MAIL_EVENTS]);
/** `percent`: the part of the limit that use has reached; `used` and `limit` in bytes. */
export type StorageUse = { percent: number; used: number; limit: number; plan: string };

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
  /** undefined for a test, a digest or a notice. */
  submissionId: string | undefined;
  target: Target;
  /** The JSON text that was submitted; undefined where there is no `submissionId`. */
  data: string | undefined;
  /** When the submission was accepted, or the test, the digest or the notice was made. */
  createdAt: Date;
};

/** The receiver of all mail. */
export const MAIL = '@mail';

export type TargetRow = {
  webhook_id: string | null;
  recipient_id: string | null;
  event: Event | MailEvent | null;
  url: string | null;
  type: 'generic' | 'slack' | null;
  secret: string | null;
  previous_secrets: readonly { secret: string; until: string }[] | null;
  failing: boolean;
  mail_to: string | null;
  notice: string | null;
};

/** The column `notice`, as the statements write it that make such deliveries. */
type NoticeRow = { webhook_id: string; url: string; gone: boolean; last_error: string; failing_since: string };
type DigestRow = { after: number; last: number; from: string; to: string };
type ConfirmationRow = { owner: string };
type RecipientOffRow = { recipient: string; recipients: string[]; last_error: string };

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

/** Never throws: a row that cannot be decoded fails alone. */
export function toTarget(row: TargetRow): Target {
  // During an update a newer version may make deliveries of events that this one does not know, and sends them later.
  if (row.event !== null && !KNOWN_EVENTS.has(row.event)) {
    return { kind: 'unreadable', reason: `this version does not know the event ${row.event}`, isFinal: false };
  }
  try {
    return row.webhook_id === null ? toMail(row) : toWebhook(row);
  } catch (error) {
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error), isFinal: true };
  }
}

function toWebhook({ webhook_id: webhookId, event, url, type, secret, previous_secrets, failing }: TargetRow): Target {
  if (event !== 'submission' || webhookId === null || url === null || type === null || secret === null) {
    throw new Error(`a webhook receives no ${event ?? 'notice'}`);
  }
  const previous = previous_secrets?.filter(({ until }) => Date.parse(until) > Date.now()) ?? [];
  const secrets = [secret, ...previous.map((old) => old.secret)];
  return { kind: 'webhook', webhookId, event, url, type, secrets, isFailing: failing };
}

function toMail({ recipient_id, event, mail_to: to, notice }: TargetRow): Target {
  if (to === null) throw new Error('it has neither a webhook nor a mail address');
  const receiving = { to, recipientId: recipient_id ?? undefined };
  if (event === 'submission-mail') return { kind: 'mail', ...receiving };
  if (event === 'test-mail') return { kind: 'test-mail', ...receiving };
  if (notice === null) {
    if (event !== 'submission') throw new Error('it has no notice');
    return { kind: 'mail', ...receiving };
  }
  if (event === 'digest') {
    const { after, last, from, to: end }: DigestRow = JSON.parse(notice);
    return { kind: 'digest', ...receiving, range: { after, last, from: new Date(from), to: new Date(end) } };
  }
  if (event === 'confirmation') {
    if (recipient_id === null) throw new Error('it asks no recipient');
    const { owner }: ConfirmationRow = JSON.parse(notice);
    return { kind: 'confirmation', to, recipientId: recipient_id, owner };
  }
  if (event === 'recipient-off') {
    const { recipient, recipients, last_error: lastError }: RecipientOffRow = JSON.parse(notice);
    return { kind: 'recipient-off', to, recipient, recipients, lastError };
  }
  if (event === 'storage') {
    const use: StorageUse = JSON.parse(notice);
    return { kind: 'storage', to, ...use };
  }
  return { kind: 'notice', to, notice: toNotice(notice) };
}
