import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { startService } from '../src/service.ts';

/*
 * Writes the types of the client in src/client from the OpenAPI document that a service returns at /openapi.json:
 * `npm run docs:api`.
 */

/** The settings of the service whose document it is. All others have their defaults. */
export const EXAMPLE_SETTINGS = { BASE_URL: 'https://forms.example.org', PAGES_DOMAIN: 'pages.example.net' };

export const CLIENT_TYPES = new URL('../src/client/api.d.ts', import.meta.url);

/** The types of the endpoints of an OpenAPI document. */
export const clientTypes = async (reference: string): Promise<string> =>
  `/* Made by \`npm run docs:api\`: change the declarations of the endpoints. */\n\n${astToString(await openapiTypes(reference))}`;

/** The response of a service with the example's settings at /openapi.json. */
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

if (import.meta.main) await writeFile(CLIENT_TYPES, await clientTypes(await referenceOfService()));
