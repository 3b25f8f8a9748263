import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { apiPage, CLIENT_TYPES, clientTypes, EXAMPLE_SETTINGS, PAGE } from '../../../docs/generate-api.ts';
import { startTestService } from '../../support/service.ts';

it('docs/api.md and the client have the endpoints as they are declared', async () => {
  const service = await startTestService(EXAMPLE_SETTINGS);
  onTestFinished(() => service.close());
  const { text, body: reference } = await service.anonymous.get('/openapi.json').expect(200);
  const page = await readFile(PAGE, 'utf8');
  expect(page, 'docs/api.md is out of date: `npm run docs:api` writes it anew').toBe(apiPage(page, reference));
  const types = await readFile(CLIENT_TYPES, 'utf8');
  expect(types, 'src/client/api.d.ts is out of date: `npm run docs:api` writes it anew').toBe(await clientTypes(text));
});
