import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { PROJECT } from '../../support/process.ts';
import { lookUp, referenceOf } from '../../support/reference.ts';
import { declareWholeProgram } from '../../support/run-command.ts';

/*
 * Steps of the recipes in CONTRIBUTING.md that nothing else notices when they are forgotten.
 */

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

const { commands } = await declareWholeProgram();
const operators = commands.find((command) => command.name() === 'admin')?.commands ?? [];

describe('every command of an operator', () => {
  it.each(operators.map((command) => command.name()))('%s has a row in docs/operations.md', (command) => {
    expect(read('docs/operations.md')).toMatch(new RegExp(`^\\|.*\`admin ${command}\\b.*\\|$`, 'm'));
  });
});

describe('every command', () => {
  it.each(commands.map((command) => command.name()))('%s has a row in docs/command-line.md', (command) => {
    const [, table = ''] = /^## All commands$([\s\S]*)/m.exec(read('docs/command-line.md')) ?? [];
    expect(table).toMatch(new RegExp(`^\\|.*\`${command}\\b.*\\|`, 'm'));
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
    const code = [...files.filter((name) => /\.tsx?$/.test(name)), '.env.example'].map(read).join('\n');
    const names = Array.from(
      read('CONTRIBUTING.md').matchAll(/`(\w*[a-z][A-Z]\w*|[A-Z][a-z]+|[A-Z]+(?:_[A-Z]+)*)`/g),
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(20);
    // The examples add notes.
    expect(names.filter((name) => !/note/i.test(name) && !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});
