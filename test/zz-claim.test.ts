import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../src/db/connect.ts';
import { claimDeliveries } from '../src/db/deliveries.ts';
import { cloneDatabase } from './support/fresh-database.ts';
import { appendFileSync } from 'node:fs';
it.each([[512, 256*1024],[512,64*1024],[2,17*1024*1024],[20,17*1024*1024],[1,64*1024*1024]])('claim %i of %i', async (n, size) => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const db = connect({ connectionString: database.url });
  onTestFinished(() => db.close());
  await db.raw(`INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited');
    INSERT INTO deployments (id, owner_id, slug) SELECT 'd_1', id, 'a-form' FROM owners`);
  await db.raw(`INSERT INTO webhooks (id, deployment_id, url, type, events) SELECT 'wh_'||n, 'd_1', 'http://h'||n||'.test/', 'generic', '{submission}' FROM generate_series(1,64) n`);
  const { randomBytes } = await import('node:crypto');
  const pg = (await import('pg')).default;
  const c = new pg.Client(database.url); await c.connect();
  const text = randomBytes(size*0.75-20).toString('base64');
  for (let i = 1; i <= n; i += 1) await c.query(`INSERT INTO submissions VALUES ('d_1', $1, $2, $3, '::1', now())`, [i, `sub_${i}`, `{"a":"${text}"}`]);
  await c.query(`INSERT INTO deliveries (id, deployment_id, webhook_id, submission_id, receiver, next_attempt_at, created_at, updated_at)
    SELECT 'dl_'||n, 'd_1', 'wh_'||(n%64+1), 'sub_'||n, 'h'||(n%64+1)||'.test', now(), now(), now() FROM generate_series(1,$1::int) n`, [n]);
  await c.end();
  for (let round = 0; round < 3; round += 1) {
  const t = performance.now();
  const r = await claimDeliveries(db, { busy: [], perReceiver: 64, limit: 512, leaseMs: 60000, mostAttempts: 8 }).catch(e => e);
  appendFileSync('/tmp/zz.log', [n, size, r instanceof Error ? r.message.slice(-80) : r.length, Math.round(performance.now() - t), 'ms\n'].join(' '));
  }
  expect(1).toBe(1);
}, 120000);
