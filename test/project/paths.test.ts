import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';

/* docs/architecture.md says which files a submission passes, in order. */

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const [, section = ''] = read('docs/architecture.md').split('## The path of a submission');
const [, diagram = ''] = section.split('```');
const files = Array.from(diagram.matchAll(/│ {2}(src\/\S+)/g), ([, file = '']) => file);

const importsOf = (file: string): string[] =>
  Array.from(read(file).matchAll(/ from '(\.[^']+)';$/gm), ([, to = '']) => posix.join(posix.dirname(file), to));

it('a submission passes at most eight files, each once', () => {
  expect(files.length).toBeLessThanOrEqual(8);
  expect(new Set(files).size).toBe(files.length);
  expect([files[0], files.includes('src/db/submissions/store-submissions.ts')]).toEqual(['src/http/server.ts', true]);
});

it('each of these files is named by one before it', () => {
  // service.ts gives the listener to the server.
  const [, , ...others] = files;
  const unnamed = others.filter((file) => {
    const before = files.slice(0, files.indexOf(file));
    return !before.some((each) => importsOf(each).includes(file));
  });
  expect(unnamed).toEqual([]);
});
