import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

/** Installed only when it runs: with the TypeScript that it needs it is 43 MB. */
const GENERATOR = ['--package', 'openapi-typescript@7.13.0', '--package', 'typescript@5.9.3', 'openapi-typescript'];

/** The first line of the types that are made of an OpenAPI document. A test compares it with today's document. */
export const firstLine = (reference: string): string =>
  `/* Made by \`npm run docs:api\` of the reference with the SHA-256 ${createHash('sha256').update(reference).digest('hex')} */`;

/** The response of a service with the example's settings at /openapi.json. */
async function referenceOfService(folder: string): Promise<string> {
  const config = { ...loadConfig({ ...EXAMPLE_SETTINGS, DATA_DIR: join(folder, 'data') }), port: 0 };
  const service = await startService(config, createLog('error'));
  try {
    await service.ready;
    return await (await fetch(`${service.url}/openapi.json`)).text();
  } finally {
    await service.close();
  }
}

/** The types with bytes in bodies of requests that are no JSON. The generator makes texts of all of them. */
const withBytes = (types: string): string =>
  // Bodies of responses have a deeper indentation.
  types.replaceAll(/^ {16}"(?:text\/html|application\/zip|\*\/\*)": string/gm, '$& | Blob | Uint8Array');

async function writeTypes(folder: string): Promise<void> {
  const reference = await referenceOfService(folder);
  const [from, to] = [join(folder, 'openapi.json'), join(folder, 'api.d.ts')];
  await writeFile(from, reference);
  await promisify(execFile)('npx', ['--yes', ...GENERATOR, from, '--output', to]);
  await writeFile(CLIENT_TYPES, `${firstLine(reference)}\n\n${withBytes(await readFile(to, 'utf8'))}`);
}

if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-docs-'));
  await writeTypes(folder).finally(() => rm(folder, { recursive: true }));
}
