import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { type Owner, startTestService, type TestService } from '../support/service.ts';

/*
 * The client of docs/api.md: generated from what a service answers at /openapi.json, compiled with the program that
 * the page shows, and run.
 */

const run = promisify(execFile);
const programs = Array.from(
  (await readFile(join(PROJECT, 'docs/api.md'), 'utf8')).matchAll(/^```ts\n([\s\S]*?)^```$/gm),
  ([, code = '']) => code,
);

const COMPILER = {
  compilerOptions: {
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
    ...{ types: ['node'], strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false, noEmit: true },
  },
  include: ['.'],
};

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

describe('a client by openapi-typescript', { timeout: 300_000 }, () => {
  it('compiles under strict, sends a file, and reads typed answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'formhost-client-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const bin = (program: string): string => join(PROJECT, 'node_modules/.bin', program);
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER));
    const program = programs.find((code) => code.includes('./schema'));
    await writeFile(join(folder, 'program.ts'), program ?? '');
    await writeFile(join(folder, 'openapi.json'), await (await fetch(`${service.url}/openapi.json`)).text());

    await run(bin('openapi-typescript'), ['openapi.json', '--output', 'schema.d.ts'], { cwd: folder });
    const { stdout: problems } = await run(bin('tsc'), ['-p', '.'], { cwd: folder }).catch((error) => error);
    expect(problems).toBe('');
    await run(bin('rolldown'), ['program.ts', '--platform=node', '--file=program.js'], { cwd: folder });
    const env = { BASE_URL: service.url, API_KEY: owner.key, NODE_OPTIONS: '', PATH: process.env.PATH };
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env });
    expect(stdout).toBe('Submission received 1 true\n');

    const { deployments } = (await owner.get('/deploy')).body;
    const { submissions } = (await owner.get(`/submissions/${deployments[0].id}`)).body;
    expect(submissions[0].data).toEqual({
      name: 'Ada',
      cv: { filename: 'cv.txt', content_type: 'text/plain', size: 12, url: expect.any(String) },
    });
    expect((await owner.get(submissions[0].data.cv.url)).text).toBe('Ada Lovelace');

    // A wrong type does not compile.
    await writeFile(join(folder, 'program.ts'), (program ?? '').replace('{ html }', '{ html: 1 }'));
    await expect(run(bin('tsc'), ['-p', '.'], { cwd: folder })).rejects.toThrow();
  });
});
