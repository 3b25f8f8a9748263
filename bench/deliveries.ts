import { setTimeout as delay } from 'node:timers/promises';
import { alternate, compare, type Figures, run, wrk } from './measure.ts';
import { type Case, DEPLOYMENTS, freePort, reset, type Stage, sql } from './stage.ts';
import { submitScript } from './submit.ts';

const SECONDS = 4;

/** A webhook on every deployment, all to one receiver, and the service. */
async function setUp(stage: Stage) {
  const receiverPort = await freePort();
  const receiver = `127.0.0.1:${receiverPort}`;
  await stage.db.raw(
    `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
     SELECT 'wh_' || substring(id FROM 3), id, :url, :receiver, 'generic', '{submission}' FROM deployments`,
    { url: `http://${receiver}/`, receiver },
  );
  await stage.db.raw('ANALYZE webhooks');
  const pid = await stage.start(
    [process.execPath, 'bench/receiver.ts', String(receiverPort)],
    `http://127.0.0.1:${receiverPort}`,
  );
  const { port, pid: formhost } = await stage.serve();
  return { receiverPort, port, watched: () => ({ formhost, receiver: pid, postgres: stage.postmaster }) };
}

/** Deliveries that were made before a round, as in a service that has been running: statements that are planned for an empty table read it whole. */
const EARLIER = 20_000;

/** In one transaction, so that nothing is planned while the table is empty. */
const RESET = `
  TRUNCATE deliveries;
  INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, event, receiver, status, next_attempt_at, created_at, updated_at)
  SELECT 'dl_0' || lpad(n::text, 16, '0'), id, owner_id, 'wh_' || substring(id FROM 3), 'submission', '127.0.0.1', 'succeeded', now(), now(), now()
    FROM generate_series(1, ${EARLIER}) AS n, LATERAL (SELECT id, owner_id FROM deployments LIMIT 1) AS deployments;
  ANALYZE deliveries`;

async function resetDeliveries({ db, connection }: Stage): Promise<void> {
  await reset(db);
  await sql(connection, RESET);
}

async function count({ db }: Stage, status: string): Promise<number> {
  const { rows } = await db.raw("SELECT count(*) FROM deliveries WHERE status = ? AND receiver <> '127.0.0.1'", [
    status,
  ]);
  return rows[0].count;
}

/** Submit, commit, POST, marked: all of it, until the last is marked. */
export const deliveries: Case = async (stage) => {
  const { url } = stage;
  const { receiverPort, port, watched } = await setUp(stage);
  const script = await submitScript(stage);
  const rate = async (beganAt: number): Promise<Figures> => ({
    rate: (await count(stage, 'succeeded')) / ((performance.now() - beganAt) / 1_000),
  });
  async function plain(): Promise<Figures> {
    await resetDeliveries(stage);
    const beganAt = performance.now();
    const args = [url, receiverPort, DEPLOYMENTS, SECONDS].map(String);
    await run(process.execPath, ['bench/plain-deliveries.ts', ...args]);
    return rate(beganAt);
  }
  async function ours(): Promise<Figures> {
    await resetDeliveries(stage);
    const beganAt = performance.now();
    const { answers } = await wrk(script, port, { seconds: SECONDS });
    while ((await count(stage, 'pending')) > 0) await delay(20);
    const figures = await rate(beganAt);
    const delivered = await count(stage, 'succeeded');
    if (delivered < answers) throw new Error(`${answers} were answered, ${delivered} delivered.`);
    return figures;
  }
  const rounds = await alternate({ plain, ours }, watched);
  const against = 'INSERT, POST, UPDATE';
  return [compare('webhooks, end to end', { atLeast: 1.9 }, rounds('ours'), rounds('plain'), { against })];
};
