import type { Database } from '../../src/db/postgres/connect.ts';

/** Makes it look as if a form had accepted so many submissions, so many seconds ago. */
export const setAccepted = (db: Database, id: string, count: number, secondsAgo = 0): Promise<unknown> =>
  db.raw(
    `UPDATE deployments SET recent_submissions = array_fill(clock_timestamp() - ? * interval '1 s', ARRAY[?::int]) WHERE id = ?`,
    [secondsAgo, count, id],
  );
