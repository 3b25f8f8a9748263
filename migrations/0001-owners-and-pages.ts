import type { Knex } from 'knex';

/*
 * The schema is in three migrations, by noun: owners, pages and domains here; submissions and deliveries; files and storage.
 * These hold for every table:
 *
 * - Ids compare by byte (COLLATE "C"): cheaper than the rules of a language, and in the order of the times they begin with.
 * - Keys and tokens are stored as their SHA-256 (hash), except for secrets that their owners see again.
 * - E-mails are in lower case.
 */

const OWNERS = `
  CREATE TABLE owners ( -- Who publishes pages: an e-mail, on a plan.
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    plan text NOT NULL,
    deleting boolean NOT NULL DEFAULT false, -- by an operator: what it has is being removed
    suspended_at timestamptz, -- by an operator: no key works, and the pages are offline; NULL: no
    time_zone text, -- an IANA name; NULL: UTC
    recent_confirmations timestamptz[] NOT NULL DEFAULT '{}', -- the window of the limit on mails that ask recipients
    confirmations_day date, -- the last day (UTC) on which visitors got confirmations
    confirmations_count int NOT NULL DEFAULT 0, -- how many, on that day
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX owners_deleting ON owners (id) WHERE deleting;
  CREATE INDEX owners_suspended ON owners (id) WHERE suspended_at IS NOT NULL; -- few
  CREATE TABLE api_keys ( -- Keys of owners, by which requests are allowed.
    id text COLLATE "C" PRIMARY KEY,
    owner_id bigint NOT NULL REFERENCES owners,
    hash bytea NOT NULL UNIQUE,
    prefix text NOT NULL, -- the first characters, by which the owner recognizes the key
    name text, -- NULL: the operator has made it without one
    scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read', 'publish')),
    pages text[] COLLATE "C" CHECK (cardinality(pages) > 0), -- the ids of the pages that it is for, deleted ones too; NULL: all
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz, -- NULL: never
    last_used_at timestamptz,
    revoked_at timestamptz
  );
  CREATE INDEX api_keys_owner ON api_keys (owner_id, id) WHERE revoked_at IS NULL;
  CREATE TABLE sessions ( -- Browsers that are signed in. A session stands for its key, and works no longer than that; or for its address.
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL UNIQUE, -- of the cookie
    key_id text COLLATE "C" REFERENCES api_keys ON DELETE CASCADE,
    email text, -- in lower case: somebody who can read its mail has signed in; it need not be that of an owner
    user_agent text, -- cut; NULL: the browser has sent none
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT key_or_email CHECK (num_nonnulls(key_id, email) = 1)
  );
  CREATE INDEX sessions_key ON sessions (key_id, id) WHERE key_id IS NOT NULL;
  CREATE INDEX sessions_email ON sessions (email, id) WHERE email IS NOT NULL;
  CREATE INDEX sessions_last_used ON sessions (last_used_at);
  CREATE TABLE sign_in_links ( -- Links in mails that sign in, once.
    hash bytea PRIMARY KEY,
    key_id text COLLATE "C" REFERENCES api_keys ON DELETE CASCADE,
    email text, -- in lower case
    expires_at timestamptz NOT NULL,
    CONSTRAINT key_or_email CHECK (num_nonnulls(key_id, email) = 1)
  );
  CREATE TABLE sign_in_tries ( -- How often all processes together did what is limited, such as asking for a link.
    name text COLLATE "C" PRIMARY KEY, -- SHA-256 of what is counted
    tries integer NOT NULL,
    window_ends_at timestamptz NOT NULL
  );
  CREATE TABLE email_changes ( -- The new address of an owner, until the link in the mail to it is opened.
    owner_id bigint PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    email text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE oauth_clients ( -- Programs that have registered themselves, to be allowed by owners (RFC 7591).
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL -- later once an owner has allowed it; a client that has a grant stays
  );
  CREATE INDEX oauth_clients_expires_at ON oauth_clients (expires_at);
  CREATE TABLE grants ( -- Programs that owners have allowed to act for them. A grant ends with what the session stood for: a key or an address.
    id text COLLATE "C" PRIMARY KEY,
    owner_id bigint NOT NULL REFERENCES owners,
    key_id text COLLATE "C" REFERENCES api_keys ON DELETE CASCADE,
    email text, -- in lower case
    client_id text COLLATE "C" NOT NULL, -- of oauth_clients, or the address of a client's metadata document
    client_name text NOT NULL,
    host text NOT NULL, -- of the metadata document, or of the redirect URI
    scope text NOT NULL CHECK (scope IN ('full', 'read', 'publish')),
    pages text[] COLLATE "C" CHECK (cardinality(pages) > 0), -- as those of a key; no more than the key has
    code_hash bytea NOT NULL UNIQUE, -- of the code that the program exchanges for the first tokens
    code_expires_at timestamptz NOT NULL,
    redirect_uri text NOT NULL, -- where the code was sent
    code_challenge text NOT NULL, -- PKCE, S256
    redeemed_at timestamptz, -- when the code was exchanged; NULL: not yet
    family_hash bytea UNIQUE, -- of the part that all refresh tokens of the grant have
    refresh_hash bytea, -- of the last refresh token, as a whole
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT key_or_email CHECK (num_nonnulls(key_id, email) = 1)
  );
  CREATE INDEX grants_owner ON grants (owner_id, id);
  CREATE INDEX grants_key ON grants (key_id);
  CREATE INDEX grants_client ON grants (client_id);
  CREATE INDEX grants_last_used ON grants (last_used_at);
  CREATE INDEX grants_unredeemed ON grants (code_expires_at) WHERE redeemed_at IS NULL;
  CREATE TABLE access_tokens ( -- What programs send in place of a key, for an hour.
    hash bytea PRIMARY KEY,
    grant_id text COLLATE "C" NOT NULL REFERENCES grants ON DELETE CASCADE,
    scope text NOT NULL, -- that of the grant, or a smaller one that the program has asked for
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX access_tokens_grant ON access_tokens (grant_id, expires_at);
  CREATE INDEX access_tokens_expires_at ON access_tokens (expires_at);
  CREATE TABLE owner_idempotency_keys ( -- Idempotency-Keys under which owners made something in the last 24 hours.
    owner_id bigint NOT NULL, -- no foreign key: to lock the owner here could be a deadlock
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL, -- SHA-256 of what was asked for
    answer text, -- the JSON of the first answer; NULL until it is made, in the same transaction
    created_at timestamptz NOT NULL,
    PRIMARY KEY (owner_id, key_hash)
  );
  CREATE INDEX owner_idempotency_keys_created_at ON owner_idempotency_keys (created_at);
  CREATE TABLE audit_entries ( -- What was changed, and by whom. Entries outlast the owner and the page.
    id text COLLATE "C" PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    owner_id bigint, -- whose account and pages it is about
    deployment_id text COLLATE "C", -- NULL: it is about the account
    actor text NOT NULL, -- an e-mail, or 'operator' for a command
    is_operator boolean NOT NULL,
    via text NOT NULL CHECK (via IN ('key', 'session', 'grant', 'command')),
    action text NOT NULL,
    target text NOT NULL, -- the id of what was changed
    count int, -- of how many things; NULL: of one
    ip_address text -- NULL: by a command
  );
  CREATE INDEX audit_entries_owner ON audit_entries (owner_id, id);
  CREATE INDEX audit_entries_at ON audit_entries (at)`;

