import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/*
 * Links in mails, which a browser opens without a key. Whoever has a link may open it: its signature is a secret.
 */

/** For how many days a link to a file works. A link that unsubscribes works while its deployment exists. */
export const FILE_LINK_DAYS = 7;

const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60 * 1_000;

export type LinkedFile = { deploymentId: string; submissionId: string; fileId: string };

/**
 * Makes and checks the links of the endpoints in src/http/api/file-links.ts and unsubscribe.ts. `query` is that of a
 * request, without the question mark.
 */
export type SignedLinks = {
  /** A URL that works until `expires`, a whole second. */
  file(file: LinkedFile, expires: Date): string;
  checkFile(file: LinkedFile, query: string): 'valid' | 'expired' | 'wrong';
  unsubscribe(deploymentId: string): string;
  isUnsubscribe(deploymentId: string, query: string): boolean;
};

/** When a link to a file that is made now expires: a whole minute, so that mails can name it. */
export const fileLinkExpiry = (now: Date): Date =>
  new Date(Math.ceil((now.getTime() + FILE_LINK_DAYS * DAY_MS) / MINUTE_MS) * MINUTE_MS);

/** The value of a parameter; undefined unless there is exactly one. */
function onlyValue(query: string, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(query).getAll(name);
  return others.length === 0 ? value : undefined;
}

/** `baseUrl`: the origin of the API. */
export function createSignedLinks(baseUrl: string, secret: Buffer): SignedLinks {
  const key = createSecretKey(secret);

  /** HMAC-SHA256 in base64url. `purpose` keeps a link of one kind from being one of another. */
  const sign = (purpose: 'file' | 'unsubscribe', ...parts: readonly string[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([`formhost link: ${purpose}`, ...parts]))
      .digest('base64url');

  /** Compares the texts, because several texts decode to the same bytes. */
  function isSame(given: string | undefined, signature: string): boolean {
    const [one, other] = [Buffer.from(given ?? ''), Buffer.from(signature)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  const signFile = ({ deploymentId, submissionId, fileId }: LinkedFile, expires: string): string =>
    sign('file', deploymentId, submissionId, fileId, expires);

  return {
    file(file, expires) {
      const seconds = String(Math.floor(expires.getTime() / 1_000));
      const path = `/files/${file.deploymentId}/${file.submissionId}/${file.fileId}`;
      return `${baseUrl}${path}?expires=${seconds}&signature=${signFile(file, seconds)}`;
    },
    checkFile(file, query) {
      const expires = onlyValue(query, 'expires') ?? '';
      if (!isSame(onlyValue(query, 'signature'), signFile(file, expires))) return 'wrong';
      return Number(expires) * 1_000 > Date.now() ? 'valid' : 'expired';
    },
    unsubscribe: (deploymentId) =>
      `${baseUrl}/unsubscribe/${deploymentId}?signature=${sign('unsubscribe', deploymentId)}`,
    isUnsubscribe: (deploymentId, query) => isSame(onlyValue(query, 'signature'), sign('unsubscribe', deploymentId)),
  };
}
