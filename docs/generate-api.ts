import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { z } from 'zod';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { startService } from '../src/service.ts';

/*
 * Writes the endpoints of docs/api.md from the OpenAPI document that a service answers at /openapi.json:
 * `npm run docs:api`. The introduction of that page, above the marker, is written by hand and stays. Of the same document it
 * makes the types of the client in src/client.
 */

/** The settings of the service that the page shows. All others have their defaults. */
export const EXAMPLE_SETTINGS = { BASE_URL: 'https://forms.example.org', PAGES_DOMAIN: 'pages.example.net' };

export const PAGE = new URL('api.md', import.meta.url);
export const CLIENT_TYPES = new URL('../src/client/api.d.ts', import.meta.url);
const MARKER =
  '<!-- The rest of this page is made by `npm run docs:api`: change the declarations of the endpoints. -->\n';

const Operation = z.object({
  tags: z.array(z.string()).length(1),
  summary: z.string(),
  security: z.array(z.unknown()).optional(),
});
const Document = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

/** The endpoints of an OpenAPI document, a table for each tag. What each takes and answers is in the reference at /docs. */
function endpointsOf(reference: unknown): string {
  const { tags, paths } = Document.parse(reference);
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      endpoint: `${method.toUpperCase()} ${path}`,
    })),
  );
  const tables = tags.map(({ name, description }) => {
    const rows = endpoints
      .filter(({ tags: [tag] }) => tag === name)
      .map(
        ({ endpoint, summary, security }) =>
          `| \`${endpoint}\` | ${summary}${security?.length === 0 ? '; no key' : ''} |`,
      );
    return [`### ${name}`, description, ['| Endpoint | |', '|---|---|', ...rows].join('\n')].join('\n\n');
  });
  return ['## All endpoints', ...tables].join('\n\n');
}

/** The page with its endpoints made anew from an OpenAPI document. */
export function apiPage(page: string, reference: unknown): string {
  const [introduction, ...rest] = page.split(MARKER);
  if (introduction === undefined || rest.length !== 1) throw new Error(`The page has not one line ${MARKER.trim()}`);
  return `${introduction}${MARKER}\n${endpointsOf(reference)}\n`;
}

/** The types of the endpoints of an OpenAPI document. */
export const clientTypes = async (reference: string): Promise<string> =>
  `/* Made by \`npm run docs:api\`: change the declarations of the endpoints. */\n\n${astToString(await openapiTypes(reference))}`;

/** What a service with the example's settings answers at /openapi.json. */
async function referenceOfService(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-docs-'));
  const config = { ...loadConfig({ ...EXAMPLE_SETTINGS, DATA_DIR: folder }), port: 0 };
  const service = await startService(config, createLog('error'));
  try {
    await service.ready;
    return await (await fetch(`${service.url}/openapi.json`)).text();
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const reference = await referenceOfService();
  await writeFile(PAGE, apiPage(await readFile(PAGE, 'utf8'), JSON.parse(reference)));
  await writeFile(CLIENT_TYPES, await clientTypes(reference));
}
