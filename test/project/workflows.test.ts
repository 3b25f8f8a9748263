import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = new URL('../../.github/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');

describe.each(readdirSync(new URL('workflows', FOLDER)))('.github/workflows/%s', (file) => {
  const text = read(`workflows/${file}`);

  it('may only read, except where a job says otherwise, and ends', () => {
    const { permissions, jobs } = parse(text);
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values<Record<string, unknown>>(jobs)) {
      expect('uses' in job || 'timeout-minutes' in job).toBe(true);
    }
  });

  it('names the commit of each action, with its version', () => {
    const actions = Array.from(text.matchAll(/\buses: (.*)/g), ([, action = '']) => action);
    expect(
      actions.filter((action) => !/^(\.\/\S+|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(action)),
    ).toEqual([]);
  });
});

it.each(readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yml')))(
  '.github/%s is YAML',
  (path) => {
    expect(() => parse(read(path))).not.toThrow();
  },
);
