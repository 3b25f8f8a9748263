import type { Connection } from './connect.ts';

export type DatabaseServer = {
  connection: Connection;
  isEmbedded: boolean;
  /** Stops an embedded server, unless another process is connected. */
  close(): Promise<void>;
};

/** The Postgres of DATABASE_URL, or else the embedded one in `dataDir`, which is started unless it runs. */
export async function openDatabaseServer(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  onProgress: (message: string) => void,
): Promise<DatabaseServer> {
  if (databaseUrl !== undefined) {
    return { connection: { connectionString: databaseUrl }, isEmbedded: false, close: async () => undefined };
  }
  const { openEmbeddedPostgres } = await import('./embedded-postgres.ts');
  const { connection, close } = await openEmbeddedPostgres(dataDir, { onProgress });
  return { connection, isEmbedded: true, close };
}
