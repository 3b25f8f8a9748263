import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProbe, removeProbe } from '../../src/db/doctor-probe.ts';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { storeSubmissions } from '../../src/db/submissions/store-submissions.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { rowsIn } from '../support/doctor.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';

const NOTHING = { owners: 0, deployments: 0, pages: 0, submissions: 0, files: 0, deliveries: 0 };

/** Settles when a statement waits for another transaction. */
const untilBlocked = (db: Database): Promise<void> =>
  vi.waitFor(async () => {
    const { rows } = await db.raw(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(rows).toHaveLength(1);
  }, 10_000);

describe("the doctor's page", () => {
  let database: FreshDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await cloneDatabase();
    db = connect({ connectionString: database.url }, { limits: testLimits() });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });
  const submit = (on: Knex, deploymentId: string) =>
    storeSubmissions(on, [{ id: newSubmissionId(), deploymentId, data: '{}', ipAddress: '127.0.0.1' }]);

  it('is removed by the next doctor, with what was submitted, when its own was killed', async () => {
    const left = await createProbe(db, 'left');
    await submit(db, left.id);
    await db.raw(
      `INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
       SELECT 'file_1', deployment_id, id, 'a', 'text/plain', 1 FROM submissions`,
    );
    await db.raw("UPDATE deployments SET created_at = created_at - interval '2 minutes'");
    const next = await createProbe(db, 'next');
    expect(next).toEqual({ id: expect.not.stringMatching(left.id), slug: left.slug });
    const beside = await createProbe(db, 'beside');
    expect(beside.slug).not.toBe(next.slug);
    await removeProbe(db, next);
    await removeProbe(db, beside);
    expect(await rowsIn(db)).toEqual(NOTHING);
  });

  it('is removed with what is submitted meanwhile', async () => {
    const probe = await createProbe(db, 'probe');
    let removing: Promise<void> | undefined;
    await db.transaction(async (transaction) => {
      await submit(transaction, probe.id);
      removing = removeProbe(db, probe);
      await untilBlocked(db);
    });
    await removing;
    expect(await rowsIn(db)).toEqual(NOTHING);
  });

  it('is removed while another doctor begins', async () => {
    const first = await createProbe(db, 'first');
    let removing: Promise<void> | undefined;
    const second = await db.transaction(async (transaction) => {
      const probe = await createProbe(transaction, 'second');
      removing = removeProbe(db, first);
      await untilBlocked(db);
      return probe;
    });
    await removing;
    expect(await rowsIn(db)).toEqual({ ...NOTHING, owners: 1, deployments: 1, pages: 1 });
    await removeProbe(db, second);
    expect(await rowsIn(db)).toEqual(NOTHING);
  });
});
