import type { Database } from '../../src/db/postgres/connect.ts';

/** The id of the submission with this number that `storeTexts` has stored. */
export const storedId = (deploymentId: string, number: number): string => `sub_${deploymentId.slice(2)}${number}`;

/**
 * Gives a deployment that has none submissions of these JSON texts, numbered from 1, past the rate limit. `times`: when each
 * was accepted; left out: now.
 */
export async function storeTexts(
  db: Database,
  id: string,
  texts: readonly string[],
  { times = [], ipAddress = '192.0.2.1' }: { times?: readonly (string | Date)[]; ipAddress?: string } = {},
): Promise<void> {
  await db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n, text::json, :ipAddress, coalesce(at, now())
       FROM unnest(CAST(:texts AS text[]), CAST(:times AS timestamptz[])) WITH ORDINALITY AS each (text, at, n)`,
    { id, texts: [...texts], times: [...times], ipAddress },
  );
  await db('deployments')
    .where({ id })
    .update({ submission_count: texts.length, last_submission_number: texts.length });
}
