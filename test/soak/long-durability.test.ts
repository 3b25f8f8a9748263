import { it, onTestFinished } from 'vitest';
import { survive, type Trouble } from '../support/crashes.ts';
import { startPostgresServer } from '../support/postgres-server.ts';

const DEPLOYMENTS = 1_000;
const KILLS = 20;
const POSTGRES_KILLS = 3;

it('loses none of 9,000 submissions and no delivery while processes and Postgres are killed', async () => {
  const postgres = await startPostgresServer();
  onTestFinished(postgres.close);
  await survive('durability', postgres.url, DEPLOYMENTS, ({ killEither, noteLeased }) => {
    const killPostgres: Trouble = async () => {
      await postgres.kill();
      await postgres.start();
      await noteLeased();
    };
    const troubles = Array.from({ length: KILLS }, () => killEither);
    for (let count = 0; count < POSTGRES_KILLS; count += 1) {
      troubles.splice(Math.floor(Math.random() * troubles.length), 0, killPostgres);
    }
    return troubles;
  });
});
