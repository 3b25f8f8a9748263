import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { tour } from '../src/tour.ts';
import { lookUp, referenceOf } from './support/reference.ts';
import { BASE_URL, PAGES_DOMAIN } from './support/service.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('README.md', () => {
  it.each(tour('http://localhost:3000', 'API_KEY').split('\n'))('shows what the first start prints: %s', (line) => {
    expect(read('README.md').split('\n')).toContain(line);
  });
});

describe('docs/api.md', () => {
  const reference = referenceOf(loadConfig({ BASE_URL, PAGES_DOMAIN }));
  const page = read('docs/api.md');
  // A section goes up to the next operation, or the next chapter.
  const sections = page
    .split(/^(?=## |### [A-Z]+ \/)/m)
    .map((section) => ({ title: /^#+ (.*)/.exec(section)?.[1] ?? '', section }));
  const operations = Object.entries(reference.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      title: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      way: ['paths', path, method],
    })),
  );
  const memberOf = (value: unknown, name: string): unknown =>
    value instanceof Object ? Reflect.get(value, name) : undefined;

  /** The names of all fields that a schema has, at any depth. */
  function fieldsOf(schema: unknown): string[] {
    const target = memberOf(schema, '$ref');
    if (typeof target === 'string') return fieldsOf(lookUp(reference, ...target.slice(2).split('/')).value);
    const properties = Object.entries(memberOf(schema, 'properties') ?? {});
    return [
      ...properties.flatMap(([name, value]) => [name, ...fieldsOf(value)]),
      ...(memberOf(schema, 'items') ? fieldsOf(memberOf(schema, 'items')) : []),
    ];
  }
  const schemasOf = (...way: string[]): unknown[] =>
    Object.values(lookUp(reference, ...way, 'content').value ?? {}).map((content) => memberOf(content, 'schema'));
  const statusesOf = (way: string[]): string[] => Object.keys(lookUp(reference, ...way, 'responses').value ?? {});
  const isError = (status: string): boolean => status >= '400';

  it('has a section for each operation of the reference, and no other', () => {
    const titles = sections.map(({ title }) => title).filter((title) => /^[A-Z]+ \//.test(title));
    expect(titles.toSorted()).toEqual(operations.map(({ title }) => title).toSorted());
  });

  it.each(operations)('names the fields and the successes of $title, and no others', ({ title, way }) => {
    const section = sections.find((each) => each.title === title)?.section ?? '';
    const successes = statusesOf(way).filter((status) => !isError(status));
    const parameters: unknown[] = Object.values(lookUp(reference, ...way, 'parameters').value ?? {});
    const documented = new Set([
      ...parameters.filter((each) => memberOf(each, 'in') === 'query').map((each) => String(memberOf(each, 'name'))),
      ...schemasOf(...way, 'requestBody').flatMap(fieldsOf),
      ...successes.flatMap((status) => schemasOf(...way, 'responses', status).flatMap(fieldsOf)),
    ]);
    const cells = Array.from(section.matchAll(/^\| ([\w, ]+) \|/gm), ([, cell = '']) => cell.split(', '));
    const rows = cells.flat().filter((cell) => cell !== 'Field');
    const literals = Array.from(section.matchAll(/`(\{.*?\})`/gs), ([, literal = '']) =>
      literal.matchAll(/[{,]"(\w+)"/g),
    );
    const members = literals.flatMap((names) => Array.from(names, ([, name = '']) => name));
    const quoted = Array.from(section.matchAll(/`(\w+)`/g), ([, name = '']) => name);
    const named = new Set([...rows, ...members, ...quoted]);
    expect([...documented].filter((name) => !named.has(name))).toEqual([]);
    expect([...rows, ...members].filter((name) => !documented.has(name))).toEqual([]);
    const statuses = Array.from(section.matchAll(/\b(?:20|30)\d\b/g), ([status]) => status);
    expect(new Set(statuses)).toEqual(new Set(successes));
  });

  it('lists the errors of the reference, and of routes that are not there', () => {
    const rows = page.matchAll(/^\| (\d{3}(?:, \d{3})*) \|/gm);
    const listed = Array.from(rows, ([, cell = '']) => cell.split(', ')).flat();
    const documented = operations.flatMap(({ way }) => statusesOf(way).filter(isError));
    expect([...new Set(listed)].toSorted()).toEqual([...new Set([...documented, '405', '417', '451'])].toSorted());
  });
});

describe('docs/dependencies.md', () => {
  it('names each dependency, and no other', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const rows = read('docs/dependencies.md').matchAll(/^\| ([^|]+) \|/gm);
    const documented = [...rows].flatMap(([, cell = '']) => cell.trim().split(', '));
    const matches = (name: string, pattern: string) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    expect(names.filter((name) => !documented.some((pattern) => matches(name, pattern)))).toEqual([]);
    expect(
      documented.filter(
        (pattern) => !['Package', '---'].includes(pattern) && !names.some((name) => matches(name, pattern)),
      ),
    ).toEqual([]);
  });
});
