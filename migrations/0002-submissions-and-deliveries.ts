import type { Knex } from 'knex';

// The statements that insert submissions and spam have locked the deployment's row, and a deployment is never removed
// while it has any: these tables need no foreign key to it.
const SUBMISSIONS = `
  CREATE TABLE submissions ( -- What forms have sent, exactly.
    deployment_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL, -- 1, 2, 3, ... in the order of acceptance; imported ones: 0, -1, -2, ... backwards; never used again
    id text COLLATE "C" NOT NULL,
    data json NOT NULL, -- json, not jsonb: keeps the text that was sent
    ip_address text NOT NULL,
    created_at timestamptz NOT NULL,
    form text, -- the name of the form, among several of the page; NULL: the page had one, or it is not known
    PRIMARY KEY (deployment_id, number) -- a page of the list is a range of numbers, at any depth
  );
  CREATE UNIQUE INDEX submissions_id ON submissions (id);
  CREATE INDEX submissions_form ON submissions (deployment_id, form, number) WHERE form IS NOT NULL;
  CREATE TABLE submission_marks ( -- What owners have read, starred, noted and done; no row: nothing of it.
    deployment_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    read boolean NOT NULL,
    starred boolean NOT NULL,
    note text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done')),
    PRIMARY KEY (deployment_id, number),
    FOREIGN KEY (deployment_id, number) REFERENCES submissions ON DELETE CASCADE
  );
  CREATE INDEX submission_marks_starred ON submission_marks (deployment_id, number) WHERE starred;
  CREATE INDEX submission_marks_done ON submission_marks (deployment_id, number) WHERE status = 'done';
  CREATE TABLE trashed_submissions ( -- Submissions that owners have deleted, until they are restored, erased or over.
    deployment_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL, -- with this and the next columns they are restored
    id text COLLATE "C" NOT NULL,
    data json NOT NULL,
    ip_address text NOT NULL,
    created_at timestamptz NOT NULL,
    read boolean NOT NULL,
    starred boolean NOT NULL,
    note text NOT NULL,
    status text NOT NULL,
    form text,
    deleted_at timestamptz NOT NULL, -- -infinity: it is being removed
    PRIMARY KEY (deployment_id, number)
  );
  CREATE UNIQUE INDEX trashed_submissions_id ON trashed_submissions (id);
  CREATE INDEX trashed_submissions_last_deleted ON trashed_submissions (deployment_id, deleted_at, number);
  CREATE INDEX trashed_submissions_deleted_at ON trashed_submissions (deleted_at);
  CREATE TABLE test_submissions ( -- Tests that owners have sent to their forms in the last day. They are no submissions.
    deployment_id text COLLATE "C" NOT NULL,
    after_number bigint NOT NULL, -- of the last submission when it came
    number bigint GENERATED ALWAYS AS IDENTITY, -- rises in the order in which they came
    id text COLLATE "C" NOT NULL,
    data json NOT NULL,
    ip_address text NOT NULL,
    created_at timestamptz NOT NULL,
    page_version bigint NOT NULL,
    form text,
    read boolean NOT NULL DEFAULT false,
    starred boolean NOT NULL DEFAULT false,
    note text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'open',
    PRIMARY KEY (deployment_id, after_number, number)
  );
  CREATE UNIQUE INDEX test_submissions_id ON test_submissions (id);
  CREATE UNIQUE INDEX test_submissions_number ON test_submissions (deployment_id, number);
  CREATE INDEX test_submissions_created_at ON test_submissions (created_at);
  CREATE TABLE spam_submissions ( -- Submissions that are kept apart, until they are released, deleted or expire.
    deployment_id text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY, -- rises in the order in which they are kept
    id text COLLATE "C" NOT NULL, -- stays when it is released
    data json NOT NULL,
    ip_address text NOT NULL,
    created_at timestamptz NOT NULL, -- when it was received
    kept_at timestamptz NOT NULL, -- when it came here; -infinity: it is being removed
    reason text NOT NULL,
    accepted_number bigint, -- with this and the next columns it is restored; NULL: it came as spam
    read boolean,
    starred boolean,
    note text,
    status text,
    form text,
    PRIMARY KEY (deployment_id, number)
  );
  CREATE UNIQUE INDEX spam_submissions_id ON spam_submissions (id);
  CREATE INDEX spam_submissions_kept_at ON spam_submissions (kept_at);
  CREATE TABLE idempotency_keys ( -- Idempotency-Keys under which submissions were accepted in the last 24 hours.
    deployment_id text COLLATE "C" NOT NULL,
    key_hash bytea NOT NULL,
    body_hash bytea NOT NULL, -- SHA-256 of what was submitted
    submission_id text COLLATE "C" NOT NULL, -- stays when the submission is deleted
    created_at timestamptz NOT NULL,
    PRIMARY KEY (deployment_id, key_hash)
  );
  CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
  CREATE TABLE altcha_solutions ( -- Used solutions of ALTCHA's challenges: each counts once.
    hash bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL -- until then the challenge is valid
  );
  CREATE INDEX altcha_solutions_expires_at ON altcha_solutions (expires_at);
  CREATE TABLE honeypot_hits ( -- How often the honeypot of a form was filled in, by days of UTC. A week is kept.
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    day date NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (deployment_id, day)
  );
  CREATE TABLE turned_away ( -- How many submissions of a form got a 429, by days of UTC. A week is kept.
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    day date NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (deployment_id, day)
  )`;

