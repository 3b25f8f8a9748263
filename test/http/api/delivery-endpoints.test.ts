import { describe, expect, it } from 'vitest';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { firstDeliveryId } from '../../../src/lib/ids.ts';
import { LIMITS } from '../../../src/limits.ts';
import { aSentence, aTime, failure } from '../../support/answers.ts';
import { startReceiver, startToldReceiver } from '../../support/receivers.ts';
import { testService } from '../../support/test-service.ts';
import { aDelivery, eventually, Forms } from '../../support/webhooks.ts';

const UNKNOWN_WEBHOOK = 'wh_00000000000000000000000000';
const HOOK = 'https://hooks.invalid/a';
const DAY_MS = 24 * 60 * 60 * 1_000;
const { testsPerMinute } = LIMITS.owners;

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '600' }, undefined, {
  limits: { owners: { testsPerMinute } },
});
const owner = await service.owner();
const forms = new Forms(service, owner);

describe('POST /webhooks/:deployId/:webhookId/test', () => {
  it('answers 202 with the id of a delivery that carries a sample, and stores no submission', async () => {
    const receiver = await startReceiver();
    const { id, webhook } = await forms.to(`${receiver.url}/hook`);
    // Its body is ignored.
    const { status, body } = await owner.post(`${webhook}/test`).send({ data: { n: 1 } });
    expect([status, body]).toEqual([202, { id: expect.stringMatching(/^\S+$/) }]);
    await eventually(() => forms.log(webhook)).toEqual([aDelivery(body)]);
    expect(receiver.received.map((request) => ({ ...request, body: JSON.parse(request.body) }))).toEqual([
      {
        method: 'POST',
        path: '/hook',
        headers: expect.objectContaining({ 'webhook-id': body.id }),
        body: {
          ...{ event: 'submission', deployment_id: id, data: { name: 'Test', message: aSentence } },
          timestamp: (await forms.log(webhook))[0]?.created_at,
        },
      },
    ]);
    expect(receiver.received[0]?.headers).not.toHaveProperty('formhost-submission-id');
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(0);
  });

  it('answers 429 when an owner has had 20 sent in a minute: what is refused otherwise does not count', async () => {
    const email = 'tester@test.example';
    const [tester, otherKey] = [await service.owner({ email }), await service.owner({ email })];
    const theirs = new Forms(service, tester);
    const [{ webhook: first }, { webhook: second }] = [await theirs.to(HOOK), await theirs.to(HOOK)];
    await owner.post(`${first}/test`).expect(404);
    await tester.post(`${first.replace(/[^/]*$/, UNKNOWN_WEBHOOK)}/test`).expect(404);
    const answers = await Promise.all(
      Array.from({ length: testsPerMinute + 3 }, (_, n) =>
        n % 2 === 0 ? tester.post(`${first}/test`) : otherKey.post(`${second}/test`),
      ),
    );
    const late = answers.filter(({ status }) => status !== 202);
    expect(late.map(({ status, body, headers }) => [status, body, headers['retry-after']])).toEqual(
      Array(3).fill([429, failure, expect.stringMatching(/^(?:[1-9]|[1-5]\d|60)$/)]),
    );
    const told = /^"tests"; r=(\d+); t=(?:[1-9]|[1-5]\d|60)$/;
    const left = answers.map(({ headers }) => Number(told.exec(headers.ratelimit ?? '')?.[1]));
    expect(left.toSorted((one, other) => one - other)).toEqual([0, 0, 0, ...Array(testsPerMinute).keys()]);
    const policy = `"tests"; q=${testsPerMinute}; w=60; pk=:`;
    expect(answers.map(({ headers }) => headers['ratelimit-policy']?.slice(0, policy.length))).toEqual(
      Array(testsPerMinute + 3).fill(policy),
    );
    const { webhook: ofOther } = await forms.to(HOOK);
    const { status, headers } = await owner.post(`${ofOther}/test`);
    // This owner has sent one in the test before.
    expect([status, Number(told.exec(headers.ratelimit ?? '')?.[1]) > 0]).toEqual([202, true]);
    // A request that is not counted.
    expect((await tester.get(`${first}/deliveries`)).headers).not.toHaveProperty('ratelimit');
  });
});

