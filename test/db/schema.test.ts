import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, it } from 'vitest';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';
import { PROJECT } from '../support/process.ts';

const read = (pattern: string): string[] =>
  globSync(pattern, { cwd: PROJECT }).map((file) => readFileSync(join(PROJECT, file), 'utf8'));

/** Without comments. */
const SOURCES = read('src/{db,settings}/**/*.ts').map((text) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/ .*|-- .*/g, ''));
const MIGRATIONS = read('migrations/*.ts');

const isIn = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

/** The columns that no file of src/db names together with their table. `only_row` keeps a table to one row. */
async function unusedColumns(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { table: string; column: string }[] }>(
    `SELECT relname AS table, attname AS column FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'knex%'
        AND attnum > 0 AND NOT attisdropped AND attname <> 'only_row'
      ORDER BY relname, attname`,
  );
  expect(rows.length).toBeGreaterThan(100);
  const isUsed = (table: string, column: string): boolean =>
    SOURCES.some((text) => isIn(text, table) && isIn(text, column));
  return rows.filter(({ table, column }) => !isUsed(table, column)).map(({ table, column }) => `${table}.${column}`);
}

/** The functions that no trigger and no file of src/db calls. */
async function unusedFunctions(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT proname AS name FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgfoid = pg_proc.oid)`,
  );
  return rows.map(({ name }) => name).filter((name) => !SOURCES.some((text) => isIn(text, name)));
}

it('every column and every function of the schema is used', async () => {
  const db = openDatabase((await testDatabase()).url);
  expect([await unusedColumns(db), await unusedFunctions(db)]).toEqual([[], []]);
});

it('a column or a function that nothing uses is found', async () => {
  const db = openDatabase((await testDatabase()).url);
  await db.raw(`
    CREATE TABLE left_behind (deployment_id text);
    ALTER TABLE webhooks ADD COLUMN noted_on_paper text;
    CREATE FUNCTION count_on_fingers() RETURNS int LANGUAGE sql AS 'SELECT 10'`);
  expect([await unusedColumns(db), await unusedFunctions(db)]).toEqual([
    ['left_behind.deployment_id', 'webhooks.noted_on_paper'],
    ['count_on_fingers'],
  ]);
});

it('every table has a line that says what it is for', () => {
  const tables = MIGRATIONS.flatMap((text) => text.match(/CREATE (?:UNLOGGED )?TABLE .*/g) ?? []);
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter((line) => !/^CREATE TABLE (IF NOT EXISTS )?\w+ \( -- [A-Z].*\.$/.test(line))).toEqual([]);
});
