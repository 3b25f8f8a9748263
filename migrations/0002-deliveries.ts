import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- Of the secret, 244 bits are random: gen_random_uuid() draws from a cryptographic source and sets 6 of 128.
    ALTER TABLE webhooks
      ADD COLUMN secret text NOT NULL DEFAULT 'whsec_'
        || encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64'),
      ADD COLUMN previous_secrets jsonb NOT NULL DEFAULT '[]', -- {"secret","until"} each: they sign as well until then
      ADD COLUMN failing_since timestamptz, -- the first failure since the last success
      -- The URL's host and port: deliveries to one receiver wait for each other, and for no other's.
      ADD COLUMN receiver text COLLATE "C" NOT NULL DEFAULT '';
    UPDATE webhooks SET receiver = lower(substring(url FROM '//([^/\\?#]*)'));

    -- While a delivery is leased, one process attempts it or will do so soon, and next_attempt_at is the end of the
    -- lease, when others may claim it. 'infinity': held, because its webhook is switched off.
    ALTER TABLE deliveries
      ALTER COLUMN submission_id DROP NOT NULL, -- NULL: a test of the webhook, or a notice
      ADD COLUMN receiver text COLLATE "C" NOT NULL DEFAULT '@mail', -- the webhook's when this was made; no host has an @
      ADD COLUMN bytes integer NOT NULL DEFAULT 0, -- of what was submitted: how much a claim may bring into memory
      ADD COLUMN leased boolean NOT NULL DEFAULT false,
      ADD COLUMN last_status integer,
      ADD COLUMN last_error text,
      ADD COLUMN notice text; -- what a mail tells the owner that is not about a submission

    -- What is due, by receiver, so that a receiver with a backlog does not delay the others.
    DROP INDEX deliveries_due;
    CREATE INDEX deliveries_due ON deliveries (receiver, next_attempt_at)
      WHERE status = 'pending' AND next_attempt_at < 'infinity';
    -- What a webhook gets when it is switched on again; empty except for webhooks that are off.
    DROP INDEX deliveries_pending;
    CREATE INDEX deliveries_held ON deliveries (webhook_id) WHERE status = 'pending' AND next_attempt_at = 'infinity';
    -- A webhook's log, newest first.
    CREATE INDEX deliveries_log ON deliveries (webhook_id, id) WHERE webhook_id IS NOT NULL;
  `);