describe('GET /webhooks/:deployId/:webhookId/deliveries', () => {
  it("has this webhook's deliveries only: those of submissions, and tests", async () => {
    const receiver = await startReceiver((response, { path }) => void response.writeHead(Number(path.slice(1))).end());
    const { id, webhook } = await forms.to(`${receiver.url}/204`);
    const other = await forms.addWebhook(id, `${receiver.url}/500`);
    const first = { submission_id: await forms.submit(id) };
    const second = { id: await forms.test(webhook) };
    const third = { submission_id: await forms.submit(id) };
    const failed = { status: 'pending', next_attempt_at: aTime, last_status: 500, last_error: aSentence };
    await eventually(() => forms.log(webhook)).toEqual(
      [third, second, first].map((one) => aDelivery({ ...one, last_status: 204 })),
    );
    await eventually(() => forms.log(other)).toEqual([third, first].map((one) => aDelivery({ ...one, ...failed })));
  });
});

describe('POST /webhooks/:deployId/:webhookId/deliveries/:id/retry', () => {
  it('answers 202 with id and status, and makes no second attempt beside one that is in progress', async () => {
    const receiver = await startToldReceiver();
    const { webhook } = await forms.to(receiver.url);
    const id = await forms.test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const retry = async () => {
      const { status, body } = await owner.post(`${webhook}/deliveries/${id}/retry`);
      expect([status, body]).toEqual([202, { id, status: 'pending' }]);
    };
    await retry();
    await forms.turnPasses(await startReceiver());
    expect(receiver.received.length).toBe(1);
    receiver.tell(500);
    await eventually(() => forms.fates(webhook)).toEqual(['pending 1']);
    await retry();
    await eventually(() => forms.fates(webhook)).toEqual(['failed 2']);
    receiver.tell(200);
    await retry();
    await eventually(() => forms.fates(webhook)).toEqual(['succeeded 3']);
    // A delivery that succeeded is sent again, once for all retries that come at once.
    const held = await startToldReceiver();
    await owner.patch(webhook).send({ url: held.url }).expect(200);
    await Promise.all(Array.from({ length: 10 }, retry));
    await eventually(() => held.received.length).toBe(1);
    await forms.turnPasses(await startReceiver());
    expect(await forms.log(webhook)).toEqual([aDelivery({ id, status: 'pending', attempts: 4 })]);
    held.tell(200);
    await eventually(() => forms.fates(webhook)).toEqual(['succeeded 4']);
    expect([receiver.received.length, held.received.length]).toEqual([3, 1]);
  });
});

it('the log keeps a finished delivery for DELIVERY_LOG_DAYS, a pending one for ever, and nothing of what was deleted', async () => {
  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
  /** A delivery that was made, and finished, so many days ago. Ids begin with their time. */
  async function aged(path: string, made: number, finished: number): Promise<string> {
    const { id, webhook } = await forms.to(`${receiver.url}/${path}`);
    await forms.submit(id);
    await eventually(() => forms.fates(webhook)).toEqual([path === '500' ? 'pending 1' : 'succeeded 1']);
    const begin = firstDeliveryId(daysAgo(made));
    await service
      .db('deliveries')
      .where({ deployment_id: id })
      .update({
        id: service.db.raw('CAST(? AS text) || substr(id, ?)', [begin, begin.length + 1]),
        created_at: daysAgo(made),
        updated_at: daysAgo(finished),
      });
    return id;
  }
  const receiver = await startReceiver((response, { path }) => void response.writeHead(Number(path.slice(1))).end());
  const ids = [await aged('200', 31, 31), await aged('200', 31, 29), await aged('500', 31, 31)];
  // A delivery waits for a webhook that is off.
  const held = await forms.to('https://nowhere.invalid/');
  await owner.patch(held.webhook).send({ active: false }).expect(200);
  await forms.test(held.webhook);
  const left = () => Promise.all([...ids, held.id].map((id) => forms.rows(id)));
  await eventually(left).toEqual([['succeeded'], ['succeeded'], ['pending'], ['pending']]);
  await removeOldRows(service.db, { logStart: daysAgo(30) });
  expect(await left()).toEqual([[], ['succeeded'], ['pending'], ['pending']]);
  await owner.delete(held.webhook).expect(200);
  // A service cleans up at its start.
  await service.another({ DELIVERY_LOG_DAYS: '28' });
  await eventually(left).toEqual([[], [], ['pending'], []]);
});
