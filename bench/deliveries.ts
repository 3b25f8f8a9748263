import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Database } from '../src/db/connect.ts';
import { openEmbeddedPostgres } from '../src/db/embedded-postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { compare, DEPLOYMENTS, freePort, median, reset, run, SECONDS, seed, start, stop, wrk } from './measure.ts';
import { writeSubmitScript } from './submit.ts';

/** A database, a webhook on every deployment, all to one receiver or each to one of its own that hangs, and the service. */
async function setUp(folder: string, mode: 'answer' | 'hang') {
  const embedded = await openEmbeddedPostgres(folder);
  const { host, port, user, database } = embedded.connection;
  await migrate(embedded.connection);
  const db = connect(embedded.connection);
  await seed(db);
  const [receiverPort, httpPort] = [await freePort(), await freePort()];
  await db.raw(
    `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
     SELECT 'wh_' || substring(id FROM 3), id, 'http://' || receiver || '/', receiver, 'generic', '{submission}'
       FROM deployments, LATERAL (
         SELECT CASE WHEN :hang THEN slug || '.localhost:' ELSE '127.0.0.1:' END || :port AS receiver
       ) AS receiver`,
    { hang: mode === 'hang', port: String(receiverPort) },
  );
  await db.raw('ANALYZE webhooks');
  const receiver = await start(
    ['bench/receiver.ts', String(receiverPort), mode],
    {},
    `http://127.0.0.1:${receiverPort}`,
  );
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const service = await start(
    ['src/main.ts'],
    { PORT: String(httpPort), DATABASE_URL: url, LOG_LEVEL: 'error' },
    `http://127.0.0.1:${httpPort}/readyz`,
  );
  return {
    db,
    url,
    receiverPort,
    httpPort,
    async close() {
      await Promise.all([stop(service), stop(receiver)]);
      await db.close();
      await embedded.close();
    },
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
export async function deliveries(folder: string): Promise<void> {
  const { db, url, receiverPort, httpPort, close } = await setUp(join(folder, 'deliveries'), 'answer');
  const script = await writeSubmitScript(folder);
  try {
    await compare(
      'deliveries, end to end, to an INSERT and an UPDATE for each',
      async () => {
        await resetDeliveries(db);
        const beganAt = performance.now();
        await run(process.execPath, [
          'bench/plain-deliveries.ts',
          url,
          String(receiverPort),
          String(DEPLOYMENTS),
          String(SECONDS),
        ]);
        return (await count(db, 'succeeded')) / ((performance.now() - beganAt) / 1_000);
      },
      async () => {
        await resetDeliveries(db);
        const beganAt = performance.now();
        const { failures } = await wrk(script, httpPort);
        if (failures > 0) console.log(`(${failures} answers were not 2xx)`);
        while ((await count(db, 'pending')) > 0) await delay(20);
        return (await count(db, 'succeeded')) / ((performance.now() - beganAt) / 1_000);
      },
    );
  } finally {
    await close();
  }
}

/** Longer than an attempt takes. */
const QUIET_MS = 16_000;

/** What visitors notice when every deployment has a webhook whose receiver hangs, and as many as may be are being tried. */
export async function hanging(folder: string): Promise<void> {
  const { db, httpPort, close } = await setUp(join(folder, 'hanging'), 'hang');
  const script = await writeSubmitScript(folder);
  const without: number[] = [];
  const withIt: number[] = [];
  try {
    await compare(
      'submit with a hanging receiver on every deployment, to none',
      async () => {
        await db.raw('UPDATE webhooks SET active = false');
        await db.raw('DELETE FROM deliveries WHERE NOT leased');
        await delay(QUIET_MS);
        await resetDeliveries(db);
        await db.raw('VACUUM webhooks');
        const { rate, p99 } = await wrk(script, httpPort);
        without.push(p99);
        return rate;
      },
      async () => {
        await db.raw('UPDATE webhooks SET active = true');
        await reset(db);
        await wrk(script, httpPort);
        await reset(db);
        await db.raw('VACUUM webhooks');
        const { rate, p99 } = await wrk(script, httpPort);
        withIt.push(p99);
        return rate;
      },
    );
    const ratio = median(withIt.slice(1)) / median(without.slice(1));
    console.log(`its p99: ${withIt.slice(1)} ms to ${without.slice(1)} ms, ratio of medians ${ratio.toFixed(2)}`);
  } finally {
    await close();
  }
}
