import { expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { createFirstOwner } from '../src/prepare-database.ts';
import { openDatabase, testDatabase } from './support/fresh-database.ts';

it('an embedded database gets a first owner once, and none where more than this machine reaches the service', async () => {
  const database = await testDatabase();
  const db = openDatabase(database.url);
  const create = (HOST: string, isEmbedded: boolean) =>
    createFirstOwner(
      { isEmbedded, connection: { connectionString: database.url }, close: async () => undefined },
      db,
      loadConfig({ HOST }),
    );
  expect([await create('0.0.0.0', true), await create('127.0.0.1', false)]).toEqual([undefined, undefined]);
  expect(await create('127.0.0.1', true)).toMatchObject({ key: expect.stringMatching(/^fh_/) });
  expect(await create('127.0.0.1', true)).toBeUndefined();
});
