import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { SIZES } from '../limits.ts';

/*
 * Links in mails, which a browser opens without a key. Whoever has a link may open it: its signature is a secret.
 */

const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60 * 1_000;

export type LinkedFile = { deploymentId: string; submissionId: string; fileId: string };
export type LinkedRecipient = { deploymentId: string; recipientId: string };
type Check = 'valid' | 'expired' | 'wrong';

/**
 * Makes and checks the links of the endpoints in src/http/api/links/file-links.ts, unsubscribe.ts and confirm.ts. `query` is that of a
 * request, without the question mark.
 */
export type SignedLinks = {
  /** A URL that works until `expires`, a whole second. */
  file(file: LinkedFile, expires: Date): string;
  checkFile(file: LinkedFile, query: string): Check;
  /** Stops the mails about a deployment: those to its owner, or to one of its recipients. */
  unsubscribe(deploymentId: string, recipientId?: string): string;
  isUnsubscribe(deploymentId: string, query: string, recipientId?: string): boolean;
  /** A URL that works until `expires`, a whole second. */
  confirm(recipient: LinkedRecipient, expires: Date): string;
  checkConfirm(recipient: LinkedRecipient, query: string): Check;
};

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

/** `baseUrl`: the origin of the API. */
export function createSignedLinks(baseUrl: string, secret: Buffer): SignedLinks {
  const key = createSecretKey(secret);

  /** HMAC-SHA256 in base64url. `purpose` keeps a link of one kind from being one of another. */
  const sign = (purpose: 'file' | 'unsubscribe' | 'confirm', ...parts: readonly string[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([`formhost link: ${purpose}`, ...parts]))
      .digest('base64url');

  /** Compares the texts, because several texts decode to the same bytes. */
  function isSame(given: string | undefined, signature: string): boolean {
    const [one, other] = [Buffer.from(given ?? ''), Buffer.from(signature)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  type Sign = (expires: string) => string;
  const signFile =
    ({ deploymentId, submissionId, fileId }: LinkedFile): Sign =>
    (expires) =>
      sign('file', deploymentId, submissionId, fileId, expires);
  const signConfirm =
    ({ deploymentId, recipientId }: LinkedRecipient): Sign =>
    (expires) =>
      sign('confirm', deploymentId, recipientId, expires);

  function expiring(path: string, expires: Date, signUntil: Sign): string {
    const seconds = String(Math.floor(expires.getTime() / 1_000));
    return `${baseUrl}${path}?expires=${seconds}&signature=${signUntil(seconds)}`;
  }

  function check(query: string, signUntil: Sign): Check {
    const expires = onlyValue(query, 'expires') ?? '';
    if (!isSame(onlyValue(query, 'signature'), signUntil(expires))) return 'wrong';
    return Number(expires) * 1_000 > Date.now() ? 'valid' : 'expired';
  }

  const ofRecipient = (recipientId: string | undefined): string[] => (recipientId === undefined ? [] : [recipientId]);

  return {
    file: (file, expires) =>
      expiring(`/files/${file.deploymentId}/${file.submissionId}/${file.fileId}`, expires, signFile(file)),
    checkFile: (file, query) => check(query, signFile(file)),
    unsubscribe(deploymentId, recipientId) {
      const ids = [deploymentId, ...ofRecipient(recipientId)];
      return `${baseUrl}/unsubscribe/${ids.join('/')}?signature=${sign('unsubscribe', ...ids)}`;
    },
    isUnsubscribe: (deploymentId, query, recipientId) =>
      isSame(onlyValue(query, 'signature'), sign('unsubscribe', deploymentId, ...ofRecipient(recipientId))),
    confirm: (recipient, expires) =>
      expiring(`/confirm/${recipient.deploymentId}/${recipient.recipientId}`, expires, signConfirm(recipient)),
    checkConfirm: (recipient, query) => check(query, signConfirm(recipient)),
  };
}
