import { describe, expect, it } from 'vitest';
import { aSentence, aTime } from '../support/answers.ts';
import { inTurn, type Received, startReceiver, startToldReceiver } from '../support/receivers.ts';
import { PAGES_DOMAIN, testService } from '../support/test-service.ts';
import { aDelivery, eventually, type Form, Forms, idIn, isSigned } from '../support/webhooks.ts';

const KIB = 1024;

/** Retries after 600 and 700 seconds, which no test waits for. */
const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '600,700' });
const owner = await service.owner();
const forms = new Forms(service, owner);

/** The time of a deployment's only submission. */
const submittedAt = async (id: string): Promise<string> =>
  (await owner.get(`/submissions/${id}`).expect(200)).body.submissions[0].created_at;

/** The body of a generic webhook. */
const generic = (id: string, data: string, timestamp: string): string =>
  `{"event":"submission","deployment_id":"${id}","data":${data},"timestamp":"${timestamp}"}`;

const pathsOf = (received: readonly Received[]): string[] => received.map(({ path }) => path);

/** The headers of a request that are this service's own. */
const ownHeaders = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('formhost-')));

/** The requests that came to a receiver, except those to /turn. */
const arrived = ({ received }: { received: Received[] }) => received.filter(({ path }) => path !== '/turn');

describe('a submission', () => {
  it('is posted to a generic webhook as JSON, signed as Standard Webhooks says', async () => {
    const receiver = await startReceiver();
    const form = await forms.to(`${receiver.url}/hook/a?b=c&d=%2F`);
    const secret = await forms.secret(form.webhook);
    const submission = await forms.submit(form.id, '{"name":"Ada","n":1}');
    await eventually(() => forms.log(form.webhook)).toEqual([aDelivery({ submission_id: submission })]);
    expect(receiver.received.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/hook/a?b=c&d=%2F', body: generic(form.id, '{"name":"Ada","n":1}', await submittedAt(form.id)) },
    ]);
    expect(receiver.received.map((received) => isSigned(received, secret))).toEqual([true]);
    expect(receiver.received.map(ownHeaders)).toEqual([
      {
        'formhost-delivery': (await forms.log(form.webhook))[0]?.id,
        'formhost-submission-id': submission,
        'formhost-slug': form.slug,
        'formhost-page-url': `https://${form.slug}.${PAGES_DOMAIN}`,
      },
    ]);
  });

  it('arrives byte for byte, at every attempt, also 256 KiB', async () => {
    const text = `{"a":1.10,"a":1e400,"$&":"\\r\\nwebhook-id: x\\r\\n","b":"${'é'.repeat(127 * KIB)}"}`;
    const receiver = await startReceiver(inTurn(500, 200));
    const form = await forms.to(receiver.url);
    await forms.submit(form.id, text);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1']);
    await forms.comeDue(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 2']);
    const body = generic(form.id, text, await submittedAt(form.id));
    expect(receiver.received.map((request) => request.body === body)).toEqual([true, true]);
  });
});