// While a delivery is leased, one process attempts it or will do so soon, and next_attempt_at is the end of the lease, when
// others may claim it. It is 'infinity' while the webhook is switched off.
const DELIVERIES = `
  CREATE TABLE webhooks ( -- Where the submissions of a deployment are posted.
    id text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments,
    url text NOT NULL,
    receiver text COLLATE "C" NOT NULL, -- the URL's host and port: deliveries to one wait for each other
    type text NOT NULL CHECK (type IN ('generic', 'slack')),
    -- Of the messages; NULL: that of the service whose address the URL is, otherwise 'default'.
    format text CHECK (format IN ('default', 'standard', 'discord', 'teams', 'google-chat', 'telegram')),
    chat_id text, -- the chat, for Telegram
    headers jsonb NOT NULL DEFAULT '[]', -- the owner's headers of requests, [name, value] each; the values are secrets
    events text[] NOT NULL,
    active boolean NOT NULL DEFAULT true,
    -- 244 bits are random: gen_random_uuid() draws from a cryptographic source and sets 6 of 128.
    secret text NOT NULL DEFAULT 'whsec_'
      || encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64'),
    previous_secrets jsonb NOT NULL DEFAULT '[]', -- {"secret","until"} each: they sign as well until then
    failing_since timestamptz, -- the first failure since the last success
    noticed_at timestamptz, -- when the owner last got a mail that it was switched off
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX webhooks_deployment ON webhooks (deployment_id);
  CREATE TABLE deliveries ( -- The queue and the log of what is sent to webhooks and by mail.
    id text COLLATE "C" PRIMARY KEY, -- rises with time; begins as the id of its submission does
    deployment_id text COLLATE "C" NOT NULL,
    owner_id bigint NOT NULL, -- the deployment's
    submission_id text COLLATE "C", -- NULL: it is about none
    webhook_id text COLLATE "C", -- NULL: a mail
    recipient_id text COLLATE "C", -- who gets the mail; NULL: the owner, or no mail
    visitor_email text, -- who gets a confirmation, once it was attempted
    event text NOT NULL, -- an event of webhooks or of mails (src/lib/events.ts)
    notice text, -- the JSON of a mail that is not about a submission
    receiver text COLLATE "C" NOT NULL DEFAULT '@mail', -- the webhook's when this was made; no host has an @
    bytes integer NOT NULL DEFAULT 0, -- of what was submitted: how much a claim may bring into memory
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
    leased boolean NOT NULL DEFAULT false,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    last_status integer,
    last_error text,
    -- The attempts to call a webhook that have ended, the first first, without the oldest of very many; NULL: none.
    attempt_log jsonb,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  -- What is due, by receiver and owner, so that a backlog of one delays no other.
  CREATE INDEX deliveries_due_by_owner ON deliveries (receiver, owner_id, next_attempt_at)
    WHERE status = 'pending' AND next_attempt_at < 'infinity';
  CREATE INDEX deliveries_failing ON deliveries (id) WHERE last_error IS NOT NULL AND status <> 'succeeded';
  CREATE INDEX deliveries_held ON deliveries (webhook_id) WHERE status = 'pending' AND next_attempt_at = 'infinity';
  CREATE INDEX deliveries_log ON deliveries (webhook_id, id) WHERE webhook_id IS NOT NULL;
  CREATE INDEX deliveries_logged_mails ON deliveries (deployment_id, id) WHERE webhook_id IS NULL AND event IN (
    'submission', 'submission-mail', 'digest', 'test-mail', 'visitor-confirmation', 'confirmation-preview')`;

