import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../src/db/postgres/connect.ts';
import { alternate, compare, type Figures, run, wrk } from './measure.ts';
import { type Case, DEPLOYMENTS, freePort, reset, type Stage } from './stage.ts';
import { submitScript } from './submit.ts';

const SECONDS = 4;

/** A webhook on every deployment, all to one receiver or each to one of its own that hangs, and the service. */
async function setUp(stage: Stage, mode: 'answer' | 'hang') {
  const receiverPort = await freePort();
  await stage.db.raw(
    `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
     SELECT 'wh_' || substring(id FROM 3), id, 'http://' || receiver || '/', receiver, 'generic', '{submission}'
       FROM deployments, LATERAL (
         SELECT CASE WHEN :hang THEN slug || '.localhost:' ELSE '127.0.0.1:' END || :port AS receiver
       ) AS receiver`,
    { hang: mode === 'hang', port: String(receiverPort) },
  );
  await stage.db.raw('ANALYZE webhooks');
  const receiver = await stage.start(
    [process.execPath, 'bench/receiver.ts', String(receiverPort), mode],
    `http://127.0.0.1:${receiverPort}`,
  );
  const service = await stage.serve();
  return {
    receiverPort,
    port: service.port,
    watched: () => ({ formhost: service.pid, receiver, postgres: stage.postmaster }),
  };
}

async function resetDeliveries(db: Database): Promise<void> {
  await reset(db);
  await db.raw('TRUNCATE deliveries');
}

async function count(db: Database, status: string): Promise<number> {
  const { rows } = await db.raw('SELECT count(*) FROM deliveries WHERE status = ?', [status]);
  return rows[0].count;
}

/** Submit, commit, POST, marked: all of it, until the last is marked. */
export const deliveries: Case = async (stage) => {
  const { db, url } = stage;
  const { receiverPort, port, watched } = await setUp(stage, 'answer');
  const script = await submitScript(stage);
  const rate = async (beganAt: number): Promise<Figures> => ({
    rate: (await count(db, 'succeeded')) / ((performance.now() - beganAt) / 1_000),
  });
  async function plain(): Promise<Figures> {
    await resetDeliveries(db);
    const beganAt = performance.now();
    const args = [url, receiverPort, DEPLOYMENTS, SECONDS].map(String);
    await run(process.execPath, ['bench/plain-deliveries.ts', ...args]);
    return rate(beganAt);
  }
  async function ours(): Promise<Figures> {
    await resetDeliveries(db);
    const beganAt = performance.now();
    const { answers } = await wrk(script, port, { seconds: SECONDS });
    while ((await count(db, 'pending')) > 0) await delay(20);
    const figures = await rate(beganAt);
    const delivered = await count(db, 'succeeded');
    if (delivered < answers) throw new Error(`${answers} were answered, ${delivered} delivered.`);
    return figures;
  }
  const rounds = await alternate({ plain, ours }, watched);
  const against = 'INSERT, POST, UPDATE';
  return [compare('webhooks, end to end', { atLeast: 2.5 }, rounds('ours'), rounds('plain'), { against })];
};

/** Longer than an attempt takes. */
const QUIET_MS = 16_000;

/**
 * Measures submissions while every deployment has a webhook whose receiver hangs, and as many attempts run as the limits
 * allow.
 */
export const hanging: Case = async (stage) => {
  const { db } = stage;
  const { port, watched } = await setUp(stage, 'hang');
  const script = await submitScript(stage);
  async function none(): Promise<Figures> {
    await db.raw('UPDATE webhooks SET active = false');
    await db.raw('DELETE FROM deliveries WHERE NOT leased');
    await delay(QUIET_MS);
    await resetDeliveries(db);
    await db.raw('VACUUM webhooks');
    return wrk(script, port, { seconds: SECONDS });
  }
  async function all(): Promise<Figures> {
    await db.raw('UPDATE webhooks SET active = true');
    await reset(db);
    await wrk(script, port, { seconds: SECONDS });
    await reset(db);
    await db.raw('VACUUM webhooks');
    return wrk(script, port, { seconds: SECONDS });
  }
  const rounds = await alternate({ none, all }, watched);
  const against = 'without';
  return [
    compare('submit, all receivers hang', undefined, rounds('all'), rounds('none'), { against }),
    compare('its p99', { atMost: 2 }, rounds('all'), rounds('none'), { against, figure: 'p99', unit: ' ms' }),
  ];
};
