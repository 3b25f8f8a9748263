import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { openClient } from '../../src/db/postgres/servers.ts';
import { checkDatabaseUrl, parseDatabaseUrl } from '../../src/environment/database-url.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { openDatabase } from '../support/fresh-database.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { startAdmin, startServiceProcess } from '../support/process.ts';
import { backedUp } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testLimits } from '../support/test-limits.ts';

const folder = await emptyFolder();

describe.runIf(hasOpenssl())('TLS to Postgres', () => {
  let files: Awaited<ReturnType<typeof makeCertificates>>;
  /** Accepts connections with TLS only, and as `clerk` only with a certificate. */
  let strict: PostgresServer;
  let plain: PostgresServer;
  beforeAll(async () => {
    files = await makeCertificates(folder, 'clerk');
    strict = await startPostgresServer(async (data) => {
      const settings = await files.installIn(data);
      // The test looks by the address 127.0.0.1 whether the server has started.
      const rules = `hostssl all clerk all cert
host all postgres 127.0.0.1/32 trust
hostnossl all all ::1/128 reject
hostssl all postgres all trust
`;
      await writeFile(join(data, 'pg_hba.conf'), rules);
      return [...settings, 'listen_addresses=127.0.0.1,::1'];
    });
    plain = await startPostgresServer();
    const made = connect({ connectionString: strict.url }, { limits: testLimits() });
    await made.raw('CREATE ROLE clerk LOGIN SUPERUSER');
    await made.close();
  });
  afterAll(async () => {
    await strict.close();
    await plain.close();
  });

  /** Returns whether a connection has TLS, or the code or message of the error. */
  async function tried(url: string): Promise<boolean | string> {
    const db = connect({ connectionString: url }, { limits: testLimits() });
    try {
      const { rows } = await db.raw<{ rows: { ssl: boolean }[] }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return rows[0]?.ssl ?? 'no row';
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return 'code' in error ? String(error.code) : error.message;
    } finally {
      await db.close();
    }
  }

  const at = (host: string, parameters: Record<string, string>, user = 'postgres'): string =>
    `postgres://${user}@${host}:${strict.port}/postgres?${new URLSearchParams(parameters)}`;

  const UNTRUSTED = 'SELF_SIGNED_CERT_IN_CHAIN';
  const NOT_FOR_IT = 'ERR_TLS_CERT_ALTNAME_INVALID';
  it.each([
    ['127.0.0.1', {}, false],
    ['127.0.0.1', { sslmode: 'prefer' }, true],
    ['127.0.0.1', { sslmode: 'require' }, true],
    ['127.0.0.1', { sslmode: 'require', sslrootcert: 'authority' }, true],
    ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert: 'authority' }, true],
    ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert: 'stranger' }, UNTRUSTED],
    ['127.0.0.1', { sslmode: 'verify-full', sslrootcert: 'authority' }, NOT_FOR_IT],
    ['localhost', { sslmode: 'verify-full', sslrootcert: 'authority' }, true],
    ['localhost', { sslmode: 'verify-full' }, UNTRUSTED],
    ['127.0.0.1', { sslrootcert: 'authority' }, NOT_FOR_IT],
  ])('to %s with %j: %s', async (host, parameters, expected) => {
    const named = { authority: files.authority, stranger: files.stranger };
    const root =
      'sslrootcert' in parameters
        ? { sslrootcert: named[parameters.sslrootcert === 'authority' ? 'authority' : 'stranger'] }
        : {};
    expect(await tried(at(host, { ...parameters, ...root }))).toBe(expected);
  });

  it('is used with a certificate of the client, and refused without it', async () => {
    const base = { sslmode: 'verify-full', sslrootcert: files.authority };
    const { cert: sslcert, key: sslkey } = files.client;
    expect(await tried(at('localhost', { ...base, sslcert, sslkey }, 'clerk'))).toBe(true);
    expect(await tried(at('localhost', base, 'clerk'))).toBe('28000');
  });

  it('is preferred, not needed, with sslmode=prefer, and needed with require', async () => {
    expect(await tried(`${plain.url}?sslmode=prefer`)).toBe(false);
    expect(await tried(`${plain.url}?sslmode=require`)).toBe('The server does not support SSL connections');
    const client = await openClient({ connectionString: `${plain.url}?sslmode=prefer` }, {});
    await client.end();
  });

  it('carries the service, the doctor and a backup, without warnings', async () => {
    const DATABASE_URL = at(
      'localhost',
      {
        sslmode: 'verify-full',
        sslrootcert: files.authority,
        sslcert: files.client.cert,
        sslkey: files.client.key,
      },
      'clerk',
    );
    const service = await startServiceProcess({ DATABASE_URL, LOG_LEVEL: 'silent' });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await vi.waitFor(() => request(service.url).get('/readyz').expect(200), { timeout: 240_000, interval: 100 });
    const settings = { DATABASE_URL, BASE_URL: service.url };
    const doctor = await startAdmin(['doctor', '--json'], settings).result;
    const { checks }: { checks: { check: string; status: string }[] } = JSON.parse(doctor.stdout);
    expect(checks.find(({ check }) => check === 'database')).toMatchObject({ status: 'ok' });
    expect(doctor.stderr).toBe('');
    expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' });

    const file = join(folder, 'backup');
    expect(await startAdmin(['backup', file], settings).result).toEqual(backedUp);
    expect(existsSync(file)).toBe(true);
  });

  it('reads a renewed certificate for the next connection', async () => {
    const sslrootcert = join(folder, 'renewed.crt');
    await writeFile(sslrootcert, await readFile(files.stranger));
    const url = at('127.0.0.1', { sslmode: 'verify-ca', sslrootcert });
    const db = openDatabase(url);
    await expect(db.raw('SELECT 1')).rejects.toMatchObject({ code: UNTRUSTED });
    await writeFile(sslrootcert, await readFile(files.authority));
    await db.raw('SELECT 1');
  });

  it('is refused at the start where a file is missing', () => {
    const nowhere = join(folder, 'nowhere');
    const parameters = new URLSearchParams({ sslmode: 'require', sslrootcert: nowhere });
    expect(() => loadConfig({ DATABASE_URL: `postgres://u:secret@h/db?${parameters}` })).toThrow(
      new ConfigError(
        `DATABASE_URL names a file that cannot be read: ENOENT: no such file or directory, open '${nowhere}'`,
      ),
    );
  });
});

describe('DATABASE_URL', () => {
  it.each([
    ['postgres://h/db?sslmode=allow', 'has sslmode=allow: it must be one of disable, prefer, '],
    ['postgres://h/db?target_session_attrs=standby', 'has target_session_attrs=standby: it must be one of any, '],
    ['postgres://h1,,h2/db', 'must be a URL such as'],
    ['postgres://h1:x,h2/db', 'must be a URL such as'],
    ['mysql://h/db', 'must be a URL such as'],
  ])('%s is refused', (text, message) => {
    expect(() => checkDatabaseUrl(text)).toThrow(message);
  });

  it('has several hosts, each with all the rest', () => {
    expect(
      parseDatabaseUrl(
        'postgres://u:p%40@h1:5433,h2,[::1]:6/db?target_session_attrs=read-write&application_name=x&options=-c%20a%3Db',
      ),
    ).toEqual({
      hosts: 'h1:5433,h2,[::1]:6',
      path: '/db',
      urls: ['h1:5433', 'h2', '[::1]:6'].map((host) => `postgres://u:p%40@${host}/db?application_name=x`),
      target: 'read-write',
      options: '-c a=b',
    });
  });
});
