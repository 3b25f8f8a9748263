import { createHash } from 'node:crypto';
import { customAlphabet } from 'nanoid';

/** A client that sends a submission again sends an id that is at most this old. */
const RECENT_MS = 24 * 60 * 60 * 1_000;
/** The clock of the process that made an id may be this far ahead. */
const CLOCK_SKEW_MS = 60_000;

// In ASCII order, so that ids sort by the time at their beginning.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const random16 = customAlphabet(ALPHABET, 16);

/** Eight characters for a time in milliseconds; sorts like the time until the year 8888. */
function timePrefix(ms: number): string {
  let text = '';
  for (let rest = ms; text.length < 8; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text;
}

/**
 * `<kind>_` and 24 characters: the time, then 95 random bits. Ids rise with time, so that indexes on them grow at one
 * end.
 */
const newId = (kind: string, ms = Date.now()): string => `${kind}_${timePrefix(ms)}${random16()}`;

const TOKEN_CHARS = 43;
const random43 = customAlphabet(ALPHABET, TOKEN_CHARS);

export const DEPLOYMENT_ID = /^d_[0-9A-Za-z]{20,60}$/;
export const SUBMISSION_ID = /^sub_[0-9A-Za-z]{20,60}$/;
export const FILE_ID = /^file_[0-9A-Za-z]{20,60}$/;
export const OBJECT_ID = /^obj_[0-9A-Za-z]{24}$/;
export const WEBHOOK_ID = /^wh_[0-9A-Za-z]{20,60}$/;
export const DELIVERY_ID = /^dl_[0-9A-Za-z]{20,60}$/;
export const KEY_ID = /^key_[0-9A-Za-z]{20,60}$/;
export const RECIPIENT_ID = /^rcp_[0-9A-Za-z]{20,60}$/;
export const SESSION_ID = /^ses_[0-9A-Za-z]{20,60}$/;
export const FEED_ID = /^feed_[0-9A-Za-z]{20,60}$/;
export const GUEST_ID = /^gst_[0-9A-Za-z]{20,60}$/;
export const SHARE_ID = /^share_[0-9A-Za-z]{20,60}$/;
export const GRANT_ID = /^grant_[0-9A-Za-z]{20,60}$/;
export const OAUTH_CLIENT_ID = /^client_[0-9A-Za-z]{20,60}$/;

/** The id of an owner outside the database, where it is a number, begins with this. */
export const OWNER_PREFIX = 'own_';
export const ownerWireId = (id: number): string => OWNER_PREFIX + id;
export const OWNER_ID = /^own_[1-9][0-9]{0,14}$/;
/** The number in an owner's id; undefined where the text is none. */
export const ownerNumber = (id: string): number | undefined => (OWNER_ID.test(id) ? Number(id.slice(4)) : undefined);
export const newDeploymentId = (): string => newId('d');
/** `mark`: that of a submission which came by /f/ (src/forms/foreign-mark.ts). */
export const newSubmissionId = (mark = ''): string => newId('sub') + mark;
/** The id of a submission that another service has accepted at a time, in milliseconds since 1970. */
export const importedSubmissionId = (ms: number): string => newId('sub', ms);
export const newFileId = (): string => newId('file');
export const newObjectId = (): string => newId('obj');
export const newWebhookId = (): string => newId('wh');
export const newDeliveryId = (): string => newId('dl');
export const newKeyId = (): string => newId('key');
export const newRecipientId = (): string => newId('rcp');
export const newSessionId = (): string => newId('ses');
export const newFeedId = (): string => newId('feed');
export const newAuditEntryId = (): string => newId('aud');
export const newGuestId = (): string => newId('gst');
export const newShareId = (): string => newId('share');
export const newGrantId = (): string => newId('grant');
export const newOAuthClientId = (): string => newId('client');

/**
 * The lowest id that a delivery created at or after a time can have. Submissions that visitors send again are an
 * exception: their ids, and those of their deliveries, are up to `recentMs` older.
 */
export const firstDeliveryId = (time: Date): string => `dl_${timePrefix(time.getTime())}`;

/** An API key: `fh_` and 43 random characters (256 bits). */
export const newApiKey = (): string => `fh_${random43()}`;

/** The value of a session's cookie, or the token in an address that is a secret: 256 random bits. */
export const newToken = (): string => random43();

/** What a program sends in place of a key: `fho_` and 43 random characters. */
export const newAccessToken = (): string => `fho_${random43()}`;

export const isAccessToken = (text: string): boolean => /^fho_[0-9A-Za-z]{43}$/.test(text);

/** A refresh token: `fhr_`, the part that all of its grant have, and a part of its own. */
export const newRefreshToken = (family = random43()): { token: string; family: string } => ({
  token: `fhr_${family}${random43()}`,
  family,
});

/** The part of a refresh token that all of its grant have; undefined for a text that is no refresh token. */
export const familyOf = (token: string): string | undefined =>
  /^fhr_([0-9A-Za-z]{43})[0-9A-Za-z]{43}$/.exec(token)?.[1];

/** The SHA-256 of an API key or a token, which is stored instead of it. */
export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest();

export const isApiKey = (text: string): boolean => /^fh_[0-9A-Za-z]{40,200}$/.test(text);
/** Matches a text that could be a token. */
export const TOKEN = new RegExp(`^[0-9A-Za-z]{${TOKEN_CHARS}}$`);

/** Returns whether a text has the form of `newSubmissionId`, with a time in the last 24 hours. */
export function isRecentSubmissionId(text: string): boolean {
  if (!/^sub_[0-9A-Za-z]{24,27}$/.test(text)) return false;
  const madeAt = text.slice(4, 12);
  const now = Date.now();
  return madeAt >= timePrefix(now - RECENT_MS) && madeAt <= timePrefix(now + CLOCK_SKEW_MS);
}

const requestIdPart = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 8);

/** Makes ids of requests: unique among processes, and cheap enough for the hot paths. */
export function createRequestIds(): () => string {
  const process = requestIdPart();
  let count = 0;
  return () => {
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
}
