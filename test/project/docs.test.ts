import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/compute/check/answer.ts';
import { loadConfig } from '../../src/config.ts';
import en from '../../src/dashboard/texts/en.ts';
import { SPAM_REASONS } from '../../src/db/spam/spam-queries.ts';
import { tour } from '../../src/first-run-message.ts';
import { codesOf } from '../../src/http/api/service/error-page-endpoints.ts';
import { LANGUAGES } from '../../src/lib/languages.ts';
import { VALUE_CODES } from '../../src/problems/value-errors.ts';
import { RESERVED } from '../../src/sites/slugs.ts';
import { endpointsOf, lookUp, referenceOf } from '../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN } from '../support/test-service.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const isThere = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url));

const pagesIn = (folder: string): string[] =>
  readdirSync(new URL(`../../${folder}`, import.meta.url)).filter((name) => name.endsWith('.md'));
const DOCS = pagesIn('docs');
const SERVICES = pagesIn('docs/migrating');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  ...DOCS.map((name) => `docs/${name}`),
  ...SERVICES.map((name) => `docs/migrating/${name}`),
];

/** A page without its blocks of code. */
const proseOf = (page: string): string => read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): string[] =>
  Array.from(proseOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );

describe('README.md', () => {
  const lines = read('README.md').split('\n');

  // It deploys a file, and the message a page that is in the command.
  const [deploy = '', ...others] = tour('http://localhost:3000', '$API_KEY').split('\n');
  it.each([deploy.replace(/ -d '.*?'(?= |$)/, ' --data-binary @page.html'), ...others])(
    'has what the first start prints: %s',
    (line) => {
      expect(lines).toContain(line);
    },
  );

  it('leads to every page of docs', () => {
    expect(DOCS.filter((name) => !read('README.md').includes(`(docs/${name})`))).toEqual([]);
  });
});

it('docs/migrating.md leads to the page of each service', () => {
  expect(SERVICES.filter((name) => !read('docs/migrating.md').includes(`(migrating/${name})`))).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
  const prose = proseOf(page);

  it('has links that lead somewhere', () => {
    const links = Array.from(prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link = '']) => link);
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      if (!isThere(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names files that are there', () => {
    const paths = Array.from(
      read(page).matchAll(/(?<![\w./-])(?:src|test|docs|migrations|bench|deploy)\/[\w./-]*\w\/?/g),
      ([path]) => path,
    );
    // CONTRIBUTING.md has examples, which add notes and their files.
    expect(paths.filter((path) => !isThere(path) && !/\bnotes?\b/.test(path))).toEqual([]);
  });
});

it.each([
  ...SPAM_REASONS.map((reason) => ['docs/spam.md', `| \`${reason}\` |`]),
  ...LANGUAGES.map((language) => ['docs/forms.md', ` (\`${language}\``]),
  ...CODES.map((code) => ['docs/check.md', `| \`${code}\` | `]),
  ['docs/getting-started.md', `These are reserved: ${RESERVED.join(', ')}, and`],
])('%s lists what the code has: %s', (page, entry) => {
  expect(read(page).replaceAll(/\s+/g, ' ')).toContain(entry);
});

describe('docs/api.md', () => {
  it('lists the errors of the reference, and of routes that are not there', () => {
    const reference = referenceOf(loadConfig({ BASE_URL, PAGES_DOMAIN }));
    const documented = Object.entries(reference.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) =>
        Object.keys(lookUp(reference, 'paths', path, method, 'responses').value ?? {}),
      ),
    );
    const [, order = ''] = /^Checks run in this order:([\s\S]*?)\n(?=[^|\n])/m.exec(read('docs/api.md')) ?? [];
    const rows = order.matchAll(/^\| (\d{3}(?:, \d{3})*) \|/gm);
    const listed = Array.from(rows, ([, cell = '']) => cell.split(', ')).flat();
    const errors = [...documented.filter((status) => status >= '400'), '405', '417', '451'];
    expect([...new Set(listed)].toSorted()).toEqual([...new Set(errors)].toSorted());
  });

  /** The cells of the table that follows a line, row by row. */
  const tableAfter = (head: string, columns = 2): string[][] => {
    const [, rows = ''] = read('docs/api.md').split(`${head}\n|${'---|'.repeat(columns)}\n`);
    const [table = ''] = rows.split('\n\n');
    return table.split('\n').map((row) => row.split('|').flatMap((cell) => cell.trim() || []));
  };

  it('lists the codes of errors', () => {
    const listed = tableAfter('| Status | Codes |').flatMap(([status, codes = '']) =>
      codes.split(', ').map((code) => `${status} ${code.replaceAll('`', '')}`),
    );
    const codes = codesOf(endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN })));
    expect(listed.toSorted()).toEqual(codes.map(({ status, code }) => `${status} ${code}`).toSorted());
  });

  it('lists the limits of rates', () => {
    const files = readdirSync(new URL('../../src/http', import.meta.url), { recursive: true, encoding: 'utf8' });
    const names = files.flatMap((file) => {
      const limits = (file.endsWith('.ts') ? read(`src/http/${file}`) : '').matchAll(
        /new RateLimit\(\{\s*name: '([a-z-]+)'/g,
      );
      return Array.from(limits, ([, name]) => name);
    });
    expect(names.length).toBeGreaterThan(15);
    const listed = tableAfter('| Limit | Counts | Allows |', 3).flatMap(([limits = '']) =>
      limits.replaceAll('`', '').split(', '),
    );
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  it('says how values can be wrong', () => {
    const codes = Object.entries(VALUE_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
    expect(tableAfter('| Code of a value | Meaning |')).toEqual(codes);
  });
});

it('docs/operations.md lists the checks of the doctor', () => {
  const [, rows = ''] = read('docs/operations.md').split('| Check | Fails when |\n|---|---|\n');
  const [table = ''] = rows.split('\n\n');
  const listed = table.split('\n').flatMap((row) => row.split('|')[1]?.replaceAll(/[` ]/g, '').split(',') ?? []);
  expect(listed.toSorted()).toEqual(Object.keys(en.admin.health.names).toSorted());
});

describe('docs/dependencies.md', () => {
  it('names each dependency once, and no other', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const rows = read('docs/dependencies.md').matchAll(/^\| ([^|]+) \|/gm);
    const documented = Array.from(rows, ([, cell = '']) => cell.trim().split(', '))
      .flat()
      .filter((name) => !['Package', '---'].includes(name));
    const matches = (name: string, pattern: string) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    expect(documented.filter((name, index) => documented.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => !documented.some((pattern) => matches(name, pattern)))).toEqual([]);
    expect(documented.filter((pattern) => !names.some((name) => matches(name, pattern)))).toEqual([]);
  });
});