describe('a delivery that failed', () => {
  it('is tried after each delay, then fails, and once more for each retry by hand, at the URL of that time', async () => {
    const receiver = await startReceiver(inTurn(500, 500, 500, 500, 204));
    const form = await forms.to(`${receiver.url}/former`);
    const submission = await forms.submit(form.id);
    for (const [attempt, seconds] of [600, 700].entries()) {
      await eventually(() => forms.fates(form.webhook)).toEqual([`pending ${attempt + 1}`]);
      const [{ next_attempt_at: next, updated_at: ended } = { next_attempt_at: null, updated_at: '' }] =
        await forms.log(form.webhook);
      // Up to a tenth more. Both ends are cut to milliseconds.
      const waitMs = Date.parse(next ?? '') - Date.parse(ended);
      expect([waitMs >= seconds * 1_000 - 1, waitMs <= seconds * 1_100 + 1]).toEqual([true, true]);
      await owner
        .patch(form.webhook)
        .send({ url: `${receiver.url}/next` })
        .expect(200);
      await forms.comeDue(form.id);
    }
    await eventually(() => forms.fates(form.webhook)).toEqual(['failed 3']);
    const [{ id } = { id: '' }] = await forms.log(form.webhook);
    await forms.retry(form.webhook, id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['failed 4']);
    await forms.retry(form.webhook, id);
    await eventually(() => forms.log(form.webhook)).toEqual([
      aDelivery({ id, submission_id: submission, attempts: 5, last_status: 204 }),
    ]);
    await forms.turnPasses(receiver);
    const [first, ...others] = arrived(receiver).map((request) => ({
      ...{ id: request.headers['webhook-id'], own: ownHeaders(request), body: request.body },
    }));
    expect(others).toEqual(Array(4).fill(first));
    expect(pathsOf(arrived(receiver))).toEqual(['/former', ...Array(4).fill('/next')]);
  });

  it('has reached no address that WEBHOOK_ALLOW_CIDRS does not open', async () => {
    const form = await forms.to('https://nowhere.invalid/');
    await service
      .db('webhooks')
      .where({ id: idIn(form.webhook) })
      .update({ url: 'http://[::1]:1/' });
    const submission = await forms.submit(form.id);
    const last_error = 'webhooks may not reach this address';
    await eventually(() => forms.log(form.webhook)).toEqual([
      aDelivery({
        submission_id: submission,
        status: 'pending',
        next_attempt_at: aTime,
        last_status: null,
        last_error,
      }),
    ]);
  });

  it('is signed with both secrets for 24 hours after a rotation, then with the new one only', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await forms.to(receiver.url);
    const before = await forms.secret(form.webhook);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1']);
    const { secret: after } = (await owner.post(`${form.webhook}/secret/rotate`).expect(200)).body;
    for (const [index, passed] of ['23 hours 59 minutes', '1 minute'].entries()) {
      await service.db.raw(
        `UPDATE webhooks SET previous_secrets = jsonb_set(previous_secrets, '{0,until}',
           to_jsonb((previous_secrets -> 0 ->> 'until')::timestamptz - CAST(? AS interval))) WHERE id = ?`,
        [passed, idIn(form.webhook)],
      );
      await forms.comeDue(form.id);
      await eventually(() => receiver.received.length).toBe(index + 2);
      await eventually(async () => (await forms.fates(form.webhook)).join()).not.toMatch('busy');
    }
    const signed = receiver.received.map((request) => [isSigned(request, before), isSigned(request, after)]);
    expect(signed).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });
});

describe('what was deleted', () => {
  it.each<[string, (form: Form) => Promise<unknown>]>([
    ['a webhook', ({ webhook }) => owner.delete(webhook).expect(200)],
    ['a deployment', ({ id }) => owner.delete(`/deploy/${id}`).expect(200)],
  ])('gets no retry, and its pending deliveries end: %s', async (_what, remove) => {
    const receiver = await startReceiver(inTurn(500));
    const form = await forms.to(receiver.url);
    await forms.submit(form.id);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1', 'pending 1']);
    await remove(form);
    await eventually(() => forms.comeDue(form.id)).toBe(0);
    await forms.turnPasses(receiver);
    expect([arrived(receiver).length, await forms.rows(form.id)]).toEqual([2, []]);
  });

  it('gets no retry, and its pending deliveries end: a submission', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await forms.to(receiver.url);
    const [kept, gone] = [await forms.submit(form.id), await forms.submit(form.id)];
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1', 'pending 1']);
    await owner.delete(`/submissions/${form.id}/${gone}`).expect(200);
    await forms.comeDue(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 2']);
    expect((await forms.log(form.webhook)).map((one) => one.submission_id)).toEqual([kept]);
    await forms.turnPasses(receiver);
    expect(arrived(receiver).length).toBe(3);
  });

  it('lets an attempt that is in progress end', async () => {
    const receiver = await startToldReceiver();
    const form = await forms.to(receiver.url);
    await forms.submit(form.id);
    await eventually(() => receiver.received.length).toBe(1);
    await owner.delete(`/deploy/${form.id}`).expect(200);
    receiver.tell(500);
    await eventually(() => forms.comeDue(form.id)).toBe(1);
    await forms.turnPasses(receiver);
    expect([arrived(receiver).length, await forms.rows(form.id)]).toEqual([1, []]);
  });
});

