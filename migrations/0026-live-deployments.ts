import type { Knex } from 'knex';

export const config = { transaction: false };

const BATCH = 50;

// From the trigger on, every change is counted, those of an older version too. Owners whose live deployments have not
// been counted yet have NULL, which stays NULL, until the last step. If it is interrupted, it runs again from the start.
export async function up(db: Knex): Promise<void> {
  // As in 0003, the migration does not wait for a long lock of others: it locks owners, and then deployments, for a moment.
  await db.transaction((transaction) =>
    transaction.raw(`
      SET LOCAL lock_timeout = '1s';
      -- A row for each owner, so that the count need not be made at each list.
      CREATE TABLE IF NOT EXISTS live_deployments (
        owner_id bigint PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
        live bigint -- how many live deployments the owner has; NULL: not counted yet
      );
      CREATE OR REPLACE FUNCTION begin_live_deployments() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO live_deployments (owner_id, live) VALUES (NEW.id, 0);
        RETURN NULL;
      END $$;
      CREATE OR REPLACE TRIGGER begin_live_deployments AFTER INSERT ON owners
        FOR EACH ROW EXECUTE FUNCTION begin_live_deployments()
    `),
  );
  await db.raw('INSERT INTO live_deployments (owner_id) SELECT id FROM owners ON CONFLICT DO NOTHING');
  await db.transaction((transaction) =>
    transaction.raw(`
      SET LOCAL lock_timeout = '1s';
      CREATE OR REPLACE FUNCTION count_live_deployments() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
          UPDATE live_deployments SET live = live - 1 WHERE owner_id = OLD.owner_id;
        END IF;
        IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
          UPDATE live_deployments SET live = live + 1 WHERE owner_id = NEW.owner_id;
        END IF;
        RETURN NULL;
      END $$;
      DROP TRIGGER IF EXISTS count_live_deployments ON deployments;
      -- At the commit: the owner's row is locked for a moment, and after all others. A submission changes neither column.
      CREATE CONSTRAINT TRIGGER count_live_deployments
        AFTER INSERT OR DELETE OR UPDATE OF deleted_at, owner_id ON deployments DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION count_live_deployments()
    `),
  );
  for (let isDone = false; !isDone; ) {
    isDone = await db.transaction(async (transaction) => {
      // A transaction that changes one of these counts waits until it is made; this one waits for those before it.
      const { rows } = await transaction.raw<{ rows: { owner_id: string }[] }>(
        'SELECT owner_id FROM live_deployments WHERE live IS NULL ORDER BY owner_id LIMIT ? FOR UPDATE',
        [BATCH],
      );
      await transaction.raw(
        `UPDATE live_deployments
            SET live = (
              SELECT count(*) FROM deployments WHERE owner_id = live_deployments.owner_id AND deleted_at IS NULL)
          WHERE owner_id = ANY (?)`,
        [rows.map(({ owner_id }) => owner_id)],
      );
      return rows.length === 0;
    });
  }
}
