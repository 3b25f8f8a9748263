import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- Custom domains. Any number of deployments may claim a domain; one of them has it live.
    CREATE TABLE domains (
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
      domain text COLLATE "C" NOT NULL, -- in lower case, as DNS has it (xn--)
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'live', 'broken')),
      problem text, -- a sentence about the records; NULL: all are right, or none was looked up
      checked_at timestamptz, -- NULL: never
      proof_gone_at timestamptz, -- since when DNS has said that the proof is missing; NULL: it has not
      next_check_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (deployment_id, domain)
    );
    CREATE UNIQUE INDEX domains_live ON domains (domain) WHERE status = 'live';
    CREATE INDEX domains_proven ON domains (domain) WHERE status <> 'pending';
    CREATE INDEX domains_next_check ON domains (next_check_at);
    -- All processes learn of it as of a change of the deployment (0038). Nothing is served at a pending domain.
    CREATE FUNCTION record_domain_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deployment_changes (deployment_id, slug)
        SELECT id, slug FROM deployments WHERE id = coalesce(NEW.deployment_id, OLD.deployment_id);
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_insert AFTER INSERT ON domains
      FOR EACH ROW WHEN (NEW.status <> 'pending') EXECUTE FUNCTION record_domain_change();
    CREATE TRIGGER record_update AFTER UPDATE OF status ON domains
      FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION record_domain_change();
    CREATE TRIGGER record_delete AFTER DELETE ON domains
      FOR EACH ROW WHEN (OLD.status <> 'pending') EXECUTE FUNCTION record_domain_change()
  `);
