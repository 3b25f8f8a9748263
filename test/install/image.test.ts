import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../src/config.ts';
import { PROJECT } from '../support/process.ts';

/* Tests of the image and of the stack that need no engine. test/compose/run builds and runs them. */

const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name))].toSorted();

describe('the stack', () => {
  /** The lines of a service of docker-compose.yml under `environment`. */
  const environmentOf = (compose: string, service: string): string =>
    new RegExp(`^  ${service}:\\n(?: {4}.*\\n)*? {4}environment:\\n((?: {6}.*\\n)+)`, 'm').exec(compose)?.[1] ?? '';
  const KEY = /^ {6}([A-Z_]+):/gm;

  it('sets nothing for the service but settings that it has', async () => {
    const names = namesIn(environmentOf(await read('docker-compose.yml'), 'app'), KEY);
    expect(names).toEqual(['BASE_URL', 'DATABASE_URL', 'HOST', 'PAGES_DOMAIN', 'PORT', 'TRUST_PROXY']);
    expect(names.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
  });

  it('reads from .env what .env.example has, and has the rest there', async () => {
    const used = namesIn(await read('docker-compose.yml'), /\$\{([A-Z_]+)/g);
    const offered = namesIn(await read('.env.example'), /^#?([A-Z][A-Z0-9_]*)=/gm);
    expect(used.filter((name) => !offered.includes(name))).toEqual([]);
    expect(offered.filter((name) => !SETTING_NAMES.includes(name))).toEqual(
      used.filter((name) => !SETTING_NAMES.includes(name)),
    );
  });

  it('has the defaults of .env.example', async () => {
    const defaults = Array.from((await read('docker-compose.yml')).matchAll(/\$\{([A-Z_]+):-([^}]+)\}/g));
    const lines = (await read('.env.example')).split('\n');
    const meaningful = defaults.filter(([, , value = '']) => /\w/.test(value));
    expect(meaningful.length).toBeGreaterThan(4);
    for (const [, name, value] of meaningful) expect(lines).toContain(`#${name}=${value}`);
  });

  it('gives deploy/Caddyfile each value that it reads, and no other', async () => {
    const given = namesIn(environmentOf(await read('docker-compose.yml'), 'caddy'), KEY);
    expect(namesIn(await read('deploy/Caddyfile'), /\{\$([A-Z_]+)\}/g)).toEqual(given);
  });
});

it('is given by .dockerignore what the image copies, and nothing else', async () => {
  const [, build = ''] = (await read('Dockerfile')).split(/^FROM .*$/m);
  const copied = Array.from(build.matchAll(/^COPY (.*) \S+$/gm), ([, sources = '']) => sources.split(' ')).flat();
  const lines = (await read('.dockerignore')).trim().split('\n');
  expect([lines[0], ...lines.slice(1).toSorted()]).toEqual(['*', ...copied.map((name) => `!${name}`).toSorted()]);
});
