import type { Knex } from 'knex';
import type pg from 'pg';
import { to } from 'pg-copy-streams';

/**
 * Reads the output of a COPY … TO STDOUT in pieces, as a unit of work. `read` may stop before the end; then the
 * connection is closed, and with it the statement ends.
 */
export type CopyOut = <T>(statement: string, read: (pieces: AsyncIterable<Buffer>) => Promise<T>) => Promise<T>;

export const createCopyOut =
  (db: Knex): CopyOut =>
  async (statement, read) => {
    const client: pg.Client = await db.client.acquireConnection();
    try {
      // The time-outs of a transaction hold behind a pooler, too.
      if (db.userParams.isPooled) await client.query('BEGIN');
      const { promise: isReady, resolve } = Promise.withResolvers<void>();
      client.once('drain', resolve).once('end', resolve);
      const pieces = client.query(to(statement));
      // An error after the last read concerns no reader. Without a listener it would end the process.
      pieces.on('error', () => undefined);
      const result = await read(pieces).finally(async () => {
        // The last piece comes before the server is ready for another statement.
        if (pieces.readableEnded) await isReady;
        else await client.end();
        client.off('drain', resolve).off('end', resolve);
      });
      if (pieces.readableEnded && db.userParams.isPooled) await client.query('COMMIT');
      return result;
    } finally {
      await db.client.releaseConnection(client);
    }
  };
