import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The trigger locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- What processes read to learn of changes that others have made. Rows are removed after an hour.
    CREATE TABLE deployment_changes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      deployment_id text COLLATE "C" NOT NULL,
      slug text COLLATE "C" NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX deployment_changes_at ON deployment_changes (at);
    CREATE FUNCTION record_deployment_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deployment_changes (deployment_id, slug)
        SELECT DISTINCT * FROM (VALUES (OLD.id, OLD.slug), (NEW.id, NEW.slug)) AS changed (id, slug) WHERE id IS NOT NULL;
      -- For processes of the release before this one, during a rolling update.
      PERFORM pg_notify('formhost_pages', slug)
         FROM (VALUES (OLD.slug), (NEW.slug)) AS changed (slug) WHERE slug IS NOT NULL;
      RETURN NULL;
    END $$;
    -- Not for the columns that a submission writes.
    CREATE TRIGGER record_change
      AFTER INSERT OR DELETE OR UPDATE OF slug, updated_at, deleted_at, taken_down_at ON deployments
      FOR EACH ROW EXECUTE FUNCTION record_deployment_change()
  `);
