import { glob, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { startService } from '../src/service.ts';

/*
 * Makes the types of the client, src/client/api.d.ts, from the OpenAPI document that a service returns at /openapi.json. It does
 * nothing where they are newer than the sources of the service.
 */

const CLIENT_TYPES = new URL('../src/client/api.d.ts', import.meta.url);
const SOURCES = ['src/**/*.ts', 'package-lock.json', 'scripts/client-types.ts'];

/** The settings of the service whose document it is. All others have their defaults. */
const EXAMPLE_SETTINGS = { BASE_URL: 'https://forms.example.org', PAGES_DOMAIN: 'pages.example.net' };

/** The time of a file's last change; 0 where there is none. */
const changedAt = async (file: string | URL): Promise<number> =>
  (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;

async function areCurrent(): Promise<boolean> {
  const made = await changedAt(CLIENT_TYPES);
  if (made === 0) return false;
  const cwd = new URL('..', import.meta.url);
  for await (const file of glob(SOURCES, { cwd, exclude: ['src/dashboard/**', 'src/client/**'] })) {
    if ((await changedAt(new URL(file, cwd))) > made) return false;
  }
  return true;
}

/** A machine that does much else may take longer than the deadline of a request. */
const SLOW_MACHINE = { requests: { answerTimeoutMs: 120_000 } };

/** The response of a service with the example's settings at /openapi.json. */
async function referenceOfService(folder: string): Promise<string> {
  const config = { ...loadConfig({ ...EXAMPLE_SETTINGS, DATA_DIR: join(folder, 'data') }), port: 0 };
  const service = await startService(config, createLog('error'), { limits: SLOW_MACHINE });
  try {
    await service.ready;
    const response = await fetch(`${service.url}/openapi.json`);
    if (!response.ok) throw new Error(`The service answered ${response.status} in place of its reference.`);
    return await response.text();
  } finally {
    await service.close();
  }
}

/** The types with bytes in bodies of requests that are no JSON. The generator makes texts of all of them. */
const withBytes = (types: string): string =>
  // Bodies of responses have a deeper indentation.
  types.replaceAll(
    /^ {16}"(?:text\/html|text\/csv|application\/zip|application\/x-ndjson|\*\/\*)": string/gm,
    '$& | Blob | Uint8Array',
  );

/** Makes the types, unless they are newer than what they are made of. */
export async function makeClientTypes(): Promise<void> {
  if (await areCurrent()) return;
  const folder = await mkdtemp(join(tmpdir(), 'formhost-types-'));
  try {
    const types = astToString(await openapiTS(await referenceOfService(folder)));
    await writeFile(CLIENT_TYPES, `/* Made by scripts/client-types.ts. */\n\n${withBytes(types)}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) await makeClientTypes();
