import { describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { aTime } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { testService } from '../../support/test-service.ts';
import { eventually, Forms, idIn } from '../../support/webhooks.ts';

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '600' });
const owner = await service.owner();
const forms = new Forms(service, owner);

const healthOf = async (id: string) => (await owner.get(`/webhooks/${id}/health`).expect(200)).body.webhooks;

/** Stores deliveries of a webhook, one for each of these, oldest first. */
const store = (id: string, webhook: string, rows: readonly { status: string; error?: string }[]) =>
  service.db.raw(
    `INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, event, receiver, status, attempts, next_attempt_at,
       last_error, created_at, updated_at)
     SELECT 'dl_' || right(webhooks.id, 18) || lpad(n::text, 8, '0'), ?, owner_id, webhooks.id, 'submission', receiver, status, 2, now() + interval '1 h', nullif(error, ''), now(), now()
       FROM webhooks JOIN deployments ON deployments.id = deployment_id,
            unnest(CAST(? AS text[]), CAST(? AS text[])) WITH ORDINALITY AS row (status, error, n)
      WHERE webhooks.id = ?`,
    [id, rows.map(({ status }) => status), rows.map(({ error = '' }) => error), webhook],
  );

describe('GET /webhooks/:deployId/health', () => {
  it('says since when a webhook fails, why, and how many deliveries have failed for good', async () => {
    const { id, webhook } = await forms.to('https://hooks.invalid/a');
    const { body: working } = await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/b' }).expect(201);
    const fine = { id: working.id, failing_since: null, last_error: null, failed: 0 };
    expect(await healthOf(id)).toEqual([{ ...fine, id: idIn(webhook) }, fine]);
    await store(id, idIn(webhook), [
      { status: 'failed', error: 'first' },
      { status: 'succeeded' },
      { status: 'failed', error: 'second' },
      { status: 'pending', error: 'third' },
      { status: 'pending' },
    ]);
    // It has worked since: what failed before is no reason.
    const before = { ...fine, id: idIn(webhook), failed: 2 };
    expect(await healthOf(id)).toEqual([before, fine]);
    await service
      .db('webhooks')
      .where({ id: idIn(webhook) })
      .update({ failing_since: new Date(), active: false });
    expect(await healthOf(id)).toEqual([{ ...before, failing_since: aTime, last_error: 'third' }, fine]);
  });

  it(`counts among the last ${SIZES.webhook.healthDeliveries} deliveries`, async () => {
    const { id, webhook } = await forms.to('https://hooks.invalid/a');
    const succeeded = Array.from({ length: SIZES.webhook.healthDeliveries - 1 }, () => ({ status: 'succeeded' }));
    const failed = { status: 'failed', error: 'no' };
    await store(id, idIn(webhook), [failed, failed, ...succeeded]);
    expect(await healthOf(id)).toMatchObject([{ failed: 1 }]);
  });
});

describe('POST /webhooks/:deployId/:webhookId/retry', () => {
  it('has failed deliveries of this webhook sent again, and no others', async () => {
    const receiver = await startReceiver();
    const { webhook } = await forms.to(`${receiver.url}/hook`);
    const other = await forms.to('https://hooks.invalid/other');
    for (const path of [webhook, other.webhook]) await owner.patch(path).send({ active: false }).expect(200);
    const tests: string[] = [];
    for (let count = 0; count < 3; count += 1) tests.push((await owner.post(`${webhook}/test`).expect(202)).body.id);
    const { body: foreign } = await owner.post(`${other.webhook}/test`).expect(202);
    const held = () =>
      service
        .db('deliveries')
        .where({ next_attempt_at: 'infinity' })
        .whereIn('id', [...tests, foreign.id]);
    await eventually(async () => (await held()).length).toBe(4);
    const [kept = '', ...failed] = tests;
    await service
      .db('deliveries')
      .whereIn('id', [...failed, foreign.id])
      .update({ status: 'failed' });
    await service.db('deliveries').where({ id: kept }).update({ status: 'succeeded' });
    await owner.patch(webhook).send({ active: true }).expect(200);
    const { status, body } = await owner.post(`${webhook}/retry`);
    expect([status, body]).toEqual([202, { retried: 2 }]);
    await eventually(async () => (await forms.log(webhook)).map(({ status }) => status)).toEqual(
      Array(3).fill('succeeded'),
    );
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(failed.toSorted());
    expect((await owner.post(`${webhook}/retry`)).body).toEqual({ retried: 0 });
    expect((await service.db('deliveries').where({ id: foreign.id }).first('status')).status).toBe('failed');
  });

  it(`tries ${SIZES.webhook.maxRetried} in one request, the oldest first`, async () => {
    const { id, webhook } = await forms.to('https://hooks.invalid/a');
    await service
      .db('webhooks')
      .where({ id: idIn(webhook) })
      .update({ active: false });
    await store(
      id,
      idIn(webhook),
      Array.from({ length: SIZES.webhook.maxRetried + 2 }, () => ({ status: 'failed', error: 'no' })),
    );
    const retry = async () => (await owner.post(`${webhook}/retry`)).body;
    expect(await retry()).toEqual({ retried: SIZES.webhook.maxRetried });
    const left = await service
      .db('deliveries')
      .where({ webhook_id: idIn(webhook), status: 'failed' })
      .orderBy('id');
    expect(left.map(({ id }) => Number(id.slice(-8)))).toEqual([
      SIZES.webhook.maxRetried + 1,
      SIZES.webhook.maxRetried + 2,
    ]);
    expect(await retry()).toEqual({ retried: 2 });
  });
});
