import { it, onTestFinished } from 'vitest';
import { survive } from '../support/crashes.ts';
import { runSql } from '../support/database.ts';
import { startPostgresServer } from '../support/postgres-server.ts';

const DEPLOYMENTS = 80;
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

it('loses no submission and no delivery, and sends none twice but those under way, whatever is killed', async () => {
  const postgres = await startPostgresServer();
  onTestFinished(postgres.close);
  await survive('durability', postgres.url, DEPLOYMENTS, ({ killEither, killBoth, noteLeased }) => {
    const cutConnections = () => runSql(postgres.url, CUT);
    const killPostgres = async (): Promise<void> => {
      await postgres.kill();
      await postgres.start();
      await noteLeased();
    };
    return [killEither, cutConnections, killPostgres, killBoth, killEither];
  });
});
