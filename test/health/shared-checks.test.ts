import { expect, it, vi } from 'vitest';
import { SharedChecks } from '../../src/health/shared-checks.ts';
import { atEnd } from '../support/at-end.ts';
import { startLocalService } from '../support/test-service.ts';

const service = await startLocalService();
atEnd(service.close);
const checksOf = (db = service.db) =>
  new SharedChecks(service.config, { connection: { connectionString: service.databaseUrl }, db });

it('gives those who ask at once the findings of one run, and then those of another', async () => {
  const checks = checksOf();
  const first = checks.findings();
  expect(checks.findings()).toBe(first);
  expect((await first).map(({ check }) => check)).toEqual([
    ...[
      'settings',
      'domains',
      'proxy',
      'database',
      'disk',
      'backup',
      'custom-domains',
      'mail',
      'files',
      'api',
      'pages',
    ],
  ]);
  await vi.waitFor(() => expect(checks.findings()).not.toBe(first), { timeout: 60_000 });
  await checks.findings();
});
