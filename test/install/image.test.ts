import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTING_NAMES } from '../../src/config.ts';
import { PROJECT } from '../support/process.ts';

/* Tests of the image and of the stack that need no engine. test/compose/run builds and runs them. */

const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name))].toSorted();

describe('the stack', () => {
  const services = async () => parse(await read('docker-compose.yml'), { merge: true }).services;
  const namesGivenTo = async (service: string) => Object.keys((await services())[service].environment).toSorted();

  it('sets nothing for the service but settings that it has', async () => {
    const names = await namesGivenTo('app');
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
    expect(namesIn(await read('deploy/Caddyfile'), /\{\$([A-Z_]+)\}/g)).toEqual(await namesGivenTo('caddy'));
  });

  it('starts the service when its database accepts connections', async () => {
    const { app, db } = await services();
    expect([app.depends_on, db.healthcheck.test[0], db.healthcheck.test[1]]).toEqual([
      { db: { condition: 'service_healthy' } },
      'CMD',
      'pg_isready',
    ]);
  });

  it('runs everything but the mail catcher without rights that it does not need', async () => {
    const { mailpit, ...others } = await services();
    for (const [name, service] of Object.entries<object>(others)) {
      expect([name, service]).toMatchObject([
        name,
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], restart: 'unless-stopped' },
      ]);
    }
  });

  it('backs up once, on request, with the settings of the service, into a volume that the image gives to its user', async () => {
    const { app, backup } = await services();
    expect(backup).toMatchObject({ environment: app.environment, deploy: { replicas: 1 }, profiles: ['backup'] });
    expect(backup.volumes).toEqual(['./deploy/backup:/app/deploy/backup:ro', 'backups:/backups']);
    expect(backup.command.at(-1)).toContain('deploy/backup /backups ');
    expect(await read('Dockerfile')).toContain('RUN install -d -o node -g node -m 700 /backups\n');
  });

  it('names an exact version of each image', async () => {
    const images = Object.values<{ image?: string }>(await services()).flatMap(({ image }) => image ?? []);
    const bases = Array.from((await read('Dockerfile')).matchAll(/^FROM (\S+)/gm), ([, base = '']) => base);
    expect(new Set(bases).size).toBe(1);
    expect(images).toHaveLength(3);
    expect([...images, ...bases].filter((image) => !/:v?\d+\.\d+(\.\d+)?(-|$)/.test(image))).toEqual([]);
  });
});

it('has the labels of package.json, and its version as an argument', async () => {
  const { name, description, license } = JSON.parse(await read('package.json'));
  const labels = (await read('Dockerfile')).matchAll(/org\.opencontainers\.image\.(\w+)=("[^"]*"|\S+)/g);
  expect(
    Object.fromEntries(Array.from(labels, ([, key = '', value = '']) => [key, value.replaceAll('"', '')])),
  ).toEqual({
    ...{ title: name, description, licenses: license, version: '$VERSION' },
  });
});

it('is given by .dockerignore what the image copies, and nothing else', async () => {
  const [, build = ''] = (await read('Dockerfile')).split(/^FROM .*$/m);
  const copied = Array.from(build.matchAll(/^COPY (.*) \S+$/gm), ([, sources = '']) => sources.split(' ')).flat();
  const lines = (await read('.dockerignore')).trim().split('\n');
  expect([lines[0], ...lines.slice(1).toSorted()]).toEqual(['*', ...copied.map((name) => `!${name}`).toSorted()]);
});
