import type { Knex } from 'knex';
import pg from 'pg';
import { newDeploymentId } from '../ids.ts';
import type { Connection } from './connect.ts';
import { compareMigrations, type MigrationState } from './migrate.ts';
import { announcePageChange } from './page-changes.ts';

export type DatabaseFacts = MigrationState & {
  /** Such as 180004. */
  version: number;
  encoding: string;
  /** Bytes on the server's disk. */
  size: number;
  /** The server's clock, and ours when half of the question's time had passed, in milliseconds. */
  clock: { theirs: number; ours: number };
};

const ANSWER_MS = 5_000;

/** What the doctor wants to know of a database; changes nothing. Throws when it is not reached within five seconds. */
export async function inspectDatabase(connection: Connection): Promise<DatabaseFacts> {
  const client = new pg.Client({
    ...connection,
    application_name: 'formhost doctor',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const askedAt = Date.now();
    const { rows } = await client.query(
      `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS clock, current_setting('server_version_num') AS version,
              current_setting('server_encoding') AS encoding, pg_database_size(current_database()) AS size,
              to_regclass('knex_migrations') IS NOT NULL AS migrated`,
    );
    const answeredAt = Date.now();
    const [{ clock, version, encoding, size, migrated }] = rows;
    const ran = migrated ? (await client.query('SELECT name FROM knex_migrations ORDER BY id')).rows : [];
    return {
      ...compareMigrations(ran.map(({ name }: { name: string }) => name)),
      version: Number(version),
      encoding,
      size: Number(size),
      clock: { theirs: Number(clock), ours: (askedAt + answeredAt) / 2 },
    };
  } finally {
    await client.end();
  }
}

/** A deployment of the doctor's own, for as long as it looks. */
export type Probe = { id: string; slug: string };

const OWNER = 'doctor@formhost.invalid';
const SLUG = 'formhost-doctor';
/** After so long, a probe is left over from a doctor that was killed. */
const LEFT_OVER = "interval '1 minute'";

/** Makes a page that only a doctor asks for; its slug is the same each time, so that it needs one certificate. */
export async function createProbe(db: Knex, html: string): Promise<Probe> {
  return db.transaction(async (transaction) => {
    const { rows: owners } = await transaction.raw(
      `INSERT INTO owners (email, plan) VALUES (?, 'doctor') ON CONFLICT (email) DO UPDATE SET plan = 'doctor' RETURNING id`,
      [OWNER],
    );
    const { rows: old } = await transaction.raw(
      `SELECT id FROM deployments WHERE owner_id = ? AND created_at < now() - ${LEFT_OVER}`,
      [owners[0].id],
    );
    for (const { id } of old) await remove(transaction, id);
    const id = newDeploymentId();
    const { rows: free } = await transaction.raw(
      'SELECT NOT EXISTS (SELECT FROM deployments WHERE slug = ? AND deleted_at IS NULL) AS free',
      [SLUG],
    );
    const slug = free[0].free ? SLUG : `${SLUG}-x${id.replaceAll(/[^a-z]/g, '')}`;
    await transaction.raw('INSERT INTO deployments (id, owner_id, slug) VALUES (?, ?, ?)', [id, owners[0].id, slug]);
    await transaction.raw('INSERT INTO pages (deployment_id, html) VALUES (?, ?)', [id, Buffer.from(html)]);
    await announcePageChange(transaction, slug);
    return { id, slug };
  });
}

/** The address that the service noted for a submission to a probe; undefined when it holds none. */
export async function findProbeAddress(db: Knex, { id }: Probe): Promise<string | undefined> {
  const { rows } = await db.raw('SELECT ip_address FROM submissions WHERE deployment_id = ?', [id]);
  return rows[0]?.ip_address;
}

/** Takes a probe away, with all that came to it. */
export async function removeProbe(db: Knex, { id, slug }: Probe): Promise<void> {
  await db.transaction(async (transaction) => {
    // As createProbe does first: two doctors take turns, and the one that ends last sees that it is alone.
    await transaction.raw('SELECT FROM owners WHERE email = ? FOR UPDATE', [OWNER]);
    await remove(transaction, id);
    await transaction.raw(
      'DELETE FROM owners WHERE email = ? AND NOT EXISTS (SELECT FROM deployments WHERE owner_id = owners.id)',
      [OWNER],
    );
    await announcePageChange(transaction, slug);
  });
}

/** Nobody has a key to it: it has neither webhooks nor deliveries. */
async function remove(transaction: Knex, id: string): Promise<void> {
  // First, for what stores a submission holds it to the end.
  await transaction.raw('SELECT FROM deployments WHERE id = ? FOR UPDATE', [id]);
  for (const table of ['submission_files', 'submissions', 'pages']) {
    await transaction.raw('DELETE FROM ?? WHERE deployment_id = ?', [table, id]);
  }
  await transaction.raw('DELETE FROM deployments WHERE id = ?', [id]);
}
