import type { Knex } from 'knex';

export const config = { transaction: false };

// Existing pages get no value, and neither do those that an older version writes during an update: their beginning is
// read when the language is needed (findVisitedPage in src/db/deployments/deployments.ts).
export async function up(db: Knex): Promise<void> {
  // One table at a time, each locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  for (const change of [
    `ALTER TABLE deployments
       ADD COLUMN IF NOT EXISTS language text -- of the pages that visitors see; NULL: that of the page`,
    `ALTER TABLE pages
       ADD COLUMN IF NOT EXISTS lang text, -- the primary subtag of <html lang> in lower case; NULL: it has none
       ADD COLUMN IF NOT EXISTS lang_version bigint -- the version that lang was read from`,
  ]) {
    await db.transaction((transaction) => transaction.raw(`SET LOCAL lock_timeout = '1s'; ${change}`));
  }
}
