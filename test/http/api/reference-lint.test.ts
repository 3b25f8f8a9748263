import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startTestService } from '../../support/service.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Both linters are large: a busy machine takes long to load them. */
const LOADING = { timeout: 60_000 };

/** What a service with these settings answers at /openapi.json. */
async function documentOf(settings: Record<string, string>): Promise<string> {
  const service = await startTestService(settings);
  onTestFinished(() => service.close());
  return (await fetch(`${service.url}/openapi.json`)).text();
}

/** What Redocly's linter finds with its ruleset `recommended`. */
async function lintWithRedocly(text: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-lint-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'openapi.json'), text);
  const cli = join(import.meta.dirname, '../../../node_modules/.bin/redocly');
  const args = ['lint', '--extends=recommended', '--format=json', 'openapi.json'];
  // It reports its use to its makers, and looks for newer versions, unless it is told not to.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await run(cli, args, { cwd: folder, env }).catch((error) => error);
  const { totals, problems } = JSON.parse(stdout);
  return { totals, problems };
}

const Findings = z.array(z.object({ code: z.union([z.string(), z.number()]), message: z.string() }));

/** What Spectral finds with its ruleset `spectral:oas`. */
async function lintWithSpectral(text: string): Promise<unknown> {
  // Loaded here: they take half a second, and have no types that TypeScript finds.
  const { Spectral } = require('@stoplight/spectral-core');
  const { oas } = require('@stoplight/spectral-rulesets');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas] });
  return Findings.parse(await spectral.run(JSON.parse(text)));
}

describe.each<[string, Record<string, string>]>([
  ['a public service', { ABUSE_CONTACT: 'abuse@forms.example.org' }],
  ['a local service', { BASE_URL: 'http://localhost:3000', ABUSE_CONTACT: 'https://forms.example.org/abuse' }],
  ['a service without a contact', {}],
])('the document of %s', LOADING, (_which, settings) => {
  it("has no fault or warning for Redocly's linter", async () => {
    expect(await lintWithRedocly(await documentOf(settings))).toEqual({
      totals: { errors: 0, warnings: 0, ignored: 0 },
      problems: [],
    });
  });

  it('has no fault or warning for Spectral', async () => {
    expect(await lintWithSpectral(await documentOf(settings))).toEqual([]);
  });
});

it('lets both linters find faults', LOADING, async () => {
  const { paths, info, ...rest } = JSON.parse(await documentOf({}));
  const { contact: _contact, license: _license, ...bare } = info;
  const { get } = paths['/healthz'];
  const faulty = { ...rest, info: bare, paths: { ...paths, '/healthz': { get: { ...get, description: '' } } } };
  const text = JSON.stringify(faulty);
  expect(await lintWithRedocly(text)).toMatchObject({ totals: { errors: 0, warnings: 1 } });
  expect(await lintWithSpectral(text)).toMatchObject([{ code: 'info-contact' }, { code: 'operation-description' }]);
});
