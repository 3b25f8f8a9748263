import { randomUUID } from 'node:crypto';
import { createBucket, NO_ETAG } from '../../files/bucket.ts';
import { BucketError } from '../../files/bucket-error.ts';
import { ownerOfPrefix } from '../../files/claim.ts';
import type { BucketLocation } from '../../files/location.ts';
import { LIMITS } from '../../limits.ts';
import { type Finding, fail, ok, skip } from './finding.ts';

const CREDENTIALS =
  /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|TokenRefreshRequired|InvalidClientTokenId)$/;
const WRONG_REGION = /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301|307)$/;
const DENIED = /^(?:AccessDenied|403)$/;
const FAILING = /^(?:SlowDown|ServiceUnavailable|InternalError|RequestTimeout|TIMEOUT|429|500|502|503|504)$/;
const UNKNOWN_AUTHORITY =
  /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/;
const OUT_OF_DATE = /^(?:CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/;
const WITHOUT_TLS = /^(?:ERR_SSL_.*|EPROTO)$/;
const UNKNOWN_NAME = /^(?:ENOTFOUND|EAI_AGAIN)$/;

/** What to do about a bucket's answer to a request that needs `permission`. */
function mend(code: string, permission: string): string {
  if (CREDENTIALS.test(code)) return 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN';
  if (code === 'RequestTimeTooSkewed') return 'set the clock of this machine: it differs from that of the bucket';
  if (code === 'NoSuchBucket') return 'make the bucket, or correct its name in FILES_URL';
  if (WRONG_REGION.test(code)) return 'correct region, or endpoint, in FILES_URL';
  if (DENIED.test(code)) return `allow ${permission} to this key`;
  if (FAILING.test(code)) return "look at the bucket's server, or at the way to it, and run the doctor again";
  if (UNKNOWN_AUTHORITY.test(code)) {
    return 'name its authority in NODE_EXTRA_CA_CERTS, in the environment of the service and of this command, not in .env';
  }
  if (OUT_OF_DATE.test(code)) return "renew the certificate of the bucket's server, or set the clock of this machine";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'use the name of the certificate as endpoint in FILES_URL, with style=path if it has none for the bucket';
  }
  if (WITHOUT_TLS.test(code)) return 'check endpoint in FILES_URL: there is no TLS at this port, or none of today';
  if (code === 'UND_ERR_SOCKET')
    return 'check endpoint in FILES_URL: is it https:// instead of http://, or another port?';
  if (UNKNOWN_NAME.test(code)) {
    return 'correct endpoint in FILES_URL; with style=virtual the name begins with the bucket, with style=path it does not';
  }
  if (code === NO_ETAG) return 'correct endpoint in FILES_URL: what answers there is no S3 server';
  return 'check endpoint in FILES_URL, and that this machine reaches it';
}

/**
 * Checks the bucket with an object that is written, read, listed and deleted. `inDatabase`: what the database says, if it
 * can be asked.
 */
export async function checkFiles(
  location: BucketLocation | undefined,
  inDatabase: { hasBucketFiles(): Promise<boolean>; installation(): Promise<string> } | undefined,
): Promise<Finding> {
  if (!location) {
    if (!(await inDatabase?.hasBucketFiles())) return skip('FILES_URL is not set: files are in the database');
    return fail(
      'FILES_URL is not set, and the content of some files is in a bucket',
      'set FILES_URL as it was, or take the files back with it: `files move --to database`',
    );
  }
  const bucket = createBucket(location, LIMITS);
  const name = `doctor-${randomUUID()}`;
  const place = `the bucket ${location.bucket}`;
  let permission = 's3:PutObject';
  try {
    await bucket.writeNote(name, name);
    permission = 's3:GetObject';
    const read = await bucket.readNote(name);
    permission = 's3:DeleteObject';
    await bucket.deleteNote(name);
    if (read !== name) return fail(`${place} gives back other content than was stored`, 'look at what is behind it');
    permission = 's3:ListBucket';
    await bucket.list('');
    const owner = await ownerOfPrefix(bucket);
    if (owner !== undefined && inDatabase && owner !== (await inDatabase.installation())) {
      return fail(
        `the prefix of FILES_URL in ${place} belongs to another installation`,
        'use another prefix, or, if that installation is gone, run `files claim`',
      );
    }
    return ok(`${place} stores, gives back, lists and deletes`);
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return fail(error.message, mend(error.code, permission));
  } finally {
    await bucket.close();
  }
}