// Each accepted submission updates one row of deployments, and no updated column is indexed: with room left on the page
// (fillfactor), the update touches no index. What is large, or changes for itself, is in tables of its own.
const DEPLOYMENTS = String.raw`
  CREATE TABLE deployments ( -- Published pages with their settings and counters. Deleted ones are in the trash at first.
    id text COLLATE "C" PRIMARY KEY,
    owner_id bigint NOT NULL REFERENCES owners,
    slug text COLLATE "C" NOT NULL,
    submission_count bigint NOT NULL DEFAULT 0,
    last_submission_number bigint NOT NULL DEFAULT 0, -- larger than the count once submissions are deleted
    first_submission_number bigint NOT NULL DEFAULT 1, -- lower once earlier submissions were imported; never rises
    recent_submissions timestamptz[] NOT NULL DEFAULT '{}', -- the window of the rate limit
    closed_page boolean NOT NULL DEFAULT false, -- the page says so while its form is closed or full
    form_tools boolean NOT NULL DEFAULT false, -- the service gives the forms the attributes of tools for agents in browsers
    language text, -- of the pages that visitors see; NULL: that of the page
    retention_days integer, -- submissions are deleted when they are older; NULL: never
    opens_at timestamptz, -- NULL: the form is open from the start
    closes_at timestamptz, -- NULL: the form stays open
    expires_at timestamptz, -- then it goes to the trash; NULL: never
    max_submissions integer, -- NULL: as many as come
    places_field text, -- the field whose number says how many places a submission takes; NULL: each takes one
    extra_places bigint NOT NULL DEFAULT 0, -- that submissions take besides one each
    submissions_per_minute integer, -- NULL: the limit of the service
    email_notifications boolean NOT NULL DEFAULT false,
    notify_every text NOT NULL DEFAULT 'submission', -- or 'hour' or 'day'
    notify_owner boolean NOT NULL DEFAULT true, -- the owner gets the mail that recipients get
    mail_failures int NOT NULL DEFAULT 0, -- as in mail_recipients, of the owner's address
    mail_switched_off_at timestamptz, -- when failures switched email_notifications off
    confirmation jsonb, -- {"field","subject","text"}: the mail to visitors; NULL: none
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    taken_down_at timestamptz, -- by the operator: the page answers 451, and accepts no submissions
    take_down_reason text,
    suspended boolean NOT NULL DEFAULT false, -- its owner is, which submissions and pages need not look up
    deleted_at timestamptz,
    purging boolean NOT NULL DEFAULT false -- being removed for good
  ) WITH (fillfactor = 50);
  CREATE UNIQUE INDEX deployments_live_slug ON deployments (slug) WHERE deleted_at IS NULL;
  CREATE INDEX deployments_live_owner ON deployments (owner_id, id) WHERE deleted_at IS NULL;
  CREATE INDEX deployments_deleted ON deployments (owner_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX deployments_purging ON deployments (id) WHERE purging;
  CREATE INDEX deployments_expiry ON deployments (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX deployments_retention ON deployments (id) WHERE retention_days IS NOT NULL;
  CREATE INDEX deployments_taken_down ON deployments (owner_id, id)
    WHERE taken_down_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX deployments_mail_switched_off ON deployments (owner_id, id)
    WHERE mail_switched_off_at IS NOT NULL AND deleted_at IS NULL;
  -- How many places a submission takes: the number that the first value of the field begins with. Postgres reads no text with
  -- the escape of a NUL or of half a surrogate pair: both are replaced then. A raw \x01 is in no JSON.
  CREATE FUNCTION places_of(data json, field text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    answered text;
  BEGIN
    BEGIN
      SELECT CASE json_typeof(value) WHEN 'array' THEN value -> 0 ELSE value END #>> '{}' INTO answered
        FROM json_each(data) WHERE key = field LIMIT 1;
    EXCEPTION WHEN data_exception THEN
      SELECT CASE json_typeof(value) WHEN 'array' THEN value -> 0 ELSE value END #>> '{}' INTO answered
        FROM json_each(CAST(replace(
               regexp_replace(replace(CAST(data AS text), '\\', chr(1)), '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '�', 'g'),
               chr(1), '\\') AS json)) WHERE key = field LIMIT 1;
    END;
    RETURN least(1000, greatest(1, CAST(coalesce(nullif(substring(answered FROM '^0*([0-9]{0,5})'), ''), '1') AS int)));
  END $$;
  CREATE TABLE anonymous_pages ( -- Deployments that were published without a key, until somebody claims them.
    deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
    hash bytea NOT NULL UNIQUE -- of the token that claims it
  );
  CREATE TABLE former_slugs ( -- Slugs that live deployments had before. Their addresses lead to the deployment for some time.
    slug text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    until timestamptz NOT NULL -- no other deployment gets the slug before
  );
  CREATE INDEX former_slugs_deployment ON former_slugs (deployment_id);
  CREATE INDEX former_slugs_until ON former_slugs (until);
  CREATE TABLE form_rules ( -- How the submissions of a form are judged and answered; no row: as NO_RULES.
    deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
    redirect_url text,
    allowed_origins text[] NOT NULL DEFAULT '{}', -- empty: all
    thanks_message text,
    closed_message text,
    blocklist text[] NOT NULL DEFAULT '{}',
    captcha json -- {"provider","site_key","secret"}; NULL: none
  );
  CREATE TABLE deployment_changes ( -- What processes read to learn of changes that others have made. An hour is kept.
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
    RETURN NULL;
  END $$;
  -- Not for the columns that a submission writes.
  CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE OF slug, updated_at, deleted_at, taken_down_at, suspended
    ON deployments FOR EACH ROW EXECUTE FUNCTION record_deployment_change();
  -- A page that is made while an operator suspends its owner waits for that.
  CREATE FUNCTION suspend_new_deployment() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT suspended_at IS NOT NULL INTO NEW.suspended FROM owners WHERE id = NEW.owner_id FOR KEY SHARE;
    RETURN NEW;
  END $$;
  CREATE TRIGGER suspend_new BEFORE INSERT ON deployments
    FOR EACH ROW EXECUTE FUNCTION suspend_new_deployment();
  CREATE FUNCTION record_former_slug_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO deployment_changes (deployment_id, slug)
      SELECT DISTINCT * FROM (VALUES (OLD.deployment_id, OLD.slug), (NEW.deployment_id, NEW.slug)) AS changed (id, slug) WHERE id IS NOT NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON former_slugs
    FOR EACH ROW EXECUTE FUNCTION record_former_slug_change();
  CREATE FUNCTION free_former_slugs() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM former_slugs WHERE deployment_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER free_slugs AFTER UPDATE OF deleted_at ON deployments
    FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION free_former_slugs()`;

