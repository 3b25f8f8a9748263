import pg from 'pg';
import { expect, it } from 'vitest';
import { median, ms, record, timed } from '../support/figures.ts';
import { testProcess } from '../support/test-process.ts';
import type { Owner } from '../support/test-service.ts';

/*
 * What requests take when the database has very many submissions, as ratios to the same with a fiftieth of them. It runs where
 * SOAK_SUBMISSIONS says how many: 50,000,000 need 25 GB of disk and up to half an hour.
 */

const SUBMISSIONS = Number(process.env.SOAK_SUBMISSIONS ?? 0);
const OF_FORM = 250;
const FORMS = SUBMISSIONS / OF_FORM;
/** The forms that have submissions from the start, and are measured. */
const FIRST_FORMS = FORMS / 50;
/** Numbers of a form that are stored together: a form's submissions come over years, between those of others. */
const STORED_TOGETHER = 25;
const FORMS_AT_ONCE = 8_000;
const FILL_MS = 30 * 60_000;
/** Each of the four rounds asks each of so many forms, which no other round asks. */
const FORMS_OF_ROUND = Math.min(200, Math.floor(FIRST_FORMS / 4));
/** A request that read all submissions, and not those of its form, would take thousands of times as long. */
const MOST = 20;

const started = SUBMISSIONS > 0 ? await testProcess() : undefined;

const idOf = (form: number): string => `d_${String(form).padStart(24, '0')}`;
const submissionOf = (form: number, number: number): string =>
  `sub_${String(form).padStart(16, '0')}${String(number).padStart(8, '0')}`;

/** Makes all forms. Without triggers: every process would read all of these changes. */
const addForms = (client: pg.Client): Promise<unknown> =>
  client.query(
    `SET session_replication_role = replica;
     INSERT INTO deployments (id, owner_id, slug, submission_count, last_submission_number)
     SELECT 'd_' || lpad(n::text, 24, '0'), (SELECT min(id) FROM owners), 'soak-' || n, ${OF_FORM}, ${OF_FORM}
       FROM generate_series(0, ${FORMS - 1}) AS n;
     ANALYZE deployments`,
  );

/** Stores the submissions of some forms, from `from` to before `to`. */
async function fill(client: pg.Client, from: number, to: number): Promise<void> {
  const until = performance.now() + FILL_MS;
  for (let number = 0; number < OF_FORM; number += STORED_TOGETHER) {
    for (let form = from; form < to; form += FORMS_AT_ONCE) {
      if (performance.now() > until) throw new Error('This machine is too slow for so many: set a lower number.');
      await client.query(
        `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
         SELECT 'd_' || lpad(form::text, 24, '0'), number,
                'sub_' || lpad(form::text, 16, '0') || lpad(number::text, 8, '0'),
                json_build_object('name', 'Visitor ' || number, 'email', form || '@example.org', 'message', 'Please send me the notes.'),
                '203.0.113.7', now() - (${OF_FORM} - number) * interval '1 day'
           FROM generate_series($1::int, $2::int) AS form, generate_series($3::int, $4::int) AS number`,
        [form, Math.min(form + FORMS_AT_ONCE, to) - 1, number + 1, number + STORED_TOGETHER],
      );
    }
  }
  await client.query('VACUUM ANALYZE submissions');
}

/** The median of how long each kind of request takes. */
async function measure(owner: Owner, round: number): Promise<Record<string, number>> {
  const forms = Array.from({ length: FORMS_OF_ROUND }, (_, index) => round * FORMS_OF_ROUND + index);
  const body = JSON.stringify({ name: 'Ada', message: 'Please send me the notes.' });
  const kinds: Record<string, (form: number) => PromiseLike<{ status: number; body: unknown }>> = {
    list: (form) => owner.get(`/submissions/${idOf(form)}?page=3&limit=50`),
    search: (form) => owner.get(`/submissions/${idOf(form)}/search?q=nowhere`),
    export: (form) => owner.get(`/submissions/${idOf(form)}/export.ndjson`),
    submit: (form) => owner.send('POST', `/submit/${idOf(form)}`, body),
    delete: (form) => owner.delete(`/submissions/${idOf(form)}/${submissionOf(form, 100)}`),
  };
  const medians: Record<string, number> = {};
  for (const [kind, ask] of Object.entries(kinds)) {
    const times: number[] = [];
    for (const form of forms) {
      const { ms: took, result } = await timed(async () => ask(form));
      expect(result.status, `${kind}: ${JSON.stringify(result.body)}`).toBe(200);
      times.push(took);
    }
    medians[kind] = median(times);
  }
  return medians;
}

it.runIf(started)(
  'lists, searches, exports, stores and deletes as fast with very many submissions as with a fiftieth of them',
  async () => {
    if (!started) throw new Error('There is no service.');
    const owner = await started.newOwner('many');
    const client = new pg.Client({ connectionString: started.settings.DATABASE_URL });
    await client.connect();
    try {
      await addForms(client);
      await fill(client, 0, FIRST_FORMS);
      // The first round of each pair warms up.
      await measure(owner, 0);
      const few = await measure(owner, 1);
      const { ms: filling } = await timed(() => fill(client, FIRST_FORMS, FORMS));
      await measure(owner, 2);
      const many = await measure(owner, 3);
      const { rows } = await client.query<{ table: string; indexes: string }>(
        `SELECT pg_size_pretty(pg_table_size('submissions')) AS table, pg_size_pretty(pg_indexes_size('submissions')) AS indexes`,
      );
      const ratios = Object.entries(many).map(([kind, took]): [string, number] => [kind, took / (few[kind] ?? 0)]);
      record(`${SUBMISSIONS} submissions of ${FORMS} forms`, {
        ...rows[0],
        ...{ 'stored in': `${(filling / 60_000).toFixed(1)} min` },
        ...Object.fromEntries(
          ratios.map(([kind, ratio]) => [
            `${kind}, to a fiftieth`,
            `${ratio.toFixed(2)} (${ms(many[kind] ?? 0)}, ${ms(few[kind] ?? 0)})`,
          ]),
        ),
      });
      for (const [kind, ratio] of ratios) expect(ratio, kind).toBeLessThan(MOST);
    } finally {
      await client.end();
    }
  },
  2 * FILL_MS,
);
