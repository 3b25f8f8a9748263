import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/lib/project.ts';
import { PROJECT } from '../support/process.ts';

const changelog = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8');
const notesOf = (version: string): string =>
  execFileSync(join(PROJECT, '.ci/release-notes'), [version], { encoding: 'utf8', stdio: 'pipe' });

it('CHANGELOG.md has the form of Keep a Changelog, and this version first', () => {
  const headings = changelog.match(/^## .*$/gm)?.filter((heading) => heading !== '## [Unreleased]') ?? [];
  expect(headings.filter((heading) => !/^## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(heading))).toEqual([]);
  expect(headings[0]).toContain(`[${VERSION}]`);
  const kinds = changelog.match(/^### .*$/gm) ?? [];
  expect(kinds.filter((kind) => !/^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/.test(kind))).toEqual([]);
});

it('.ci/release-notes prints the section of a version alone, and fails for another', () => {
  const [, section = ''] = changelog.split(/^## \[(?!Unreleased).*\n/m);
  expect(notesOf(VERSION)).toBe(section);
  expect(() => notesOf('9.9.9')).toThrow('CHANGELOG.md has no section about 9.9.9');
});
