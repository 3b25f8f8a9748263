import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { createServer, request as requestHttp } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeDown } from '../../src/db/deployments/take-down-queries.ts';
import { trust } from '../support/certificates.ts';
import { rowsIn } from '../support/doctor.ts';
import { freePort } from '../support/process.ts';
import { type Certificate, makeCertificate } from '../support/receivers.ts';
import { formhost } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testService } from '../support/test-service.ts';

/** A proxy that passes everything on, with the visitor's address after those in X-Forwarded-For, as most do. */
async function startProxy(certificate?: Certificate) {
  let target = '';
  const server = certificate ? createTlsServer(certificate) : createServer();
  server.on('request', (request, response) => {
    const forwarded = [request.headers['x-forwarded-for'] ?? [], request.socket.remoteAddress ?? ''].flat().join(', ');
    const headers = { ...request.headers, 'x-forwarded-for': forwarded };
    const onward = requestHttp(target + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return {
    port: address.port,
    leadTo(url: string) {
      target = url;
    },
  };
}

const folder = await emptyFolder();

describe('formhost admin doctor', () => {
  const doctor = (args: string[], settings: Record<string, string>) =>
    formhost(['admin', 'doctor', ...args], { settings });

  /** The statuses by check, and the rest of what a run came to. */
  async function examine(settings: Record<string, string>) {
    const { code, stdout, stderr } = await doctor(['--json'], settings);
    const { checks }: { checks: { check: string; status: string }[] } = JSON.parse(stdout);
    return { code, stderr, statuses: Object.fromEntries(checks.map(({ check, status }) => [check, status])), stdout };
  }

  it('finds a whole installation behind TLS well, once it has a page, and leaves no trace in it', async () => {
    const certificate = makeCertificate(['localhost', '*.pages.localhost'], { lasts: 1_000 });
    trust(certificate.cert);
    const proxy = await startProxy(certificate);
    const settings = {
      BASE_URL: `https://localhost:${proxy.port}`,
      PAGES_DOMAIN: `pages.localhost:${proxy.port}`,
      PAGES_SCHEME: 'https',
      TRUST_PROXY: '1',
    };
    const service = await testService(settings);
    proxy.leadTo(service.url);
    const there = { ...settings, DATABASE_URL: service.databaseUrl };
    const good = {
      ...{ settings: 'ok', domains: 'ok', database: 'ok', mail: 'skip', files: 'skip' },
      ...{ disk: expect.stringMatching(/^(ok|warn)$/), api: 'ok', pages: 'skip' },
    };
    expect(await examine(there)).toMatchObject({ code: 0, stderr: '', statuses: good });
    const owner = await service.owner();
    const { slug } = await owner.deploy();
    await takeDown(service.db, (await owner.deploy()).id, 'not shown');
    const before = await rowsIn(service.db);
    const { stdout, ...rest } = await examine(there);
    expect(rest).toMatchObject({ code: 0, stderr: '', statuses: { ...good, pages: 'ok' } });
    expect(stdout).toContain(`https://${slug}.${settings.PAGES_DOMAIN}/ answers as it should`);
    expect(await rowsIn(service.db)).toEqual(before);
  });

  it('makes no database where there is none, and says in lines what to do', async () => {
    const DATA_DIR = join(folder, 'none');
    const { code, stdout, stderr } = await doctor([], { DATA_DIR, PORT: String(await freePort()) });
    expect([code, stderr, existsSync(DATA_DIR)]).toEqual([1, '', false]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual(lines.map(() => expect.stringMatching(/^(ok {2}|skip|warn|fail) {2}[a-z-]+ +\S.*$/)));
    expect(lines.filter((line) => /^(warn|fail)/.test(line) && !line.includes(' -> '))).toEqual([]);
    const failed = lines.filter((line) => line.startsWith('fail'));
    expect(failed.map((line) => line.split(/ +/)[1])).toEqual(['database', 'api']);
    expect(failed[0]).toBe(
      `fail  database        there is no database of the service in ${DATA_DIR} (DATA_DIR, which the environment sets) -> set ` +
        'DATA_DIR or DATABASE_URL as the service has it, or run npm start first, which makes the database',
    );
  });

  it('tells of a database that it cannot look at, as of one that another user keeps closed', async () => {
    const DATA_DIR = await mkdtemp(join(folder, 'closed-'));
    await symlink('postgres', join(DATA_DIR, 'postgres'));
    const { code, statuses } = await examine({ DATA_DIR, PORT: String(await freePort()) });
    expect([code, statuses.database]).toEqual([1, 'fail']);
  });

  it('tells of a database that is out of reach, and no password', async () => {
    const { code, statuses, stdout } = await examine({
      DATABASE_URL: 'postgres://nobody:s3cret@127.0.0.1:1/nothing',
      SMTP_URL: 'smtp://forms:s3cret@127.0.0.1:1',
      PORT: String(await freePort()),
    });
    expect([code, statuses.database, statuses.mail]).toEqual([1, 'fail', 'fail']);
    expect(stdout).not.toContain('s3cret');
  });

  it('tells of a wrong setting as of any other failure', async () => {
    expect(await doctor([], { PORT: 'http' })).toEqual({
      code: 1,
      stdout:
        'fail  settings  PORT must be a whole number from 1 to 65535 -> change it in the environment or in .env\n',
      stderr: '',
    });
  });
});
