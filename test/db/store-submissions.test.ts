import { describe, expect, it } from 'vitest';
import { storeAlone, storeSubmissions } from '../../src/db/submissions/store-submissions.ts';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';

it('makes deliveries as the settings are now, due at once, and refuses the eleventh submission', async () => {
  const db = openDatabase((await testDatabase()).url);
  await db.raw(`
    INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited');
    INSERT INTO deployments (id, owner_id, slug) SELECT 'd_1', id, 'a-form' FROM owners`);
  const store = (id: string) => storeSubmissions(db, [{ id, deploymentId: 'd_1', data: '{}', ipAddress: '::1' }]);
  const addWebhook = (host: string) =>
    db.raw(
      `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
       VALUES ('wh_' || :host, 'd_1', 'http://' || :host || '/', :host, 'generic', '{submission}')`,
      { host },
    );
  const change = (changes: string) => db.raw(`UPDATE webhooks SET ${changes} WHERE id = 'wh_b.test'`);
  const mail = (changes: string) => db.raw(`UPDATE deployments SET ${changes} WHERE id = 'd_1'`);
  const steps: [change: () => unknown, receivers: string[]][] = [
    [() => undefined, []],
    [() => addWebhook('a.test'), ['a.test']],
    [() => addWebhook('b.test'), ['a.test', 'b.test']],
    [() => db.raw("DELETE FROM webhooks WHERE id = 'wh_a.test'"), ['b.test']],
    [() => change('active = false'), []],
    [() => change("active = true, events = '{spam}'"), []],
    [() => mail('email_notifications = true'), ['@mail']],
    [() => mail("notify_every = 'day'"), []],
    [() => change("events = '{submission}'"), ['b.test']],
    [() => undefined, ['b.test']],
  ];
  /** The steps after which the form has no receivers, and no mail that it might send. */
  const PLAIN = new Set([0, 4, 5, 7]);
  for (const [index, [change, receivers]] of steps.entries()) {
    await change();
    expect(await store(`sub_${index}`)).toEqual({
      outcomes: [{ kind: 'accepted' }],
      hasDeliveries: receivers.length > 0,
      isPlain: PLAIN.has(index),
    });
    const { rows } = await db.raw(
      `SELECT receiver FROM deliveries JOIN owners ON owners.id = owner_id
        WHERE submission_id = ? AND status = 'pending' AND NOT leased AND attempts = 0 AND next_attempt_at <= now()
          AND bytes = 2 ORDER BY receiver`,
      [`sub_${index}`],
    );
    expect(rows.map(({ receiver }: { receiver: string }) => receiver)).toEqual(receivers);
  }
  const { rows } = await db.raw(
    `SELECT array_agg(number::int ORDER BY created_at) AS numbers,
            (SELECT submission_count::int FROM deployments) AS count,
            (SELECT cardinality(recent_submissions) FROM deployments) AS recent FROM submissions`,
  );
  const all = steps.length;
  expect(rows).toEqual([{ numbers: steps.map((_, index) => index + 1), count: all, recent: all }]);
  expect(await store('sub_eleventh')).toEqual({
    outcomes: [{ kind: 'rate-limited', retryAfterMs: expect.any(Number) }],
    hasDeliveries: false,
    isPlain: expect.any(Boolean),
  });
});

