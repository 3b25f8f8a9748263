import { afterAll, expect, it } from 'vitest';
import { SIZES } from '../../src/sizes.ts';
import { ms, record } from '../support/figures.ts';
import { measurable } from '../support/memory.ts';
import { readMetrics } from '../support/metrics.ts';
import { freePort } from '../support/process.ts';
import { testProcess } from '../support/test-process.ts';

const ROWS = 4_000;
const FIELDS = 4;
const ROUNDS = 3;
const MAX_RATIO = 10;

const metricsPort = await freePort();
const { service, db, newOwner } = await testProcess({ LOG_LEVEL: 'error', ...measurable(metricsPort) });
const owner = await newOwner('owner');
afterAll(async () => expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' }));

/** A deployment whose submissions have so many different fields together, a few each. */
async function filled(columns: number): Promise<string> {
  const { id } = await owner.deploy();
  await db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n,
            (SELECT json_object_agg('f' || (n * :fields + k) % :columns, 'x') FROM generate_series(1, :fields) AS k), '', now()
       FROM generate_series(1, CAST(:rows AS int)) AS n`,
    { id, columns, fields: FIELDS, rows: ROWS },
  );
  await db('deployments').where({ id }).update({ submission_count: ROWS, last_submission_number: ROWS });
  return id;
}

/** The longest that the service's event loop stood still, in milliseconds, since it was asked last. */
async function stall(): Promise<number> {
  const lag = (await readMetrics(metricsPort)).get('nodejs_eventloop_lag_max_seconds');
  return (lag ?? Number.NaN) * 1_000;
}

async function drain(id: string, format: string): Promise<void> {
  const response = await fetch(`${service.url}/submissions/${id}/export.${format}`, {
    headers: { Authorization: `Bearer ${owner.key}` },
  });
  expect(response.status).toBe(200);
  for await (const _piece of response.body ?? []);
}

/** What the service does by itself now and then, and the machine, stands in some rounds; what exports do, in each. */
async function stallOf(id: string, format: string): Promise<number> {
  const stalls: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await stall();
    await Promise.all([drain(id, format), drain(id, format)]);
    stalls.push(await stall());
  }
  return Math.min(...stalls);
}

it.each(['csv', 'xlsx'])('keeps the event loop free while two exports write 10,000 columns: %s', async (format) => {
  const [narrow, wide] = [await filled(FIELDS), await filled(SIZES.export.maxFieldColumns)];
  // What is loaded and compiled at the first of all counts for none.
  await drain(narrow, format);
  const harmless = await stallOf(narrow, format);
  const longest = await stallOf(wide, format);
  record(`exports: ${format}, two at once, ${ROWS} rows`, {
    [`the event loop stood still, ${SIZES.export.maxFieldColumns} columns`]: ms(longest),
    [`${FIELDS} columns`]: ms(harmless),
  });
  expect(longest).toBeLessThan(MAX_RATIO * harmless);
});
