import type { Knex } from 'knex';

export const config = { transaction: false };

// Not in one transaction, because indexes are built while the service works. If it is interrupted, it runs again from the
// start.
export async function up(db: Knex): Promise<void> {
  // One table at a time, each locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  for (const change of [
    // The files of a site besides its index.html: [{"path","sha256" (hex),"bytes"}], by path. NULL: a single page.
    'ALTER TABLE pages ADD COLUMN IF NOT EXISTS files jsonb',
    'ALTER TABLE page_versions ADD COLUMN IF NOT EXISTS files jsonb',
    SITE_CONTENTS,
    COUNT_STORAGE,
    RECOUNT_STORAGE,
    `DROP TRIGGER IF EXISTS count_storage ON site_contents;
     CREATE CONSTRAINT TRIGGER count_storage AFTER INSERT OR DELETE ON site_contents DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION count_storage()`,
    `CREATE OR REPLACE TRIGGER site_contents_removed AFTER DELETE ON site_contents
       FOR EACH ROW WHEN (OLD.object_id IS NOT NULL) EXECUTE FUNCTION note_removed_object();
     CREATE OR REPLACE TRIGGER site_contents_moved AFTER UPDATE OF object_id ON site_contents
       FOR EACH ROW WHEN (OLD.object_id IS NOT NULL AND OLD.object_id IS DISTINCT FROM NEW.object_id)
       EXECUTE FUNCTION note_removed_object()`,
  ]) {
    await db.transaction((transaction) => transaction.raw(`SET LOCAL lock_timeout = '1s'; ${change}`));
  }
  // They find the versions that need a content: files @> '[{"sha256":"…"}]'.
  for (const table of ['pages', 'page_versions']) {
    await db.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${table}_files`);
    await db.raw(
      `CREATE INDEX CONCURRENTLY ${table}_files ON ${table} USING gin (files jsonb_path_ops) WHERE files IS NOT NULL`,
    );
  }
}

const SITE_CONTENTS = `
  -- The contents of the files of sites, once for each owner.
  CREATE TABLE IF NOT EXISTS site_contents (
    owner_id bigint NOT NULL REFERENCES owners,
    sha256 bytea NOT NULL,
    bytes int NOT NULL,
    content bytea, -- NULL: it is in the bucket
    object_id text COLLATE "C", -- the object in the bucket of FILES_URL that has the content
    -- When a version last needed it, or it was stored. Contents that no version needs are removed a day after that.
    checked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (owner_id, sha256),
    CHECK ((content IS NULL) = (object_id IS NOT NULL))
  );
  -- Not compressed, so that a part is read without the rest. Postgres 15 takes this in no CREATE TABLE.
  ALTER TABLE site_contents ALTER COLUMN content SET STORAGE EXTERNAL;
  CREATE INDEX IF NOT EXISTS site_contents_checked_at ON site_contents (checked_at);
  CREATE UNIQUE INDEX IF NOT EXISTS site_contents_object ON site_contents (object_id) WHERE object_id IS NOT NULL`;

/** As in 0044, with the contents of sites. */
const COUNT_STORAGE = `
  CREATE OR REPLACE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    change bigint;
    owner bigint;
  BEGIN
    IF TG_TABLE_NAME = 'site_contents' THEN
      change := coalesce(NEW.bytes, 0) - coalesce(OLD.bytes, 0);
      owner := coalesce(NEW.owner_id, OLD.owner_id);
    ELSIF TG_TABLE_NAME = 'submission_files' THEN
      change := coalesce(NEW.size, 0) - coalesce(OLD.size, 0);
    ELSE
      change := coalesce(octet_length(NEW.html), 0) - coalesce(octet_length(OLD.html), 0);
    END IF;
    IF change <> 0 THEN
      IF owner IS NULL THEN
        SELECT owner_id INTO owner FROM deployments WHERE id = coalesce(NEW.deployment_id, OLD.deployment_id);
      END IF;
      INSERT INTO storage (owner_id, used, lowest)
      SELECT owner, greatest(0, change), 0 WHERE owner IS NOT NULL
      ON CONFLICT (owner_id) DO UPDATE
         SET used = greatest(0, storage.used + change), lowest = least(storage.lowest, greatest(0, storage.used + change));
    END IF;
    RETURN NULL;
  END $$`;

const RECOUNT_STORAGE = `
  CREATE OR REPLACE FUNCTION recount_storage(owner bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO storage (owner_id, used, lowest) VALUES (owner, 0, 0) ON CONFLICT DO NOTHING;
    PERFORM FROM storage WHERE owner_id = owner FOR UPDATE;
    UPDATE storage SET used = counted.bytes, lowest = least(lowest, counted.bytes), counted_at = now()
      FROM (
        SELECT coalesce(sum(bytes), 0) AS bytes
          FROM (
            SELECT octet_length(html) AS bytes FROM pages
              JOIN deployments ON id = deployment_id WHERE deployments.owner_id = owner
             UNION ALL
            SELECT octet_length(html) FROM page_versions
              JOIN deployments ON id = deployment_id WHERE deployments.owner_id = owner AND html IS NOT NULL
             UNION ALL
            SELECT size FROM submission_files
              JOIN deployments ON deployments.id = deployment_id WHERE deployments.owner_id = owner
             UNION ALL
            SELECT site_contents.bytes FROM site_contents WHERE site_contents.owner_id = owner
          ) AS stored
      ) AS counted
     WHERE storage.owner_id = owner;
  END $$`;
