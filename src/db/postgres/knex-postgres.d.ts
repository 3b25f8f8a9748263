declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';
  import type { Client, QueryResult } from 'pg';

  export type Statement = { sql: string; bindings?: readonly unknown[]; options?: { name?: string } };

  /** knex' client for Postgres, of which knex exports no types. */
  export default class PostgresClient extends Knex.Client {
    _query(connection: Client, query: Statement): Promise<{ response: QueryResult }>;
  }
}
