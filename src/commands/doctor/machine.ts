import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { DatabaseFacts } from '../../db/postgres/inspect.ts';
import type { settingsInForce } from '../../db/postgres/transaction-pooler.ts';
import { COMMAND_LIMITS } from '../../limits.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MIN_VERSION = 15;
const FIRST_MIGRATION = '0001-service';
const MIB = 1024 ** 2;

/** In MiB or GiB, with one decimal. */
const inUnits = (bytes: number): string =>
  bytes < 1024 * MIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / 1024 / MIB).toFixed(1)} GiB`;

/** Checks the database's version, encoding and migrations. */
export function checkDatabase(
  { version, encoding, standby, missing, unknown, size }: DatabaseFacts,
  settings: Awaited<ReturnType<typeof settingsInForce>>,
): Finding {
  const major = Math.floor(version / 10_000);
  const saw = `Postgres ${major}.${version % 10_000}, ${inUnits(size)}`;
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
  if (missing.includes(FIRST_MIGRATION)) {
    return fail(
      `${saw}, without any table of the service`,
      'start the service, which makes them, or set DATABASE_URL or DATA_DIR as the service has it',
    );
  }
  if (missing.length > 0) {
    return fail(`${saw}, without ${missing.join(', ')}`, 'start the service, which runs its migrations');
  }
  if (settings === 'ignored') {
    return warn(
      `${saw}, behind a pooler that ignores the time-outs of the service's connections`,
      'set DATABASE_POOLER=transaction, or, if it pools sessions, statement_timeout and enable_seqscan of the role',
    );
  }
  if (unknown.length > 0) {
    return warn(`${saw}, migrated by a newer version (${unknown.join(', ')})`, 'finish the update, or revert it');
  }
  return ok(`${saw}, all migrations have been run`);
}

/** Checks the free space where `folder` is, or will be. */
export async function checkDisk(folder: string): Promise<Finding> {
  const place = existsSync(folder) ? folder : '.';
  const { bavail, blocks, bsize } = await statfs(place);
  return judgeDisk(folder, bavail * bsize, blocks * bsize);
}

/** `free` and `total` in bytes. */
export function judgeDisk(folder: string, free: number, total: number): Finding {
  const saw = `${inUnits(free)} (${Math.floor((100 * free) / total)} %) free where ${folder} is`;
  if (free >= COMMAND_LIMITS.doctor.freeDiskBytes && free >= COMMAND_LIMITS.doctor.freeDiskShare * total)
    return ok(saw);
  return warn(saw, 'free some space: without any, submissions are answered with 503');
}