const FEEDS = `
  CREATE TABLE feeds ( -- Secret addresses at which spreadsheets read the newest submissions of a deployment.
    id text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    name text NOT NULL,
    token text COLLATE "C" NOT NULL UNIQUE, -- the secret in the address, which the owner sees again
    created_at timestamptz NOT NULL,
    last_read_at timestamptz -- to the minute; NULL: nobody has read it at this address
  );
  CREATE INDEX feeds_deployment ON feeds (deployment_id)`;

const SHARES = `
  CREATE TABLE shares ( -- Secret addresses at which people without an account read the submissions of a deployment.
    id text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    hash bytea NOT NULL UNIQUE, -- of the secret in the address
    created_at timestamptz NOT NULL,
    expires_at timestamptz -- NULL: never
  );
  CREATE INDEX shares_deployment ON shares (deployment_id, id);
  CREATE INDEX shares_expires_at ON shares (expires_at) WHERE expires_at IS NOT NULL`;

const MAIL = `
  CREATE TABLE mail_recipients ( -- Who gets mail about the submissions of a deployment, besides its owner.
    id text COLLATE "C" PRIMARY KEY,
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    email text NOT NULL,
    position int NOT NULL, -- in the owner's list
    asked_at timestamptz, -- when the last mail that asks for a confirmation was made
    confirmed_at timestamptz, -- NULL: gets no mail
    failures int NOT NULL DEFAULT 0, -- mails in a row that the mail server has refused for good
    switched_off_at timestamptz, -- when failures switched it off
    last_error text, -- the last of these failures
    removed_at timestamptz, -- from the owner's list; kept so that it is not asked too often, and for the log
    UNIQUE (deployment_id, email)
  );
  CREATE INDEX mail_recipients_switched_off ON mail_recipients (deployment_id)
    WHERE switched_off_at IS NOT NULL AND removed_at IS NULL;
  CREATE TABLE digests ( -- The open window of each deployment whose notify_every is not 'submission'.
    deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
    next_at timestamptz NOT NULL, -- the end of the window
    last_number bigint NOT NULL -- submissions up to it are in earlier digests, or are in none
  );
  CREATE INDEX digests_next ON digests (next_at);
  CREATE TABLE visitor_confirmations ( -- When visitors last got a confirmation: an address gets one a day.
    deployment_id text COLLATE "C" NOT NULL, -- no foreign key: the owner is locked here, which could be a deadlock
    address_hash bytea NOT NULL,
    day date NOT NULL, -- of UTC
    delivery_id text COLLATE "C" NOT NULL, -- the delivery that may send on that day
    is_refused boolean NOT NULL DEFAULT false, -- the mail server has refused the address for good
    PRIMARY KEY (deployment_id, address_hash)
  );
  CREATE INDEX visitor_confirmations_day ON visitor_confirmations (day)`;

export const up = (db: Knex): Promise<void> => db.raw([SUBMISSIONS, DELIVERIES, FEEDS, SHARES, MAIL].join(';\n'));
