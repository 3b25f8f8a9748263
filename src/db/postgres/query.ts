import type { Knex } from 'knex';
import type { NamedStatements, Values } from './named-statements.ts';

type Answer<Row> = { rows: Row[]; rowCount: number | null };

function run<Row>(db: Knex, name: string, sql: string, values: Values): PromiseLike<Answer<Row>> {
  const { statements, isPooled }: { statements?: NamedStatements; isPooled?: boolean } = db.userParams;
  // knex knows the connection of a transaction, and tells it of each answer.
  if (statements && !db.isTransaction) return statements.run(name, sql, values);
  const raw = db.raw<Answer<Row>>(sql, values);
  // A transaction pooler gives the next statement another connection, on which nothing has been prepared.
  return isPooled ? raw : raw.options({ name });
}

/**
 * Answers the rows of a statement, which is prepared once on each connection. A `name` stands for one `sql`, always the
 * same. `values` are for each `?` in order, or for each `:name`.
 */
export const query = async <Row>(db: Knex, name: string, sql: string, values: Values = []): Promise<Row[]> =>
  (await run<Row>(db, name, sql, values)).rows;

/** Returns the number of rows that the statement found or changed. */
export const execute = async (db: Knex, name: string, sql: string, values: Values = []): Promise<number> =>
  (await run<unknown>(db, name, sql, values)).rowCount ?? 0;

/** Which page of a list, and of how many rows. */
export type Paging = { page: number; limit: number };
/** A page of a list, and how many rows the list has in all. */
export type ListPage<Row> = { rows: Row[]; total: number };

/**
 * A page of a list, and how many rows the list has in all, in one statement. `total`: a SELECT of their number as `total`.
 * `rows`: a SELECT of those on the page, with an `id` each, and `LIMIT :limit OFFSET :offset`.
 */
export async function queryPage<Row extends { id: string }>(
  db: Knex,
  name: string,
  { total, rows }: { total: string; rows: string },
  values: Knex.ValueDict,
  { page, limit }: Paging,
): Promise<ListPage<Row>> {
  const found = await query<{ total: number } & (Row | { id: null })>(
    db,
    name,
    `SELECT counted.total, listed.* FROM (${total}) AS counted LEFT JOIN LATERAL (${rows}) AS listed ON true`,
    { ...values, limit, offset: (page - 1) * limit },
  );
  return { total: found[0]?.total ?? 0, rows: found.flatMap((row) => (row.id === null ? [] : [row])) };
}

/** Returns the row of a statement that always returns one. */
export async function queryOne<Row>(db: Knex, name: string, sql: string, values: Values = []): Promise<Row> {
  const [row] = await query<Row>(db, name, sql, values);
  if (row === undefined) throw new Error(`The statement ${name} answered no row.`);
  return row;
}

/** The rows of a long list. `read` returns a batch: the rows after `last`, or the first ones. */
export async function* readAll<Row>(read: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let rows = await read(undefined); rows.length > 0; rows = await read(rows.at(-1))) yield* rows;
}
