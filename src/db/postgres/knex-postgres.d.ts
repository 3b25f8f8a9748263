declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';
  import type { Client } from 'pg';

  /** knex' client for Postgres, of which knex exports no types. */
  export default class PostgresClient extends Knex.Client {
    _query(connection: Client, query: { sql: string }): Promise<unknown>;
  }
}
