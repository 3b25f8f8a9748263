import type { Knex } from 'knex';

export const config = { transaction: false };

const TABLES = [
  ['pages', 'INSERT OR DELETE OR UPDATE OF html'],
  ['page_versions', 'INSERT OR DELETE OR UPDATE OF html'],
  ['submission_files', 'INSERT OR DELETE'],
];

// From the triggers on, every change is counted, those of an older version too. What was there before is counted in the
// last step. If it is interrupted, it runs again from the start.
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The bytes that an owner stores. A row is made by the first change. Room is left on each page (fillfactor), because
    -- each change updates it. No foreign key: to lock the owner here could be a deadlock.
    CREATE TABLE IF NOT EXISTS storage (
      owner_id bigint PRIMARY KEY,
      used bigint NOT NULL, -- bytes of pages, of their versions and of files: of live deployments, in the trash, and of spam
      counted_at timestamptz NOT NULL DEFAULT now(), -- when all of it was last counted, not only what has changed
      mailed_percent int NOT NULL DEFAULT 0, -- the part of the limit that the owner's last mail was about
      lowest bigint NOT NULL -- the least use since that mail
    ) WITH (fillfactor = 50);
    CREATE INDEX IF NOT EXISTS storage_counted_at ON storage (counted_at);

    CREATE OR REPLACE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      change bigint;
    BEGIN
      IF TG_TABLE_NAME = 'submission_files' THEN
        change := coalesce(NEW.size, 0) - coalesce(OLD.size, 0);
      ELSE
        change := coalesce(octet_length(NEW.html), 0) - coalesce(octet_length(OLD.html), 0);
      END IF;
      IF change <> 0 THEN
        INSERT INTO storage (owner_id, used, lowest)
        SELECT owner_id, greatest(0, change), 0 FROM deployments WHERE id = coalesce(NEW.deployment_id, OLD.deployment_id)
        ON CONFLICT (owner_id) DO UPDATE
           SET used = greatest(0, storage.used + change), lowest = least(storage.lowest, greatest(0, storage.used + change));
      END IF;
      RETURN NULL;
    END $$;

    -- Counts all of an owner. Who changes something waits until it is counted; who has changed something is waited for:
    -- the second statement sees what was committed before the lock.
    CREATE OR REPLACE FUNCTION recount_storage(owner bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO storage (owner_id, used, lowest) VALUES (owner, 0, 0) ON CONFLICT DO NOTHING;
      PERFORM FROM storage WHERE owner_id = owner FOR UPDATE;
      UPDATE storage SET used = counted.bytes, lowest = least(lowest, counted.bytes), counted_at = now()
        FROM (
          SELECT coalesce(sum(bytes), 0) AS bytes
            FROM deployments CROSS JOIN LATERAL (
              SELECT octet_length(html) AS bytes FROM pages WHERE deployment_id = deployments.id
               UNION ALL
              SELECT octet_length(html) FROM page_versions WHERE deployment_id = deployments.id AND html IS NOT NULL
               UNION ALL
              SELECT size FROM submission_files WHERE deployment_id = deployments.id
            ) AS stored
           WHERE deployments.owner_id = owner
        ) AS counted
       WHERE storage.owner_id = owner;
    END $$
  `);
  // One table at a time, each locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  for (const [table, changes] of TABLES) {
    await db.transaction((transaction) =>
      transaction.raw(`
        SET LOCAL lock_timeout = '1s';
        DROP TRIGGER IF EXISTS count_storage ON ${table};
        -- At the commit: the owner's row is locked for a moment, and after all others.
        CREATE CONSTRAINT TRIGGER count_storage AFTER ${changes} ON ${table} DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION count_storage()
      `),
    );
  }
  const { rows } = await db.raw<{ rows: { owner_id: string }[] }>('SELECT DISTINCT owner_id FROM deployments');
  for (const { owner_id: id } of rows) await db.raw('SELECT recount_storage(?)', [id]);
}
