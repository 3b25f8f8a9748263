import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { PROJECT, startProgram } from '../../support/process.ts';
import { lookUp, referenceOf } from '../../support/reference.ts';

/*
 * Steps of the recipes in CONTRIBUTING.md that nothing else notices when they are forgotten.
 */

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');
const namesIn = (folder: string): string[] =>
  readdirSync(join(PROJECT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -'.ts'.length));

describe('every migration', () => {
  it.each(namesIn('migrations'))('%s is listed in src/db/postgres/migrate.ts', (name) => {
    expect(read('src/db/postgres/migrate.ts')).toContain(`{ name: '${name}', up: `);
  });
});

/** The commands of operators: the other files are what they share, and the commands of owners. */
const commands = namesIn('src/commands').filter(
  (name) => !['command', 'command-error', 'completion', 'formhost'].includes(name),
);

describe('every command', () => {
  const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;

  it.each(commands)('%s has a script, a row in README.md, and a test', (command) => {
    const [name] =
      Object.entries(scripts).find(([, script]) => script === `exec node src/commands/${command}.ts`) ?? [];
    expect(name, 'package.json has no script for it').toBeDefined();
    expect(read('README.md')).toMatch(new RegExp(`^\\|.*\`npm run --silent ${name}\\b.*\\|$`, 'm'));
    const tests = ['test/commands', 'test/install'].flatMap((folder) =>
      namesIn(folder).map((test) => read(`${folder}/${test}.ts`)),
    );
    const starts = [`src/commands/${command}.ts`, `runCommand('${command}'`];
    expect(tests.filter((test) => starts.some((start) => test.includes(start)))).not.toEqual([]);
  });

  it.each(commands)('%s prints its usage with --help and -h, whatever the settings are', async (command) => {
    // A database that is out of reach, and a wrong setting.
    const settings = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', PORT: 'http' };
    const help = (...args: string[]) =>
      startProgram(process.execPath, [`src/commands/${command}.ts`, ...args], settings).result;
    const [long, short, after] = await Promise.all([help('--help'), help('-h'), help('list', '--json', '--help')]);
    expect(long).toEqual({ code: 0, stdout: expect.stringMatching(/^usage: npm run --silent /), stderr: '' });
    expect(long.stdout).toContain('--json');
    expect([short, after]).toEqual([long, long]);
  });
});

describe('every command of an operator', () => {
  it('is one of formhost, too', async () => {
    const { stdout } = await startProgram('bin/formhost', ['--help'], {}).result;
    const listed = Array.from(stdout.matchAll(/^ {2}([a-z-]+) /gm), ([, name]) => name);
    expect(commands.filter((name) => !listed.includes(name))).toEqual([]);
  });
});

describe('every command of an owner', () => {
  it('has a row in docs/command-line.md', async () => {
    const { stdout } = await startProgram('bin/formhost', ['--help'], {}).result;
    const names = Array.from(stdout.matchAll(/^ {2}([a-z-]+) .*[A-Z]/gm), ([, name = '']) => name);
    expect(names.length).toBeGreaterThan(10);
    const [, table = ''] = /^## All commands$([\s\S]*)/m.exec(read('docs/command-line.md')) ?? [];
    expect(names.filter((name) => !new RegExp(`^\\|.*\`${name}\\b.*\\|`, 'm').test(table))).toEqual([]);
  });
});

describe('every endpoint', () => {
  const sources = readdirSync(join(PROJECT, 'src/http'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`src/http/${name}`));
  const declared = sources.flatMap((source) =>
    Array.from(
      source.matchAll(/\bmethod: '([A-Z]+)',\s+path: '(\/[^']*)'/g),
      ([, method, path]) => `${method} ${path}`,
    ),
  );

  it('that is declared is listed in src/http/endpoints.ts', () => {
    const app = read('src/http/endpoints.ts');
    expect(declared.length).toBeGreaterThan(20);
    expect(declared.filter((name) => !app.includes(`'${name}'`))).toEqual([]);
  });
});

describe('every event', () => {
  const { value: events } = lookUp(
    referenceOf(loadConfig({})),
    ...['paths', '/webhooks/{deployId}', 'post', 'requestBody', 'content', 'application/json'],
    ...['schema', 'properties', 'events', 'items', 'enum'],
  );
  it('has a row in docs/webhooks.md', () => {
    const [, section = ''] = /^### Events$([\s\S]*?)^#/m.exec(read('docs/webhooks.md')) ?? [];
    const rows = Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name);
    expect(rows).toEqual(events);
  });
});

describe('CONTRIBUTING.md', () => {
  it('names functions, types and constants that are there', () => {
    const folders = ['src', 'test', 'migrations'];
    const files = folders.flatMap((folder) =>
      readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
    const code = [...files.filter((name) => name.endsWith('.ts')), '.env.example'].map(read).join('\n');
    const names = Array.from(
      read('CONTRIBUTING.md').matchAll(/`(\w*[a-z][A-Z]\w*|[A-Z][a-z]+|[A-Z]+(?:_[A-Z]+)*)`/g),
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(20);
    // The examples add notes.
    expect(names.filter((name) => !/note/i.test(name) && !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});
