import type { Connection } from './servers.ts';

/** Where the database should be. */
export type Location = {
  databaseUrl?: string | undefined;
  databasePooler: NonNullable<Connection['pooler']>;
  dataDir: string;
};

export type DatabaseServer = {
  connection: Connection;
  isEmbedded: boolean;
  /** Stops an embedded server, unless another process is connected. */
  close(): Promise<void>;
};

/** The Postgres of DATABASE_URL, or else the embedded one in `dataDir`, which is started unless it runs. */
export async function openDatabaseServer(
  { databaseUrl, databasePooler, dataDir }: Location,
  onProgress: (message: string) => void = () => undefined,
): Promise<DatabaseServer> {
  if (databaseUrl !== undefined) {
    const connection = { connectionString: databaseUrl, pooler: databasePooler };
    return { connection, isEmbedded: false, close: async () => undefined };
  }
  const { openEmbeddedPostgres } = await import('./embedded-postgres.ts');
  const { connection, close } = await openEmbeddedPostgres(dataDir, onProgress);
  return { connection, isEmbedded: true, close };
}
