import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent, request } from 'undici';

/*
 * The baseline for deliveries: for each an INSERT of the submission and the delivery, the POST, and an UPDATE, 64 at a
 * time. argv: the database's URL, the receiver's port, how many deployments, for how many seconds.
 */
const [database = '', port = '0', deployments = '1', seconds = '1'] = process.argv.slice(2);
const IN_FLIGHT = 64;
const data = '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}';

const pool = new pg.Pool({ connectionString: database, max: 16 });
const dispatcher = new Agent();
const until = performance.now() + Number(seconds) * 1_000;
let next = 0;

async function deliver(): Promise<void> {
  next += 1;
  const deploymentId = `d_${String(next % Number(deployments)).padStart(24, '0')}`;
  const submissionId = `sub_${randomUUID()}`;
  const { rows } = await pool.query({
    name: 'insert',
    text: `WITH counted AS (
             UPDATE deployments SET submission_count = submission_count + 1, last_submission_number = last_submission_number + 1
              WHERE id = $1 RETURNING id, last_submission_number
           ), stored AS (
             INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
             SELECT id, last_submission_number, $2, $3, '127.0.0.1', now() FROM counted
           )
           INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, event, receiver, next_attempt_at, created_at, updated_at)
           SELECT 'dl_' || $2, deployment_id, 1, $2, id, 'submission', receiver, now() + interval '1 min', now(), now() FROM webhooks WHERE deployment_id = $1 RETURNING id`,
    values: [deploymentId, submissionId, data],
  });
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"event":"submission","deployment_id":"${deploymentId}","data":${data},"timestamp":"${new Date().toISOString()}"}`,
    dispatcher,
  });
  await body.dump();
  await pool.query({
    name: 'update',
    text: "UPDATE deliveries SET status = 'succeeded', attempts = attempts + 1, last_status = $2, updated_at = now() WHERE id = $1",
    values: [rows[0].id, statusCode],
  });
}

async function deliverUntilThen(): Promise<void> {
  while (performance.now() < until) await deliver();
}

await Promise.all(Array.from({ length: IN_FLIGHT }, deliverUntilThen));
await dispatcher.close();
await pool.end();
