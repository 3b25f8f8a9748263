import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startTestService } from '../../support/service.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Both linters are large: a busy machine takes long to load them. */
const LOADING = { timeout: 180_000 };

/** What a public service answers at /openapi.json. */
async function publicDocument(): Promise<string> {
  const service = await startTestService({ ABUSE_CONTACT: 'abuse@forms.example.org' });
  onTestFinished(() => service.close());
  return (await fetch(`${service.url}/openapi.json`)).text();
}

const Report = z.object({
  totals: z.object({ errors: z.int(), warnings: z.int() }),
  problems: z.array(z.object({ ruleId: z.string() })),
});

/** What Redocly's linter finds in these documents with its ruleset `recommended`: for each, the rules that are broken. */
async function lintWithRedocly(texts: Record<string, string>): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-lint-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const cli = join(import.meta.dirname, '../../../node_modules/.bin/redocly');
  const args = ['lint', '--extends=recommended', '--format=json', ...Object.keys(texts)];
  // It reports its use to its makers, and looks for newer versions, unless it is told not to.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await run(cli, args, { cwd: folder, env }).catch((error) => error);
  // A report for each, one after the other.
  const reports = z.array(Report).parse(JSON.parse(`[${stdout.replaceAll(/^\}\s*\{$/gm, '},{')}]`));
  return reports.map(({ totals, problems }) => [totals, problems.map(({ ruleId }) => ruleId)]);
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

/** A part of the document with two faults. */
function withFaults(text: string): unknown {
  const { openapi, info, servers, paths } = JSON.parse(text);
  const { contact: _contact, ...bare } = info;
  const { get } = paths['/healthz'];
  return { openapi, info: bare, servers, paths: { '/healthz': { get: { ...get, description: '' } } } };
}

it('the reference has no fault or warning for Spectral, which finds faults', LOADING, async () => {
  const text = await publicDocument();
  expect(await lintWithSpectral(text)).toEqual([]);
  expect(await lintWithSpectral(JSON.stringify(withFaults(text)))).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ code: 'info-contact' }),
      expect.objectContaining({ code: 'operation-description' }),
    ]),
  );
});

it("the reference has no fault or warning for Redocly's linter, which finds faults", LOADING, async () => {
  const text = await publicDocument();
  const { license: _license, ...info } = JSON.parse(text).info;
  const faulty = JSON.stringify({ ...JSON.parse(text), info });
  expect(await lintWithRedocly({ 'openapi.json': text, 'faulty.json': faulty })).toEqual([
    [{ errors: 0, warnings: 0 }, []],
    [{ errors: 0, warnings: 1 }, ['info-license']],
  ]);
});