describe('storeAlone', () => {
  /** Stores one submission to a form after a change of it, or while it is so. */
  async function storeAfter(change: string, isUnjudged?: true) {
    const db = openDatabase((await testDatabase()).url);
    await db.raw(`
      INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited');
      INSERT INTO deployments (id, owner_id, slug, submission_count, last_submission_number, recent_submissions)
        SELECT 'd_1', id, 'a-form', 3, 5, ARRAY[now() - interval '2 min', now() - interval '10 s'] FROM owners;
      ${change}`);
    const submission = { id: 'sub_1', deploymentId: 'd_1', data: '{"b": 1, "a": 2}', ipAddress: '192.0.2.1' };
    const outcome = await storeAlone(db, isUnjudged ? { ...submission, isUnjudged } : submission);
    const { rows } = await db.raw(
      `SELECT submission_count, last_submission_number, cardinality(recent_submissions) AS recent,
              (SELECT json_agg(submissions ORDER BY number) FROM submissions) AS stored,
              (SELECT created_at = recent_submissions[cardinality(recent_submissions)] FROM submissions) AS is_counted
         FROM deployments`,
    );
    const [{ stored, ...form }] = rows;
    return { outcome, form, stored: JSON.parse(stored ?? '[]') };
  }

  const RULES = "INSERT INTO form_rules (deployment_id) VALUES ('d_1')";
  const webhook = (more: string) =>
    `INSERT INTO webhooks (id, deployment_id, url, receiver, type, ${more.split(' = ')[0]})
     VALUES ('wh_1', 'd_1', 'http://a.test/', 'a.test', 'generic', ${more.split(' = ')[1]})`;

  it.each<[what: string, change: string, isUnjudged: true | undefined]>([
    ['a form without anything', '', undefined],
    ['an unknown form without rules', '', true],
    ['a form whose rules were judged', RULES, undefined],
    ['a form whose webhooks are switched off', webhook("events, active = '{submission}', false"), undefined],
    [
      'a form with room for one more',
      'UPDATE deployments SET max_submissions = 4, submissions_per_minute = 2',
      undefined,
    ],
    [
      'a form that sends mail once a day',
      "UPDATE deployments SET email_notifications = true, notify_every = 'day'",
      undefined,
    ],
  ])('stores a submission to %s', async (_what, change, isUnjudged) => {
    const { outcome, form, stored } = await storeAfter(change, isUnjudged);
    expect(outcome).toEqual({ kind: 'accepted', ...(isUnjudged && { slug: 'a-form' }) });
    expect(form).toEqual({ submission_count: 4, last_submission_number: 6, recent: 2, is_counted: true });
    expect(stored).toMatchObject([{ id: 'sub_1', deployment_id: 'd_1', number: 6, ip_address: '192.0.2.1' }]);
  });

  it.each<[what: string, change: string, isUnjudged: true | undefined]>([
    ['a form with a webhook', webhook("events = '{submission}'"), undefined],
    ['a form with mail', 'UPDATE deployments SET email_notifications = true', undefined],
    ['a form that confirms', "UPDATE deployments SET confirmation = '{}'", undefined],
    ['an unknown form with rules', RULES, true],
    ['a form that is full', 'UPDATE deployments SET max_submissions = 3', undefined],
    ['a form at its limit', 'UPDATE deployments SET submissions_per_minute = 1', undefined],
    ['a form that is not open', "UPDATE deployments SET opens_at = now() + interval '1 hour'", undefined],
    ['a form that is closed', "UPDATE deployments SET closes_at = now() - interval '1 s'", undefined],
    ['a deleted form', 'UPDATE deployments SET deleted_at = now()', undefined],
    ['a form that was taken down', 'UPDATE deployments SET taken_down_at = now()', undefined],
    ['no form', "UPDATE deployments SET id = 'd_2'", undefined],
  ])('leaves a submission to %s alone', async (_what, change, isUnjudged) => {
    const { outcome, form, stored } = await storeAfter(change, isUnjudged);
    expect(outcome).toBeUndefined();
    expect(form).toEqual({ submission_count: 3, last_submission_number: 5, recent: 2, is_counted: null });
    expect(stored).toEqual([]);
  });
});

it('stores no unjudged submission to a form with rules, beside judged ones of the same batch', async () => {
  const db = openDatabase((await testDatabase()).url);
  await db.raw(`
    INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited');
    INSERT INTO deployments (id, owner_id, slug, submissions_per_minute)
      SELECT 'd_' || n, id, 'form-' || n, 2 FROM owners, generate_series(1, 3) AS n;
    INSERT INTO form_rules (deployment_id) VALUES ('d_1'), ('d_2')`);
  const sent = (id: string, deploymentId: string, isUnjudged?: true) => ({
    ...{ id, deploymentId, data: '{}', ipAddress: '::1' },
    ...(isUnjudged && { isUnjudged }),
  });
  const { outcomes } = await storeSubmissions(db, [
    ...[sent('sub_1', 'd_1', true), sent('sub_2', 'd_1'), sent('sub_3', 'd_1', true), sent('sub_4', 'd_1')],
    ...[sent('sub_5', 'd_2', true), sent('sub_6', 'd_2', true), sent('sub_7', 'd_3', true), sent('sub_8', 'd_3', true)],
    ...[sent('sub_9', 'd_3', true), sent('sub_10', 'd_4', true)],
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual([
    ...['has-rules', 'accepted', 'has-rules', 'accepted', 'has-rules', 'has-rules'],
    ...['accepted', 'accepted', 'rate-limited', 'busy'],
  ]);
  const { rows } = await db.raw('SELECT id, number FROM submissions ORDER BY deployment_id, number');
  expect(rows).toEqual([
    ...[
      { id: 'sub_2', number: 1 },
      { id: 'sub_4', number: 2 },
    ],
    ...[
      { id: 'sub_7', number: 1 },
      { id: 'sub_8', number: 2 },
    ],
  ]);
  const { rows: counts } = await db.raw('SELECT submission_count AS count FROM deployments ORDER BY id');
  expect(counts).toEqual([{ count: 2 }, { count: 0 }, { count: 2 }]);
});