describe('active: false', () => {
  it('holds what is pending, a retry by hand and a test, until active: true sends them', async () => {
    const receiver = await startToldReceiver(200);
    const form = await forms.to(receiver.url);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 1']);
    const [{ id: first } = { id: '' }] = await forms.log(form.webhook);
    receiver.tell(500);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1', 'succeeded 1']);
    await owner.patch(form.webhook).send({ active: false }).expect(200);
    await forms.comeDue(form.id);
    await forms.submit(form.id);
    await forms.retry(form.webhook, first);
    await forms.test(form.webhook);
    await forms.turnPasses(receiver);
    expect([arrived(receiver).length, await forms.fates(form.webhook)]).toEqual([2, ['busy 0', 'busy 1', 'busy 1']]);
    receiver.tell(200);
    await owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 1', 'succeeded 2', 'succeeded 2']);
    expect(arrived(receiver).length).toBe(5);
  });
});

describe('a webhook that is given up', () => {
  /** Has a webhook's first failure since a success be so long ago. */
  const failingFor = async ({ webhook }: Form, age: string): Promise<void> => {
    await service
      .db('webhooks')
      .where({ id: idIn(webhook) })
      .whereNotNull('failing_since')
      .update({ failing_since: service.db.raw('now() - CAST(? AS interval)', [age]) });
  };

  it('is off at once after a 410, and gets nothing until it is switched on', async () => {
    const receiver = await startToldReceiver(410);
    const form = await forms.to(receiver.url);
    const submission = await forms.submit(form.id);
    await eventually(() => forms.isActive(form)).toBe(false);
    expect(await forms.log(form.webhook)).toEqual([
      aDelivery({
        submission_id: submission,
        status: 'pending',
        last_status: 410,
        last_error: aSentence,
      }),
    ]);
    await forms.submit(form.id);
    await forms.comeDue(form.id);
    await forms.turnPasses(receiver);
    expect([arrived(receiver).length, await forms.fates(form.webhook)]).toEqual([1, ['busy 1']]);
    receiver.tell(200);
    await owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 2']);
  });

  it.each<[string, boolean]>([
    ['5 days', false],
    ['4 days 23 hours 59 minutes', true],
  ])('is off after a failure when all have failed for %s: active is %s', async (age, active) => {
    const receiver = await startReceiver(inTurn(500));
    const form = await forms.to(receiver.url);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1']);
    await failingFor(form, age);
    await forms.comeDue(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual([active ? 'pending 2' : 'busy 2']);
    await eventually(() => forms.isActive(form)).toBe(active);
  });

  it('has five days more from a success, and when it was switched on again', async () => {
    const receiver = await startToldReceiver(500);
    const form = await forms.to(receiver.url);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['pending 1']);
    await failingFor(form, '6 days');
    receiver.tell(200);
    await forms.submit(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 1', 'pending 1']);
    receiver.tell(500);
    await forms.comeDue(form.id);
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 1', 'pending 2']);
    expect(await forms.isActive(form)).toBe(true);
    await failingFor(form, '6 days');
    await forms.comeDue(form.id);
    await eventually(() => forms.isActive(form)).toBe(false);
    await owner.patch(form.webhook).send({ active: true }).expect(200);
    await forms.retry(form.webhook, (await forms.log(form.webhook))[1]?.id ?? '');
    await eventually(() => forms.fates(form.webhook)).toEqual(['succeeded 1', 'failed 4']);
    expect(await forms.isActive(form)).toBe(true);
  });
});
