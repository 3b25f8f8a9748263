import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../support/process.ts';

/*
 * Which folder may import which, and where SQL and other code may be. A failing case lists each violation, with what to
 * do.
 */

const filesIn = (...folders: string[]): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map((name) => posix.join(folder, name)),
    )
    .filter((file) => /\.tsx?$/.test(file))
    .toSorted();

const SOURCES = filesIn('src', 'migrations');

/** A file's text without its comments. */
const codeOf = (file: string): string =>
  readFileSync(join(PROJECT, file), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

/** The names that one file takes from a package, or from another file of ours (a path from the project's folder). */
type Import = { from: string; to: string; isOurs: boolean; isType: boolean; isOnDemand: boolean };

const IMPORT = /^\s*(?:import|export)\s+(?:([^'"`;]*?)\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"`]([^'"`$]+)/gm;

const isTypeOnly = (clause: string): boolean =>
  /^type\s/.test(clause) || /^\{\s*(?:type\s+[^,}]+,?\s*)+\}$/.test(clause);

const IMPORTS: readonly Import[] = SOURCES.flatMap((from) =>
  Array.from(codeOf(from).matchAll(IMPORT), ([, clause = '', named, loaded]) => {
    const target = named ?? loaded ?? '';
    const isOurs = target.startsWith('.');
    const to = isOurs ? posix.join(posix.dirname(from), target) : target;
    return { from, to, isOurs, isType: isTypeOnly(clause), isOnDemand: loaded !== undefined };
  }),
);

/** The groups of the files directly in src; each folder below it is a group of its own. */
const GROUP_OF: Readonly<Record<string, string>> = {
  'src/main.ts': 'main',
  'src/workers.ts': 'main',
  'src/readable-log.ts': 'main',
  'src/first-run-message.ts': 'main',
  'src/service.ts': 'service',
  'src/deployment-changes.ts': 'service',
  'src/deployment-expiry.ts': 'service',
  'src/lifecycle.ts': 'service',
  'src/prepare-database.ts': 'service',
  'src/config.ts': 'config',
  'src/limits.ts': 'limits',
  'src/sizes.ts': 'limits',
};

/** The rooms at the bottom. They import lib only, and it imports none of them. */
const BASE = ['lib', 'sites', 'forms', 'webhooks', 'environment'];

/** The groups that a group may import besides itself. One way: main -> service -> http -> submissions -> db; all may import BASE and 'limits'. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['service', 'metrics', 'config', ...BASE],
  commands: ['http', 'health', 'delivery', 'db', 'files', 'config', 'client', 'problems', 'settings', ...BASE],
  service: [
    'http',
    'health',
    'domains',
    'submissions',
    'delivery',
    'db',
    'files',
    'compute',
    'metrics',
    'config',
    ...BASE,
  ],
  http: [
    'health',
    'openid',
    'domains',
    'submissions',
    'imports',
    'db',
    'files',
    'compute',
    'metrics',
    'config',
    'texts',
    'problems',
    'settings',
    ...BASE,
  ],
  submissions: ['db', 'files', 'compute', 'config', ...BASE],
  health: ['openid', 'delivery', 'db', 'files', 'config', ...BASE],
  delivery: ['db', 'config', 'texts', 'problems', ...BASE],
  domains: ['db', 'problems', ...BASE],
  files: ['db', ...BASE],
  openid: [],
  db: ['settings', 'problems', ...BASE],
  compute: ['config', ...BASE],
  metrics: ['config', ...BASE],
  config: [...BASE],
  texts: [...BASE],
  problems: [],
  settings: ['problems', ...BASE],
  imports: ['problems', ...BASE],
  client: [],
  dashboard: ['client', 'problems', 'texts', 'finished-pages', ...BASE],
  'finished-pages': ['lib'],
  sites: ['lib'],
  forms: ['lib'],
  webhooks: ['lib'],
  environment: ['lib'],
  lib: [],
  limits: [],
  migrations: [],
};

const groupOf = (file: string): string => {
  const [top = '', folder = '', ...rest] = file.split('/');
  if (top !== 'src') return top;
  return rest.length > 0 ? folder : (GROUP_OF[file] ?? '');
};
const isEntryPoint = (file: string): boolean => ['main', 'commands'].includes(groupOf(file));

/** Files in which a pattern stands, with what to do about it. */
const holding = (files: readonly string[], pattern: RegExp, advice: string): string[] =>
  files.flatMap((file) => {
    const [found] = pattern.exec(codeOf(file)) ?? [];
    return found === undefined ? [] : [`${file} has \`${found.trim()}\`: ${advice}`];
  });

/** Imports of packages from files that may not have them, with what to do about it. */
const importing = (packages: readonly string[], isAllowed: (found: Import) => boolean, advice: string): string[] =>
  IMPORTS.filter(({ to, isOurs }) => !isOurs && packages.some((name) => to === name || to.startsWith(`${name}/`)))
    .filter((found) => !isAllowed(found))
    .map(({ from, to }) => `${from} imports ${to}: ${advice}`);

const inGroups =
  (...groups: string[]) =>
  ({ from }: Import): boolean =>
    groups.includes(groupOf(from));

describe('imports', () => {
  it('are between files that belong to a group', () => {
    const ungrouped = SOURCES.filter((file) => !Object.hasOwn(MAY_IMPORT, groupOf(file)));
    const advice = 'put it into one of the folders of src, or give it a group in test/project/rooms.test.ts';
    expect(ungrouped.map((file) => `${file} is in no group: ${advice}`)).toEqual([]);
    const gone = Object.keys(GROUP_OF).filter((file) => !SOURCES.includes(file));
    expect(gone.map((file) => `${file} is gone: take it out of test/project/rooms.test.ts`)).toEqual([]);
  });

  it('run one way, main -> service -> http -> submissions -> db, and lib imports nothing of ours but limits', () => {
    const wrong = IMPORTS.filter(({ from, to, isOurs }) => {
      const [group, other] = [groupOf(from), groupOf(to)];
      if (!isOurs || ['migrations', 'limits'].includes(other)) return false;
      return (group === 'lib' && other !== 'lib') || (group !== other && !MAY_IMPORT[group]?.includes(other));
    });
    expect(
      wrong.map(({ from, to }) => {
        const may = MAY_IMPORT[groupOf(from)]?.join(', ') || 'nothing of ours but limits';
        return `${from} imports ${to}: ${groupOf(from)} may import ${may}; pass what it needs as an argument, or move it`;
      }),
    ).toEqual([]);
  });

  it('inside src/http run one way: listener -> page-hosts, endpoints -> api, submit, mcp -> operation -> app -> pages -> request -> response', () => {
    const partOf = (file: string): string => {
      const [, , folder = '', ...rest] = file.split('/');
      if (rest.length > 0) return folder;
      return folder === 'app.ts' ? 'app' : 'surface';
    };
    const inHttp = IMPORTS.filter(({ from, to }) => groupOf(from) === 'http' && groupOf(to) === 'http');
    const wrong = inHttp.filter(({ from, to }) => {
      const [part, other] = [partOf(from), partOf(to)];
      const below: Readonly<Record<string, readonly string[]>> = {
        operation: ['app', 'pages', 'request', 'response'],
        app: ['pages', 'request', 'response'],
        pages: ['request', 'response'],
        request: ['response'],
        response: [],
      };
      return (
        part !== other &&
        part !== 'surface' &&
        !(below[part] ?? ['operation', 'app', 'pages', 'request', 'response']).includes(other)
      );
    });
    expect(
      wrong.map(
        ({ from, to }) => `${from} imports ${to}: move what both need into src/http/request or src/http/response`,
      ),
    ).toEqual([]);
  });

  it('of what an owner runs are of the client, lib and sites only: no command of an owner loads the database or its libraries', () => {
    const declarations = ['formhost', 'owner-commands', 'declare', 'output', 'write-file'];
    const isOwners = (file: string) =>
      file.startsWith('src/commands/owner/') || declarations.some((name) => file === `src/commands/${name}.ts`);
    const derived = 'src/commands/owner/operations.ts';
    const shared = ['src/commands/command-error.ts', 'src/commands/command-limits.ts', 'src/limits.ts', 'src/sizes.ts'];
    const wrong = IMPORTS.filter(({ from, to, isOurs, isType, isOnDemand }) => {
      // Loaded when a command of operators is called, or settings are changed.
      const mayBeLoaded = ['src/commands/operator-commands.ts', 'src/settings/settings.ts'].includes(to);
      if (!isOurs || !isOwners(from) || from === derived || (isOnDemand && mayBeLoaded)) return false;
      if (isType && groupOf(to) === 'http') return false;
      return (
        !isOwners(to) &&
        !shared.includes(to) &&
        !['client', 'problems', 'sites', 'webhooks', 'lib'].includes(groupOf(to))
      );
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}: ask the API, through src/client`)).toEqual([]);
    const libraries = ['zod', 'knex', 'pg', 'express', 'pino'];
    const values = 'src/commands/owner/field-values.ts';
    const loads = importing(
      libraries,
      ({ from }) => !isOwners(from) || from === values,
      'commands of owners start at once',
    );
    expect(loads.filter((line) => line.startsWith('src/commands/'))).toEqual([]);
    const loading = IMPORTS.filter(({ to, isType }) => [derived, values].includes(to) && !isType);
    expect(loading.map(({ from, to, isOnDemand }) => `${from} -> ${to}${isOnDemand ? ' on demand' : ''}`)).toEqual([
      `src/commands/owner-commands.ts -> ${derived} on demand`,
      `${derived} -> ${values}`,
    ]);
  });

  it('of src/http are in src/commands/owner/operations.ts only, as far as commands are concerned', () => {
    const wrong = IMPORTS.filter(
      ({ from, to, isType }) => groupOf(from) === 'commands' && groupOf(to) === 'http' && !isType,
    );
    expect([...new Set(wrong.map(({ from }) => from))]).toEqual(['src/commands/owner/operations.ts']);
  });

  it('of parse5 are in src/forms/html-tree.ts and the editor only, and load with the check and the editor', () => {
    const checks = 'src/compute/check/';
    const editor = 'src/dashboard/editor/source/';
    const tree = ['src/forms/html-tree.ts', 'src/forms/page-texts.ts'];
    const isThere = ({ from }: Import) => tree.includes(from) || from.startsWith(editor);
    expect(importing(['parse5'], isThere, 'only src/forms/html-tree.ts and the editor read HTML')).toEqual([]);
    const isInside = (file: string) => [checks, editor].some((folder) => file.startsWith(folder));
    const reading = IMPORTS.filter(
      ({ from, to, isType }) => tree.includes(to) && !tree.includes(from) && !isInside(from) && !isType,
    );
    expect(reading.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    const loading = IMPORTS.filter(
      ({ from, to, isType }) =>
        to.startsWith(checks) && !from.startsWith(checks) && to !== `${checks}answer.ts` && !isType,
    );
    expect(loading.map(({ from, to }) => `${from} -> ${to}`)).toEqual([
      'src/compute/worker.ts -> src/compute/check/check-page.ts',
      'src/compute/worker.ts -> src/compute/check/script-problems.ts',
    ]);
  });

  it('of the MCP SDK are in src/http/mcp/protocol.ts only, which is loaded with the first message', () => {
    const protocol = 'src/http/mcp/protocol.ts';
    const isThere = ({ from }: Import) => from === protocol;
    expect(importing(['@modelcontextprotocol/sdk'], isThere, `only ${protocol} speaks the protocol`)).toEqual([]);
    const loading = IMPORTS.filter(({ to, isType }) => to === protocol && !isType);
    expect(loading.map(({ from }) => `${from} ${/ import\(/.test(codeOf(from)) ? 'on demand' : 'at once'}`)).toEqual([
      'src/http/mcp/mcp.ts on demand',
    ]);
  });

  const passesOn = inGroups('commands', 'service', 'start', 'http', 'submissions', 'delivery', 'files');
  it.each<[string[], (found: Import) => boolean, string]>([
    [['express'], inGroups('http'), 'only src/http knows Express'],
    // A connection is passed on by its type.
    [
      ['knex', 'pg'],
      (found) => inGroups('db', 'migrations')(found) || (found.isType && passesOn(found)),
      'name a function in src/db, and import that',
    ],
    // An import would also load its own fetch.
    [['node:http'], ({ isType }) => isType, "take it from process.getBuiltinModule('node:http')"],
    [
      ['node:http', 'express'],
      (found) => !inGroups('submissions', 'db')(found),
      'pass on what it needs of a request: src/http/submit reads requests',
    ],
    [['nodemailer'], inGroups('delivery'), 'only src/delivery sends mail'],
    [['aws4fetch'], inGroups('files'), 'only src/files sends requests to a bucket'],
  ])('of %j are in their place only', (packages, isAllowed, advice) => {
    expect(importing(packages, isAllowed, advice)).toEqual([]);
  });
});

describe('files', () => {
  it('have each name once, so that a name leads to one file', () => {
    const names = SOURCES.map((file) => posix.basename(file).replace(/\.tsx?$/, ''));
    const twice = names.filter((name, at) => names.indexOf(name) !== at);
    // The service and the dashboard each have one.
    expect(twice, 'add what the file does in its folder: CONTRIBUTING.md has the endings').toEqual(['main']);
  });

  it('are at most 20 in src/lib: what has a subject of the service is in the room of the subject', () => {
    expect(SOURCES.filter((file) => groupOf(file) === 'lib').length).toBeLessThanOrEqual(20);
  });
});

describe('names of statements', () => {
  it('stand for one SQL text each: a connection refuses another text under a name', () => {
    const named = SOURCES.filter((file) => file.startsWith('src/db/')).flatMap((file) =>
      Array.from(
        codeOf(file).matchAll(/\b(?:query|execute)(?:<[^;]*?>)?\(\s*\w+,\s*'([a-z0-9-]+)',\s*(`[^`]*`|'[^']*'|\w+)/g),
        ([, name = '', sql = '']) => ({
          name,
          sql: /^\w+$/.test(sql) ? `${file} ${sql}` : sql.replaceAll(/\s+/g, ' '),
        }),
      ),
    );
    expect(named.length).toBeGreaterThan(100);
    const twice = Array.from(Map.groupBy(named, ({ name }) => name).values())
      .filter((same) => new Set(same.map(({ sql }) => sql)).size > 1)
      .map(([first]) => first?.name);
    expect(twice).toEqual([]);
  });
});

describe('the code', () => {
  it('has SQL in src/db and migrations only', () => {
    const others = SOURCES.filter((file) => !['db', 'migrations'].includes(groupOf(file)));
    const sql =
      /\b(?:SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|(?:CREATE|ALTER|DROP) TABLE|LISTEN|NOTIFY)\b|\.raw\(/;
    const builder = /\b(?:db|knex|transaction|trx)(?:<[^>()]*>)?\(\s*['"`]/;
    const advice = 'queries are named functions in src/db, which take the connection first';
    expect([...holding(others, sql, advice), ...holding(others, builder, advice)]).toEqual([]);
  });

  it('reads the environment in entry points only', () => {
    const others = SOURCES.filter((file) => !isEntryPoint(file));
    const advice = 'add a setting to src/config.ts, and take it as an argument';
    expect(holding(others, /\bprocess\s*\.\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/, advice)).toEqual([]);
    expect(holding(SOURCES, /\bNODE_ENV\b/, 'the code that runs is the code that is tested')).toEqual([]);
  });

  it('ends the process in src/main.ts only', () => {
    const others = SOURCES.filter((file) => file !== 'src/main.ts');
    expect(holding(others, /\bprocess\.(?:exit|abort)\(/, 'throw, and let src/main.ts decide')).toEqual([]);
  });
});
