import type { Knex } from 'knex';

// Ids compare by byte (COLLATE "C"): cheaper than a language's rules, and in the order of the times they begin with.
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    CREATE TABLE owners (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      email text NOT NULL UNIQUE, -- in lower case; unique: the e-mail is the owner
      plan text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      owner_id bigint NOT NULL REFERENCES owners,
      hash bytea NOT NULL UNIQUE, -- SHA-256 of the key; unique: each request with a key is looked up by it
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz,
      revoked_at timestamptz
    );

    -- One row is updated by each accepted submission, and no updated column is indexed: with room left on the page
    -- (fillfactor) the update touches no index. The HTML lives elsewhere, so that this row stays small.
    CREATE TABLE deployments (
      id text COLLATE "C" PRIMARY KEY,
      owner_id bigint NOT NULL REFERENCES owners,
      slug text COLLATE "C" NOT NULL,
      email_notifications boolean NOT NULL DEFAULT false,
      submission_count bigint NOT NULL DEFAULT 0, -- submissions there are
      last_submission_number bigint NOT NULL DEFAULT 0, -- numbers given out; differs once submissions are deleted
      recent_submissions timestamptz[] NOT NULL DEFAULT '{}', -- at most 10: the window of the rate limit
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      deleted_at timestamptz
    ) WITH (fillfactor = 50);
    -- Only one live deployment has a slug. The page of a host is looked up by it.
    CREATE UNIQUE INDEX deployments_live_slug ON deployments (slug) WHERE deleted_at IS NULL;
    -- Counts an owner's live deployments against the plan, and lists them, newest first.
    CREATE INDEX deployments_live_owner ON deployments (owner_id, id) WHERE deleted_at IS NULL;

    CREATE TABLE pages (
      deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments,
      html bytea NOT NULL, -- as given, the placeholder included; bytes, because a text cannot hold NUL
      version bigint NOT NULL DEFAULT 1
    );

    -- No foreign key to deployments: the only statement that inserts here has locked the deployment's row, and a
    -- deployment is never removed while it has submissions.
    CREATE TABLE submissions (
      deployment_id text COLLATE "C" NOT NULL,
      number bigint NOT NULL, -- 1, 2, 3, ... in the order of acceptance
      id text COLLATE "C" NOT NULL,
      data json NOT NULL, -- json, not jsonb: keeps the text that was sent
      ip_address text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (deployment_id, number) -- a page of the list is a range of numbers, at any depth
    );
    -- One submission is asked for by its id; ids rise, so this index grows at its right end only.
    CREATE UNIQUE INDEX submissions_id ON submissions (id);

    CREATE TABLE webhooks (
      id text COLLATE "C" PRIMARY KEY,
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments,
      url text NOT NULL,
      type text NOT NULL CHECK (type IN ('generic', 'slack')),
      events text[] NOT NULL,
      active boolean NOT NULL DEFAULT true,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    -- Each submission asks for its deployment's webhooks; there are at most 50.
    CREATE INDEX webhooks_deployment ON webhooks (deployment_id);

    CREATE TABLE deliveries (
      -- Made here, because only the statement that stores a submission knows how many it needs. Rises with time.
      id text COLLATE "C" PRIMARY KEY DEFAULT 'dl_'
        || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
        || replace(gen_random_uuid()::text, '-', ''),
      deployment_id text COLLATE "C" NOT NULL,
      submission_id text COLLATE "C" NOT NULL,
      webhook_id text COLLATE "C", -- NULL: the mail to the owner
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    );
    -- What is due next, whichever deployment it is of.
    CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status = 'pending';
    -- For deleting a deployment or a webhook, which ends pending deliveries.
    CREATE INDEX deliveries_pending ON deliveries (deployment_id, webhook_id) WHERE status = 'pending';
  `);
