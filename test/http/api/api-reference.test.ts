import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { apiPage, CLIENT_TYPES, clientTypes, EXAMPLE_SETTINGS, PAGE } from '../../../docs/generate-api.ts';
import { loadConfig } from '../../../src/config.ts';
import { referenceOf } from '../../support/reference.ts';

it('docs/api.md and the client have the endpoints as they are declared', async () => {
  const text = JSON.stringify(referenceOf(loadConfig(EXAMPLE_SETTINGS)));
  const page = await readFile(PAGE, 'utf8');
  expect(page, 'docs/api.md is out of date: `npm run docs:api` writes it anew').toBe(apiPage(page, JSON.parse(text)));
  const types = await readFile(CLIENT_TYPES, 'utf8');
  expect(types, 'src/client/api.d.ts is out of date: `npm run docs:api` writes it anew').toBe(await clientTypes(text));
});
