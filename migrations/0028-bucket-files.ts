import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- As in 0003: what waits for a long lock of others would make all later ones wait.
    SET LOCAL lock_timeout = '1s';

    -- The object in the bucket of FILES_URL that has the content, and its SHA-256; null: it is in submission_file_chunks.
    ALTER TABLE submission_files
      ADD COLUMN object_id text COLLATE "C",
      ADD COLUMN object_sha256 bytea;

    -- Objects that no file has any more, until they are deleted from the bucket.
    CREATE TABLE removed_objects (
      object_id text COLLATE "C" PRIMARY KEY,
      -- A backup that has begun meanwhile sees the file.
      due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 minute'
    );
    CREATE INDEX removed_objects_due ON removed_objects (due_at);

    -- A trigger, so that whatever removes a file, in this version or in another, cannot forget its object.
    CREATE FUNCTION note_removed_object() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO removed_objects (object_id) VALUES (OLD.object_id) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER submission_files_removed AFTER DELETE ON submission_files
      FOR EACH ROW WHEN (OLD.object_id IS NOT NULL) EXECUTE FUNCTION note_removed_object();
    CREATE TRIGGER submission_files_moved AFTER UPDATE OF object_id ON submission_files
      FOR EACH ROW WHEN (OLD.object_id IS NOT NULL AND OLD.object_id IS DISTINCT FROM NEW.object_id)
      EXECUTE FUNCTION note_removed_object();

    -- One row: which installation this is, for the bucket, and when orphans are looked for. Not in backups.
    CREATE TABLE bucket_use (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      installation text NOT NULL DEFAULT gen_random_uuid(),
      next_sweep_at timestamptz NOT NULL DEFAULT now()
    );
  `);
