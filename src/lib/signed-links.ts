import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { SIZES } from '../sizes.ts';

/*
 * Links in mails, which a browser opens without a key. Everybody who has a link may open it: its signature is a secret. And the
 * addresses to which error pages send a form again.
 */

const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60 * 1_000;

export type LinkedFile = { deploymentId: string; submissionId: string; fileId: string };
export type RecipientIds = { deploymentId: string; recipientId: string };
export type SubmissionIds = { deploymentId: string; submissionId: string };
type Check = 'valid' | 'expired' | 'wrong';

const inDays = (from: Date, days: number): Date =>
  new Date(Math.ceil((from.getTime() + days * DAY_MS) / MINUTE_MS) * MINUTE_MS);

/** When a link to a file that is made now expires: a whole minute, so that mails can name it. */
export const fileLinkExpiry = (now: Date): Date => inDays(now, SIZES.links.fileDays);
/** When a recipient that was asked at a time can no longer confirm: a whole minute. */
export const confirmationExpiry = (asked: Date): Date => inDays(asked, SIZES.links.confirmationDays);

/** The value of a parameter; undefined unless there is exactly one. */
function onlyValue(query: string, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(query).getAll(name);
  return others.length === 0 ? value : undefined;
}

type SignUntil = (expires: string) => string;

/** Makes and checks the links of the endpoints in src/http/api/links. `query` is that of a request, without the question mark. */
export class SignedLinks {
  readonly #baseUrl: string;
  readonly #key: KeyObject;

  /** `baseUrl`: the origin of the API. */
  constructor(baseUrl: string, secret: Buffer) {
    this.#baseUrl = baseUrl;
    this.#key = createSecretKey(secret);
  }

  /** A URL that works until `expires`, a whole second. */
  file(file: LinkedFile, expires: Date): string {
    const path = `/files/${file.deploymentId}/${file.submissionId}/${file.fileId}`;
    return this.#expiring(path, expires, this.#signFile(file));
  }

  checkFile(file: LinkedFile, query: string): Check {
    return check(query, this.#signFile(file));
  }

  /** Stops the mails about a deployment: those to its owner, or to one of its recipients. */
  unsubscribe(deploymentId: string, recipientId?: string): string {
    const ids = recipientId === undefined ? [deploymentId] : [deploymentId, recipientId];
    return `${this.#baseUrl}/unsubscribe/${ids.join('/')}?signature=${this.#sign('unsubscribe', ...ids)}`;
  }

  isUnsubscribe(deploymentId: string, query: string, recipientId?: string): boolean {
    const ids = recipientId === undefined ? [deploymentId] : [deploymentId, recipientId];
    return isSame(onlyValue(query, 'signature'), this.#sign('unsubscribe', ...ids));
  }

  /** Moves a submission into the spam folder. */
  spam({ deploymentId, submissionId }: SubmissionIds): string {
    return `${this.#baseUrl}/spam/${deploymentId}/${submissionId}?signature=${this.#sign('spam', deploymentId, submissionId)}`;
  }

  isSpam({ deploymentId, submissionId }: SubmissionIds, query: string): boolean {
    return isSame(onlyValue(query, 'signature'), this.#sign('spam', deploymentId, submissionId));
  }

  /** A URL that works until `expires`, a whole second. */
  confirm(recipient: RecipientIds, expires: Date): string {
    const path = `/confirm/${recipient.deploymentId}/${recipient.recipientId}`;
    return this.#expiring(path, expires, this.#signConfirm(recipient));
  }

  checkConfirm(recipient: RecipientIds, query: string): Check {
    return check(query, this.#signConfirm(recipient));
  }

  /** The signature of a submission's id, and of what was filled in: nobody else chooses the id of a submission. */
  resubmission(submissionId: string, sent: string): string {
    return this.#sign('resubmission', submissionId, sent);
  }

  isResubmission(submissionId: string, sent: string, signature: string | undefined): boolean {
    return isSame(signature, this.resubmission(submissionId, sent));
  }

  #signFile({ deploymentId, submissionId, fileId }: LinkedFile): SignUntil {
    return (expires) => this.#sign('file', deploymentId, submissionId, fileId, expires);
  }

  #signConfirm({ deploymentId, recipientId }: RecipientIds): SignUntil {
    return (expires) => this.#sign('confirm', deploymentId, recipientId, expires);
  }

  /** HMAC-SHA256 in base64url. `purpose` keeps a link of one kind from being one of another. */
  #sign(purpose: 'file' | 'unsubscribe' | 'confirm' | 'resubmission' | 'spam', ...parts: readonly string[]): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([`formhost link: ${purpose}`, ...parts]))
      .digest('base64url');
  }

  #expiring(path: string, expires: Date, signUntil: SignUntil): string {
    const seconds = String(Math.floor(expires.getTime() / 1_000));
    return `${this.#baseUrl}${path}?expires=${seconds}&signature=${signUntil(seconds)}`;
  }
}

/** Compares the texts, because several texts decode to the same bytes. */
function isSame(given: string | undefined, signature: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(signature)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function check(query: string, signUntil: SignUntil): Check {
  const expires = onlyValue(query, 'expires') ?? '';
  if (!isSame(onlyValue(query, 'signature'), signUntil(expires))) return 'wrong';
  return Number(expires) * 1_000 > Date.now() ? 'valid' : 'expired';
}
