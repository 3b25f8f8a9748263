import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tour } from '../src/tour.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('README.md', () => {
  it.each(tour('http://localhost:3000', 'API_KEY').split('\n'))('shows what the first start prints: %s', (line) => {
    expect(read('README.md').split('\n')).toContain(line);
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
