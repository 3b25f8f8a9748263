import type { Knex } from 'knex';

/** Triggers, so that whatever removes a file cannot forget its object in the bucket. */
const noteRemovedObjects = (table: string): string => `
  CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table}
    FOR EACH ROW WHEN (OLD.object_id IS NOT NULL) EXECUTE FUNCTION note_removed_object();
  CREATE TRIGGER ${table}_moved AFTER UPDATE OF object_id ON ${table}
    FOR EACH ROW WHEN (OLD.object_id IS NOT NULL AND OLD.object_id IS DISTINCT FROM NEW.object_id)
    EXECUTE FUNCTION note_removed_object()`;

// A submission's files come first in its transaction, so that the lock on its deployment's row is short: they have no foreign
// key to it.
const FILES = `
  CREATE TABLE submission_files ( -- Files of submissions and of spam.
    id text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL,
    submission_id text COLLATE "C" NOT NULL,
    filename bytea NOT NULL, -- UTF-8 as sent; bytes, because a text cannot hold NUL
    content_type text NOT NULL,
    size integer NOT NULL, -- bytes
    object_id text COLLATE "C", -- the object in the bucket of FILES_URL; NULL: the content is in submission_file_chunks
    object_sha256 bytea
  );
  CREATE INDEX submission_files_submission ON submission_files (deployment_id, submission_id);
  CREATE UNIQUE INDEX submission_files_object ON submission_files (object_id) WHERE object_id IS NOT NULL;
  CREATE TABLE submission_file_chunks ( -- Their contents in pieces, so that a statement has one piece in memory.
    file_id text COLLATE "C" NOT NULL REFERENCES submission_files ON DELETE CASCADE,
    position integer NOT NULL, -- 0, 1, 2, ...
    content bytea NOT NULL,
    PRIMARY KEY (file_id, position)
  );
  ALTER TABLE submission_file_chunks ALTER COLUMN content SET STORAGE EXTERNAL; -- photos are compressed already
  CREATE TABLE removed_objects ( -- Objects that nothing names any more, until they are deleted from the bucket.
    object_id text COLLATE "C" PRIMARY KEY,
    due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 minute' -- a backup that has begun sees the file
  );
  CREATE INDEX removed_objects_due ON removed_objects (due_at);
  CREATE FUNCTION note_removed_object() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO removed_objects (object_id) VALUES (OLD.object_id) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  ${noteRemovedObjects('submission_files')};
  ${noteRemovedObjects('site_contents')};
  CREATE TABLE bucket_use ( -- One row: which installation this is, for the bucket. Not in backups.
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    installation text NOT NULL DEFAULT gen_random_uuid(),
    next_sweep_at timestamptz NOT NULL DEFAULT now() -- when orphans are looked for
  );
  CREATE TABLE last_backup ( -- One row: when the last backup was taken. Not in backups.
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    taken_at timestamptz NOT NULL -- the moment that it shows
  )`;

const SECRET = `
  CREATE TABLE link_secret ( -- One row: what signs links, the same in all processes and after a restore.
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    secret bytea NOT NULL
      DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
  );
  INSERT INTO link_secret DEFAULT VALUES`;

/** At the commit, so that the owner's row is locked for a moment, and after all others. */
const countStorage = (table: string, changes: string): string => `
  CREATE CONSTRAINT TRIGGER count_storage AFTER ${changes} ON ${table} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION count_storage()`;

const STORAGE = `
  CREATE TABLE storage ( -- The bytes that an owner stores. Each change updates the row, so room is left on its page.
    owner_id bigint PRIMARY KEY, -- no foreign key: to lock the owner here could be a deadlock
    used bigint NOT NULL, -- of live deployments, in the trash, and of spam
    counted_at timestamptz NOT NULL DEFAULT now(), -- when all of it was last counted, not only what has changed
    mailed_percent int NOT NULL DEFAULT 0, -- the part of the limit that the owner's last mail was about
    lowest bigint NOT NULL -- the least use since that mail
  ) WITH (fillfactor = 50);
  CREATE INDEX storage_counted_at ON storage (counted_at);
  CREATE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF TG_TABLE_NAME = 'new_page_drafts' THEN
      owner := coalesce(NEW.owner_id, OLD.owner_id);
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
  END $$;
  ${countStorage('pages', 'INSERT OR DELETE OR UPDATE OF html')};
  ${countStorage('page_versions', 'INSERT OR DELETE OR UPDATE OF html')};
  ${countStorage('page_drafts', 'INSERT OR DELETE OR UPDATE OF html')};
  ${countStorage('new_page_drafts', 'INSERT OR DELETE OR UPDATE OF html')};
  ${countStorage('submission_files', 'INSERT OR DELETE')};
  ${countStorage('site_contents', 'INSERT OR DELETE')};
  -- Counts all of an owner. Whoever changes something waits until it is counted, and whoever has changed something is waited
  -- for: the second statement sees what was committed before the lock.
  CREATE FUNCTION recount_storage(owner bigint) RETURNS void LANGUAGE plpgsql AS $$
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
            SELECT octet_length(html) FROM page_drafts
              JOIN deployments ON id = deployment_id WHERE deployments.owner_id = owner
             UNION ALL
            SELECT octet_length(html) FROM new_page_drafts WHERE new_page_drafts.owner_id = owner
             UNION ALL
            SELECT size FROM submission_files
              JOIN deployments ON deployments.id = deployment_id WHERE deployments.owner_id = owner
             UNION ALL
            SELECT site_contents.bytes FROM site_contents WHERE site_contents.owner_id = owner
          ) AS stored
      ) AS counted
     WHERE storage.owner_id = owner;
  END $$`;

export const up = (db: Knex): Promise<void> => db.raw([FILES, SECRET, STORAGE].join(';\n'));
