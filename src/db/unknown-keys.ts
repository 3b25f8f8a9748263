import type { Knex } from 'knex';
import { execute, queryOne } from './postgres/query.ts';

/**
 * Counts `tries` more unknown keys of a network, in a window that begins with the first and lasts for `windowSeconds`.
 * Answers how many the network has tried in the window, and how many milliseconds are left of it. All processes share
 * the count.
 */
export async function countUnknownKeyTries(
  db: Knex,
  network: string,
  tries: number,
  windowSeconds: number,
): Promise<{ counted: number; leftMs: number }> {
  const { counted, left_ms: leftMs } = await queryOne<{ counted: number; left_ms: number }>(
    db,
    'count-unknown-key-tries',
    `INSERT INTO unknown_key_tries AS known (network, tries, window_ends_at)
       VALUES (:network, :tries, now() + :windowSeconds * interval '1 s')
       ON CONFLICT (network) DO UPDATE
          SET tries = CASE WHEN known.window_ends_at > now() THEN known.tries ELSE 0 END + excluded.tries,
              window_ends_at =
                CASE WHEN known.window_ends_at > now() THEN known.window_ends_at ELSE excluded.window_ends_at END
       RETURNING tries AS counted, (1000 * extract(epoch FROM window_ends_at - now()))::float8 AS left_ms`,
    { network, tries, windowSeconds },
  );
  return { counted, leftMs };
}

/** Removes up to `limit` networks whose window has ended; answers how many. */
export const removeEndedUnknownKeyTries = (db: Knex, limit: number): Promise<number> =>
  execute(
    db,
    'remove-ended-unknown-key-tries',
    `DELETE FROM unknown_key_tries WHERE network IN (
       SELECT network FROM unknown_key_tries
        WHERE window_ends_at < now() ORDER BY window_ends_at LIMIT ? FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
