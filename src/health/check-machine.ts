import { randomUUID } from 'node:crypto';
import { backupAge } from '../db/backup/last-backup.ts';
import { hasBucketFiles, installationOf } from '../db/files/bucket-file-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { DatabaseFacts } from '../db/postgres/inspect.ts';
import type { settingsInForce } from '../db/postgres/transaction-pooler.ts';
import { MailClient } from '../delivery/mail/mail-client.ts';
import { diskSpace } from '../environment/disk-space.ts';
import type { BucketLocation } from '../environment/files-url.ts';
import { Bucket } from '../files/bucket.ts';
import { BucketError } from '../files/bucket-error.ts';
import { ownerOfPrefix } from '../files/claim.ts';
import { inBytes } from '../lib/byte-size.ts';
import { LIMITS } from '../limits.ts';
import { discover, OpenidError, type OpenidSettings } from '../openid/openid-provider.ts';
import { type Finding, fail, ok, skip, warn } from './finding.ts';

/*
 * Checks of what the service uses: the database, its backups, the disk, the mail server, the bucket.
 */

const MIN_VERSION = 15;
/** With less free space than both, a disk is a warning. */
const MIN_FREE_BYTES = 1024 ** 3;
const MIN_FREE_SHARE = 0.1;
const DAY_SECONDS = 24 * 60 * 60;
/** An older backup is a warning: one is made every night. */
const MAX_BACKUP_DAYS = 2;

/** Checks the database's version, encoding and migrations, that it takes writes, and whether a pooler is named. */
export function checkDatabase(
  { version, encoding, standby, missing, unknown, size }: DatabaseFacts,
  settings: Awaited<ReturnType<typeof settingsInForce>>,
): Finding {
  const major = Math.floor(version / 10_000);
  const saw = `Postgres ${major}.${version % 10_000}, ${inBytes(size)}`;
  if (major < MIN_VERSION) return fail(saw, `Postgres ${MIN_VERSION} or later is needed`);
  if (encoding !== 'UTF8') return fail(`${saw}, encoded in ${encoding}`, "make a database with ENCODING 'UTF8'");
  if (standby) {
    return fail(
      `${saw}, a standby, which takes no writes`,
      'name the primary in DATABASE_URL, or both, with target_session_attrs=read-write',
    );
  }
  if (settings === 'refused') {
    return fail(
      `${saw}, behind a pooler that refuses the settings of the service's connections`,
      'set DATABASE_POOLER=transaction, or connect to Postgres itself',
    );
  }
  if (missing.length > 0) {
    return fail(
      `${saw}, without the migrations ${missing.join(', ')}`,
      'start the service, which runs them; or set DATABASE_URL or DATA_DIR as the service has it',
    );
  }
  if (settings === 'ignored') {
    return warn(
      `${saw}, behind a pooler that ignores the time-outs of the service's connections`,
      'set DATABASE_POOLER=transaction, or, if it pools sessions, statement_timeout of the role',
    );
  }
  if (unknown.length > 0) {
    return warn(`${saw}, migrated by a newer version (${unknown.join(', ')})`, 'finish the update, or revert it');
  }
  return ok(`${saw}, all migrations have been run`);
}

/** Checks the age of the last backup that `admin backup` has made. `isEmbedded`: nobody else makes any. */
export async function checkBackups(db: Database | undefined, isEmbedded: boolean): Promise<Finding> {
  if (!db) return skip('the database cannot be used');
  const age = await backupAge(db);
  const mend = 'make one every night, as docs/operations.md says, and look at why the last one failed';
  if (age === undefined) {
    if (isEmbedded) return warn('no backup was made', mend);
    return skip('no backup was made by `formhost admin backup`: the database server may have its own');
  }
  const saw = `the last backup is ${Math.floor(age / 3_600)} hours old`;
  return age > MAX_BACKUP_DAYS * DAY_SECONDS ? warn(saw, mend) : ok(saw);
}

/** Checks the free space where `folder` is, or will be. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { free, total } = await diskSpace(folder);
  return findDisk(folder, free, total);
}

/** `free` and `total` in bytes. */
export function findDisk(folder: string, free: number, total: number): Finding {
  const saw = `${inBytes(free)} (${Math.floor((100 * free) / total)} %) free where ${folder} is`;
  if (free >= MIN_FREE_BYTES && free >= MIN_FREE_SHARE * total) return ok(saw);
  return warn(saw, 'free some space: without any, submissions are answered with 503');
}

/** Checks that the mail server accepts a connection, TLS where it offers that, and the login; sends no mail. */
export async function checkMail(smtpUrl: string | undefined, ms: number): Promise<Finding> {
  if (smtpUrl === undefined) return skip('mail is off: SMTP_URL is not set');
  const url = new URL(smtpUrl);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout']) {
    url.searchParams.set(name, String(ms));
  }
  const from = { name: '', address: 'doctor@formhost.invalid' };
  const mail = new MailClient({ smtpUrl: url.href, from, limits: LIMITS });
  const { error, response } = await mail.verify();
  mail.close();
  if (error === undefined) {
    return ok(`${url.hostname} accepts connections${url.username === '' ? '' : ' and the login'}`);
  }
  return fail(
    `${url.hostname}: ${error}${response === undefined ? '' : `: ${response}`}`,
    'see SMTP_URL: its host, its port (465 for smtps:, 587 for smtp:), user name and password',
  );
}

/** Checks that the provider of OpenID Connect names the addresses at which people sign in. */
export async function checkOpenid(settings: OpenidSettings, ms: number): Promise<Finding> {
  const { href } = settings.issuer;
  try {
    const { token_endpoint: tokens, authorization_endpoint: page } = await discover(settings, ms);
    if (tokens !== undefined && page !== undefined) return ok(href);
    return fail(`${href} names no address to sign in`, 'set OIDC_ISSUER as the provider names it');
  } catch (error) {
    if (!(error instanceof OpenidError)) throw error;
    return fail(
      `${href}: ${error.message}`,
      'set OIDC_ISSUER as the provider names it, with the same slash at its end, and let this machine reach it',
    );
  }
}

/** Checks the bucket with an object that is written, read, listed and deleted. */
export async function checkFiles(location: BucketLocation | undefined, db: Database | undefined): Promise<Finding> {
  if (!location) {
    if (!db || !(await hasBucketFiles(db))) return skip('FILES_URL is not set: files are in the database');
    return fail(
      'FILES_URL is not set, and the content of some files is in a bucket',
      'set FILES_URL as it was, or take the files back with it: `formhost admin files move --to database`',
    );
  }
  const bucket = new Bucket(location, LIMITS);
  const name = `doctor-${randomUUID()}`;
  const place = `the bucket ${location.bucket}`;
  try {
    await bucket.writeMarker(name, name);
    const read = await bucket.readMarker(name);
    await bucket.deleteMarker(name);
    if (read !== name) return fail(`${place} gives back other content than was stored`, 'check what is behind it');
    await bucket.list('');
    const owner = await ownerOfPrefix(bucket);
    if (owner !== undefined && db && owner !== (await installationOf(db))) {
      return fail(
        `the prefix of FILES_URL in ${place} belongs to another installation`,
        'use another prefix, or, if that installation is gone, run `formhost admin files claim`',
      );
    }
    return ok(`${place} stores, gives back, lists and deletes`);
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return fail(
      error.message,
      'check FILES_URL (bucket, endpoint, region, style), the AWS_ credentials, and that they may put, get, delete and list ' +
        'objects; docs/files.md explains the codes',
    );
  }
}
