import type { Database } from '../../src/db/postgres/connect.ts';

/** Gives a deployment that has none submissions of these JSON texts, numbered from 1, past the rate limit. */
export async function storeTexts(db: Database, id: string, texts: readonly string[]): Promise<void> {
  await db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n, text::json, '192.0.2.1', now()
       FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS each (text, n)`,
    { id, texts: [...texts] },
  );
  await db('deployments')
    .where({ id })
    .update({ submission_count: texts.length, last_submission_number: texts.length });
}
