import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import { startLocalService } from '../../support/test-service.ts';

const service = await startLocalService({ ADMIN_EMAILS: 'ops@operators.example' });
atEnd(service.close);
const operator = await service.owner({ email: 'ops@operators.example' });

/** The status and message of a check; where it is about the machine of the test, any. */
const checks = async () => {
  const { body } = await operator.get('/admin/health').expect(200);
  const found: { name: string; status: string; message: string }[] = body.checks;
  expect(Object.keys(body)).toEqual(['checks']);
  return Object.fromEntries(found.map(({ name, ...rest }) => [name, rest]));
};

it('GET /admin/health has what the doctor finds, with what to do about it', async () => {
  const { slug } = await operator.deploy();
  const { host } = new URL(service.origin);
  expect(await checks()).toEqual({
    settings: { status: 'ok', message: `the API at ${service.origin}, pages under ${host}` },
    domains: { status: 'skip', message: 'localhost is under no public suffix' },
    proxy: { status: 'skip', message: 'BASE_URL is local' },
    database: {
      status: 'ok',
      message: expect.stringMatching(/^Postgres \d+\.\d+, [\d.]+ \w+, all migrations have been run$/),
    },
    disk: { status: expect.stringMatching(/^(ok|warn)$/), message: expect.any(String) },
    backup: {
      status: 'skip',
      message: 'no backup was made by `formhost admin backup`: the database server may have its own',
    },
    'custom-domains': { status: 'ok', message: 'no custom domain is about to end' },
    mail: { status: 'skip', message: 'mail is off: SMTP_URL is not set' },
    files: { status: 'skip', message: 'FILES_URL is not set: files are in the database' },
    api: { status: 'ok', message: `${service.origin}/readyz answers as it should` },
    pages: { status: 'ok', message: `http://${slug}.${host}/ answers as it should` },
  });
  await service.db.raw("INSERT INTO last_backup (taken_at) VALUES (now() - interval '3 days')");
  expect((await checks()).backup).toEqual({
    status: 'warn',
    message:
      'the last backup is 72 hours old -> make one every night, as docs/operations.md says, and look at why the last one failed',
  });
});
