import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testService } from '../support/test-service.ts';
import { zipFiles } from '../support/zip-bytes.ts';

/*
 * The client as a program of a user has it: packed by npm, installed in the program's empty folder, and called as docs/api.md
 * shows.
 */

const shell = promisify(execFile);
const guide = await readFile(join(PROJECT, 'docs/api.md'), 'utf8');
const [, shown = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];

const service = await testService();
const owner = await service.owner();
const program = shown.replace('http://localhost:3000', service.url);

/** The folder of the program. */
const folder = await emptyFolder();
/** The file that npm makes of the package, and what is in it. */
let filename: string;
let packed: string[];
beforeAll(async () => {
  const pack = ['pack', '--json', '--loglevel=silent', '--pack-destination', folder];
  const { stdout } = await shell('npm', pack, { cwd: join(PROJECT, 'packages/client') });
  const [archive] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  ({ filename } = archive);
  packed = archive.files.map(({ path }: { path: string }) => path);
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)];
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await shell('npm', install, { cwd: folder });
  // Programs in TypeScript have Node's types.
  await symlink(join(PROJECT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
});

/** The errors of the strictest compiler in a program. */
async function compile(text: string): Promise<string> {
  const options = {
    ...{ target: 'es2024', module: 'nodenext', types: ['node'], noEmit: true, skipLibCheck: false },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
  await writeFile(join(folder, 'program.ts'), text);
  const tsc = join(PROJECT, 'node_modules/.bin/tsc');
  const { stdout } = await shell(tsc, ['-p', '.'], { cwd: folder }).catch((error) => error);
  return stdout;
}

describe('formhost-client', () => {
  it('brings a small library, and nothing of the service', async () => {
    expect(packed.toSorted()).toEqual([
      ...['LICENSE', 'README.md', 'dist/api.d.ts', 'dist/client.d.ts', 'dist/client.js', 'package.json'],
    ]);
    const modules = await readdir(join(folder, 'node_modules'));
    const own = modules.filter((name) => !/^(?:\.|@types$)/.test(name));
    expect(own.toSorted()).toEqual(['formhost-client', 'openapi-fetch', 'openapi-typescript-helpers']);
  });

  it('keeps the optional packages of the program that installs it', async () => {
    const other = await emptyFolder();
    const optional = join(other, 'optional');
    await mkdir(optional);
    await writeFile(join(optional, 'package.json'), '{"name":"their-optional","version":"1.0.0"}');
    const own = { name: 'app', private: true, optionalDependencies: { 'their-optional': 'file:./optional' } };
    await writeFile(join(other, 'package.json'), JSON.stringify(own));
    const [, command = ''] = /```sh[^\n]*\n(npm install [^\n]*formhost-client)\n/.exec(guide) ?? [];
    const [program = '', ...args] = command.replace('formhost-client', join(folder, filename)).split(' ');
    await shell(program, [...args, '--prefer-offline', '--no-audit', '--no-fund'], { cwd: other });
    expect(await readdir(join(other, 'node_modules'))).toEqual(
      expect.arrayContaining(['formhost-client', 'their-optional']),
    );
  });

  it('has the version and the library of the service', async () => {
    const read = async (path: string) => JSON.parse(await readFile(join(PROJECT, path), 'utf8'));
    const [service, client] = [await read('package.json'), await read('packages/client/package.json')];
    expect([client.version, client.repository.url]).toEqual([service.version, service.repository.url]);
    expect(client.dependencies).toEqual({ 'openapi-fetch': service.dependencies['openapi-fetch'] });
  });

  it('has a page that shows the same program as the guide', async () => {
    const page = await readFile(join(PROJECT, 'packages/client/README.md'), 'utf8');
    expect(page).toContain(shown);
  });

  it('runs in Node', async () => {
    await writeFile(join(folder, 'program.mjs'), program);
    const env = { API_KEY: owner.key, PATH: process.env.PATH };
    const { stdout, stderr } = await shell(process.execPath, ['program.mjs'], { cwd: folder, env });
    expect([stdout, stderr]).toEqual(["1 { name: 'Ada' }\n", '']);
    const { body } = await owner.get('/deploy').expect(200);
    expect(body.total).toBe(1);
  });

  it('has types, for the strictest compiler', async () => {
    expect(await compile(program)).toBe('');
    expect(await compile(program.replace('{ html }', '{ html: 1 }'))).toMatch(
      /^program\.ts\(\d+,\d+\): error TS2322: Type 'number' is not assignable to type 'string'/,
    );
  });

  it('sends zips, files and pages as they are', async () => {
    const zip = zipFiles({ 'index.html': '<p>zip', 'a.bin': Buffer.from([0xff, 0]) });
    await writeFile(join(folder, 'site.zip'), zip);
    expect(
      await compile(`import { readFile } from 'node:fs/promises';
import { createFormhost } from 'formhost-client';
const formhost = createFormhost({ url: ${JSON.stringify(service.url)}, key: process.env.API_KEY });
const zip = await readFile('site.zip');
for (const body of [zip, new Blob([zip])]) {
  const { data } = await formhost.POST('/deploy', { body, headers: { 'Content-Type': 'application/zip' } });
  if (!data) throw new Error('refused');
  const path = { id: data.id, path: 'zips/b.bin' };
  await formhost.PUT('/deploy/{id}/files/{path}', { params: { path }, body });
  const { data: list } = await formhost.GET('/deploy/{id}/files', { params: { path } });
  console.log(list?.files.map(({ path, bytes }) => [path, bytes]).join());
}
const html = '<p>"page"';
const { data: page } = await formhost.POST('/deploy', { body: html, headers: { 'Content-Type': 'text/html' } });
const { data: live } = await formhost.GET('/deploy/{id}/html', { params: { path: { id: page?.id ?? '' } } });
console.log(live?.html);
`),
    ).toBe('');
    const env = { API_KEY: owner.key, PATH: process.env.PATH };
    const { stdout } = await shell(process.execPath, ['program.ts'], { cwd: folder, env });
    const files = `index.html,6,a.bin,2,zips/b.bin,${zip.length}`;
    expect(stdout).toBe(`${files}\n${files}\n<p>"page"\n`);
  });
});
