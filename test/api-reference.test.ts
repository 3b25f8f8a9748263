import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { apiPage, EXAMPLE_SETTINGS, PAGE } from '../docs/generate-api.ts';
import { startTestService } from './support/service.ts';

it('docs/api.md has the endpoints as they are declared', async () => {
  const service = await startTestService(EXAMPLE_SETTINGS);
  onTestFinished(() => service.close());
  const { body: reference } = await service.anonymous.get('/openapi.json').expect(200);
  const page = await readFile(PAGE, 'utf8');
  expect(page, 'docs/api.md is out of date: `npm run docs:api` writes it anew').toBe(apiPage(page, reference));
});
