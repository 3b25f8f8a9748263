import { Resolver } from 'node:dns/promises';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../src/db/postgres/connect.ts';
import { resolveName } from '../../src/delivery/webhooks/resolve.ts';
import type { Finding } from '../../src/health/finding.ts';
import { startNameServer } from './dns-server.ts';
import { testLimits } from './test-limits.ts';

/** How to ask servers of this test: by a name server of its own, and no other. */
export async function here(signal = AbortSignal.timeout(60_000)) {
  const { address } = await startNameServer({ 'api.test': ['127.0.0.1'], '*.pages.test': ['127.0.0.1'] });
  const dns = new Resolver({ timeout: 500, tries: 1 });
  dns.setServers([address]);
  onTestFinished(() => dns.cancel());
  return { resolve: (name: string) => resolveName(name, dns, testLimits()), signal };
}

/** Status and what was seen; whether there is something to do about it follows from the status. */
export function summary(finding: Finding): [string, string] {
  const isBad = finding.status === 'warn' || finding.status === 'fail';
  expect('mend' in finding && finding.mend !== '').toBe(isBad);
  return [finding.status, finding.saw];
}

/** How many rows each table has that the doctor could leave something in. */
export async function rowsIn(db: Database): Promise<Record<string, number>> {
  const { rows } = await db.raw(
    `SELECT (SELECT count(*) FROM owners) AS owners, (SELECT count(*) FROM deployments) AS deployments,
            (SELECT count(*) FROM pages) AS pages, (SELECT count(*) FROM submissions) AS submissions,
            (SELECT count(*) FROM submission_files) AS files, (SELECT count(*) FROM deliveries) AS deliveries`,
  );
  return rows[0];
}