const GUESTS = `
  CREATE TABLE guests ( -- People whom owners let read or edit a deployment, by their addresses.
    id text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    email text NOT NULL,
    role text NOT NULL CHECK (role IN ('reader', 'editor')),
    invited_at timestamptz NOT NULL,
    accepted_at timestamptz, -- when the guest first signed in; NULL: not yet
    link_hash bytea UNIQUE, -- of the token in the link of the invitation; NULL: it has been used
    link_expires_at timestamptz,
    UNIQUE (email, deployment_id)
  );
  CREATE INDEX guests_deployment ON guests (deployment_id, id)`;

const VERSIONS = `
  CREATE TABLE pages ( -- The live version of each deployment, as it was given and as visitors get it.
    deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments,
    version bigint NOT NULL DEFAULT 1,
    html bytea NOT NULL, -- bytes, because a text cannot hold NUL
    files jsonb, -- [{"path","sha256" (hex),"bytes"}] of a site besides its index.html, by path; NULL: a single page
    after_number bigint NOT NULL DEFAULT 0, -- submissions above it were sent from this version
    created_at timestamptz NOT NULL DEFAULT now(), -- when this version went live
    title text, -- of the HTML; NULL: it has none
    color text, -- #rrggbb, of its <meta name="theme-color">, on a light screen; NULL: none
    dark_color text, -- on a dark screen
    tells_forms_apart boolean NOT NULL DEFAULT false, -- it may have several forms, or names of forms: submissions are matched with them
    forms json, -- its forms, as the code has them (PageForm)
    forms_version bigint, -- the version that forms was read from
    rendered_action text, -- what the addresses that its forms post to begin with; NULL: it has not been rendered
    rendered_hash text, -- of the rendered page without an encoding
    rendered_bytes integer, -- the length of that
    rendered_br bytea -- the rendered page as brotli
  );
  ALTER TABLE pages ALTER COLUMN rendered_br SET STORAGE EXTERNAL; -- Postgres would try to compress it again
  CREATE INDEX pages_files ON pages USING gin (files jsonb_path_ops) WHERE files IS NOT NULL;
  CREATE TABLE page_versions ( -- What pages were before, and previews, which were never live.
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    version bigint NOT NULL,
    html bytea, -- NULL: no longer kept; submissions were sent from it
    files jsonb,
    after_number bigint NOT NULL,
    created_at timestamptz NOT NULL,
    preview text COLLATE "C", -- the label of the host of a preview; NULL: it was live
    PRIMARY KEY (deployment_id, version)
  );
  CREATE UNIQUE INDEX page_versions_preview ON page_versions (preview) WHERE preview IS NOT NULL;
  CREATE INDEX page_versions_files ON page_versions USING gin (files jsonb_path_ops) WHERE files IS NOT NULL;
  CREATE TABLE page_drafts ( -- What people work on and have not published: one of each person for a file of a page.
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments,
    guest_id text COLLATE "C" REFERENCES guests ON DELETE CASCADE, -- NULL: the owner's
    path text COLLATE "C" NOT NULL DEFAULT 'index.html', -- of the file; the page itself is index.html
    html bytea NOT NULL, -- the text of the file
    etag text, -- of the HTML that was live when the work began, as the client has it; NULL: it has not said so
    updated_at timestamptz NOT NULL,
    UNIQUE NULLS NOT DISTINCT (deployment_id, guest_id, path)
  );
  CREATE INDEX page_drafts_guest ON page_drafts (guest_id) WHERE guest_id IS NOT NULL;
  CREATE TABLE new_page_drafts ( -- What owners write and have not published as a page yet: one by each name.
    owner_id bigint NOT NULL REFERENCES owners,
    name text COLLATE "C" NOT NULL, -- the client chooses it
    html bytea NOT NULL,
    title text, -- that of the HTML; NULL: it has none
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (owner_id, name)
  );
  CREATE TABLE site_contents ( -- The contents of the files of sites, once for each owner.
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
  ALTER TABLE site_contents ALTER COLUMN content SET STORAGE EXTERNAL; -- so that a part is read without the rest
  CREATE INDEX site_contents_checked_at ON site_contents (checked_at);
  CREATE UNIQUE INDEX site_contents_object ON site_contents (object_id) WHERE object_id IS NOT NULL`;

const DOMAINS = `
  CREATE TABLE domains ( -- Custom domains. Any number of deployments may claim one; a single one has it live.
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
  -- All processes learn of it as of a change of the deployment. Nothing is served at a pending domain.
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
    FOR EACH ROW WHEN (OLD.status <> 'pending') EXECUTE FUNCTION record_domain_change()`;

export const up = (db: Knex): Promise<void> => db.raw([OWNERS, DEPLOYMENTS, GUESTS, VERSIONS, DOMAINS].join(';\n'));
