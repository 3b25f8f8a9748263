import { it, onTestFinished } from 'vitest';
import { survive } from '../support/crashes.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase } from '../support/fresh-database.ts';

const DEPLOYMENTS = 120;

it('loses no submission and no delivery, and sends none twice but those under way, whatever is killed', async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const cutConnections = () =>
    runSql(
      database.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  await survive('crash', database.url, DEPLOYMENTS, ({ killEither, killBoth }) => [
    ...[killEither, killEither, killBoth, killEither],
    ...[cutConnections, killEither, killEither, killEither],
  ]);
});
