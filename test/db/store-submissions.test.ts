import { expect, it } from 'vitest';
import { storeSubmissions } from '../../src/db/submissions/store-submissions.ts';
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
  for (const [index, [change, receivers]] of steps.entries()) {
    await change();
    expect(await store(`sub_${index}`)).toEqual({
      outcomes: [{ kind: 'accepted' }],
      hasDeliveries: receivers.length > 0,
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
  });
});
