import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { firstDeliveryId } from '../../../src/lib/ids.ts';
import { aSentence, aTime } from '../../support/answers.ts';
import { testLimits } from '../../support/limits.ts';
import { seenMails } from '../../support/mail.ts';
import { type Answer, type Received, startReceiver } from '../../support/receivers.ts';
import { type Owner, PAGES_DOMAIN, startTestService, type TestService } from '../../support/service.ts';
import { headerOf, readMail, type SmtpServer, startSmtpServer, type Trouble } from '../../support/smtp.ts';

const KIB = 1024;
const DAY_MS = 24 * 60 * 60 * 1_000;

type Listed = {
  id: string;
  submission_id: string | null;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  updated_at: string;
};

let smtp: SmtpServer;
/** Sends mail, and retries after 600 and 700 seconds, which no test waits for. */
let service: TestService;
let owner: Owner;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startTestService({
    ...{ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '600,700' },
    ...{ SMTP_URL: smtp.url, MAIL_FROM: 'Forms <forms@pages.example>' },
  });
  owner = await service.owner();
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000, interval: 10 });

/** Adds a webhook to a deployment; its path. */
async function addWebhook(id: string, url: string, type = 'generic'): Promise<string> {
  const { body } = await owner.post(`/webhooks/${id}`).send({ url, type }).expect(201);
  return `/webhooks/${id}/${body.id}`;
}

const idIn = (path: string): string => path.replace(/.*\//, '');

type Form = { id: string; slug: string; webhook: string };

/** A new deployment with a webhook; `webhook` is its path. */
async function formTo(url: string): Promise<Form> {
  const { id, slug } = await owner.deploy();
  return { id, slug, webhook: await addWebhook(id, url) };
}

/** Submits the JSON text of an object; the submission's id. */
const submit = async (id: string, text = '{"name":"Ada"}'): Promise<string> =>
  (await service.anonymous.post(`/submit/${id}`).type('json').send(text).expect(200)).body.id;

/** The time of a deployment's only submission. */
const submittedAt = async (id: string): Promise<string> =>
  (await owner.get(`/submissions/${id}`).expect(200)).body.submissions[0].created_at;

const logOf = async (webhook: string): Promise<Listed[]> =>
  (await owner.get(`${webhook}/deliveries`).expect(200)).body.deliveries;

/** Status and attempts of a webhook's deliveries, newest first; `busy`: an attempt is in progress, or the webhook is off. */
const fates = async (webhook: string): Promise<string[]> =>
  (await logOf(webhook)).map(({ status, attempts, next_attempt_at: next }) =>
    status === 'pending' && next === null ? `busy ${attempts}` : `${status} ${attempts}`,
  );

/** One delivery in a log: as one that succeeded at once, except for `more`. */
const entry = (more: object) => ({
  id: expect.stringMatching(/^\S+$/),
  submission_id: null,
  status: 'succeeded',
  attempts: 1,
  next_attempt_at: null,
  last_status: 200,
  last_error: null,
  created_at: aTime,
  updated_at: aTime,
  ...more,
});

const retry = async (webhook: string, id: string): Promise<void> => {
  await owner.post(`${webhook}/deliveries/${id}/retry`).expect(202);
};

/** Has the time come for a deployment's pending deliveries; how many there are. */
const comeDue = (id: string) =>
  service
    .db('deliveries')
    .where({ deployment_id: id, status: 'pending', leased: false })
    .update({ next_attempt_at: service.db.fn.now() });

/** The deliveries that the database has of a deployment. */
const rowsOf = (id: string): Promise<string[]> => service.db('deliveries').where({ deployment_id: id }).pluck('status');

/** The body of a generic webhook. */
const generic = (id: string, data: string, timestamp: string): string =>
  `{"event":"submission","deployment_id":"${id}","data":${data},"timestamp":"${timestamp}"}`;

function isSigned({ headers, body }: Received, secret: string): boolean {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
    return true;
  } catch {
    return false;
  }
}

const secretOf = async (webhook: string): Promise<string> =>
  (await owner.get(`${webhook}/secret`).expect(200)).body.secret;

/** Returns these statuses in turn, and goes on with the last. */
function inTurn(...statuses: number[]): Answer {
  const left = [...statuses];
  return (response) => void response.writeHead((left.length > 1 ? left.shift() : left[0]) ?? 200).end();
}

/** A receiver that answers as it was last told to: with a status, or not yet. */
async function startToldReceiver(status?: number) {
  let now = status;
  const waiting: ServerResponse[] = [];
  const receiver = await startReceiver((response) => {
    if (now === undefined) waiting.push(response);
    else response.writeHead(now).end();
  });
  return {
    ...receiver,
    tell(next: number) {
      now = next;
      for (const response of waiting.splice(0)) response.writeHead(next).end();
    },
  };
}

const pathsOf = ({ received }: { received: Received[] }): string[] => received.map(({ path }) => path);
/** The headers of a request that are this service's own. */
const ownHeaders = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('formhost-')));
/** What has to be the same on every attempt of a delivery. */
const essence = (request: Received) => ({
  id: request.headers['webhook-id'],
  own: ownHeaders(request),
  body: request.body,
});

/** Sees a new delivery to a receiver: whatever was due there before has been sent, too. */
async function turnPasses(receiver: { url: string; received: Received[] }): Promise<void> {
  const { id, webhook } = await formTo(`${receiver.url}/turn`);
  await owner.post(`${webhook}/test`).expect(202);
  await eventually(() => receiver.received.some(({ body }) => body.includes(id))).toBe(true);
}

/** What came to a receiver, except for turns. */
const arrived = ({ received }: { received: Received[] }) => received.filter(({ path }) => path !== '/turn');

describe('a submission', () => {
  it('is posted to a generic webhook as JSON, signed as Standard Webhooks says', async () => {
    const receiver = await startReceiver();
    const form = await formTo(`${receiver.url}/hook/a?b=c&d=%2F`);
    const submission = await submit(form.id, '{"name":"Ada","n":1}');
    await eventually(async () => (await owner.get(`${form.webhook}/deliveries`)).body).toEqual({
      deliveries: [entry({ submission_id: submission })],
      total: 1,
      page: 1,
      limit: 50,
    });
    expect(receiver.received).toEqual([
      {
        method: 'POST',
        path: '/hook/a?b=c&d=%2F',
        headers: expect.objectContaining({
          host: `127.0.0.1:${receiver.port}`,
          'content-type': 'application/json',
          'webhook-id': expect.stringMatching(/^\S+$/),
          'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
        }),
        body: generic(form.id, '{"name":"Ada","n":1}', await submittedAt(form.id)),
      },
    ]);
    expect(receiver.received.map(ownHeaders)).toEqual([
      {
        'formhost-delivery': (await logOf(form.webhook))[0]?.id,
        'formhost-submission-id': submission,
        'formhost-slug': form.slug,
        'formhost-page-url': `https://${form.slug}.${PAGES_DOMAIN}`,
      },
    ]);
  });

  it('is posted to a Slack webhook as three blocks, and to a generic one beside it, each signed with its secret', async () => {
    const receiver = await startReceiver();
    const { id, slug } = await owner.deploy();
    const webhooks = {
      '/slack': await addWebhook(id, `${receiver.url}/slack`, 'slack'),
      '/generic': await addWebhook(id, `${receiver.url}/generic`),
    };
    const names = [...'abcdefghijkl'];
    const data = `{${names.map((name) => `"${name}":"<${name}> & co"`).join(',')}}`;
    await submit(id, data);
    await eventually(() => pathsOf(receiver).toSorted()).toEqual(['/generic', '/slack']);
    const time = await submittedAt(id);
    const bodies = new Map(receiver.received.map(({ path, body }) => [path, body]));
    expect(JSON.parse(bodies.get('/slack') ?? '')).toEqual({
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: `New submission for ${slug}` } },
        {
          type: 'section',
          fields: names.slice(0, 10).map((name) => ({ type: 'mrkdwn', text: `*${name}*\n&lt;${name}&gt; &amp; co` })),
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `Submitted at ${time}` }] },
      ],
    });
    expect(bodies.get('/generic')).toBe(generic(id, data, time));
    for (const [path, webhook] of Object.entries(webhooks)) {
      const secret = await secretOf(webhook);
      expect(receiver.received.filter((request) => isSigned(request, secret)).map((one) => one.path)).toEqual([path]);
    }
  });

  it.each([
    ['numbers that no double holds', '{"a":1.10,"b":1e400,"c":9223372036854775807,"d":-0,"e":1E+2}'],
    ['integer-like and repeated keys, __proto__', '{"10":1,"2":2,"b":3,"b":[5,{"c":1,"c":2}],"__proto__":{"x":true}}'],
    ['NUL, lone surrogates and escapes', '{"\\u0000":"\\ud800","a":"\\/\\u0041\\"\\\\","raw":"/Aé😀\u2028\u007f"}'],
    ['the envelope and header injection', '{"event":"x","timestamp":"},{","a":"\\r\\nwebhook-id: x\\r\\n","$&":"$1"}'],
    ['256 KiB', `{"a":"${'é'.repeat(127 * KIB)}"}`],
  ])('arrives byte for byte, at every attempt: %s', async (_kind, text) => {
    const receiver = await startReceiver(inTurn(500, 200));
    const form = await formTo(receiver.url);
    await submit(form.id, text);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1']);
    await comeDue(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 2']);
    const body = generic(form.id, text, await submittedAt(form.id));
    expect(receiver.received.map((request) => request.body === body)).toEqual([true, true]);
    expect(isSigned(receiver.received[1] ?? Object.create(null), await secretOf(form.webhook))).toBe(true);
  });

  it('that was not accepted is not sent: a honeypot hit, what cannot be read, an eleventh in a minute', async () => {
    const receiver = await startReceiver();
    const form = await formTo(receiver.url);
    const send = async (body: string) =>
      (await service.anonymous.post(`/submit/${form.id}`).type('json').send(body)).status;
    expect([await send('{"_hp":"x","name":"Bot"}'), await send('{"name":')]).toEqual([200, 400]);
    for (let n = 1; n <= 10; n += 1) expect(await send(`{"n":${n}}`)).toBe(200);
    expect(await send('{"n":11}')).toBe(429);
    await eventually(() => fates(form.webhook)).toEqual(Array(10).fill('succeeded 1'));
    const numbers = receiver.received.map(({ body }): number => JSON.parse(body).data.n);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, at) => at + 1));
  });

  it('is not sent to a webhook that was created after it, is off, or listens for something else', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(`${receiver.url}/first`);
    const off = await addWebhook(form.id, `${receiver.url}/off`);
    const other = await addWebhook(form.id, `${receiver.url}/other`);
    await owner.patch(off).send({ active: false }).expect(200);
    // No other event is known yet.
    await service
      .db('webhooks')
      .where({ id: idIn(other) })
      .update({ events: ['another'] });
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1']);
    const late = await addWebhook(form.id, `${receiver.url}/late`);
    await owner.patch(off).send({ active: true }).expect(200);
    await comeDue(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 2']);
    expect(await Promise.all([off, other, late].map(fates))).toEqual([[], [], []]);
    await submit(form.id);
    await eventually(() => pathsOf(receiver).toSorted()).toEqual(['/first', '/first', '/first', '/late', '/off']);
  });
});

describe('a delivery that failed', () => {
  it('is tried after each delay, then fails, and once more for each retry by hand, at the URL of that time', async () => {
    const receiver = await startReceiver(inTurn(500, 500, 500, 500, 204));
    const form = await formTo(`${receiver.url}/former`);
    const submission = await submit(form.id, '{"b":1.10,"a":"\\u0041"}');
    for (const [attempt, seconds] of [600, 700].entries()) {
      await eventually(() => fates(form.webhook)).toEqual([`pending ${attempt + 1}`]);
      const [{ next_attempt_at: next, updated_at: ended } = { next_attempt_at: null, updated_at: '' }] = await logOf(
        form.webhook,
      );
      // Up to a tenth more. Both ends are cut to milliseconds.
      const waitMs = Date.parse(next ?? '') - Date.parse(ended);
      expect([waitMs >= seconds * 1_000 - 1, waitMs <= seconds * 1_100 + 1]).toEqual([true, true]);
      await owner
        .patch(form.webhook)
        .send({ url: `${receiver.url}/next` })
        .expect(200);
      await comeDue(form.id);
    }
    await eventually(() => fates(form.webhook)).toEqual(['failed 3']);
    const [{ id } = { id: '' }] = await logOf(form.webhook);
    await retry(form.webhook, id);
    await eventually(() => fates(form.webhook)).toEqual(['failed 4']);
    await retry(form.webhook, id);
    await eventually(() => logOf(form.webhook)).toEqual([
      entry({ id, submission_id: submission, attempts: 5, last_status: 204 }),
    ]);
    await turnPasses(receiver);
    const [first, ...others] = arrived(receiver).map(essence);
    expect(others).toEqual(Array(4).fill(first));
    expect(first?.body).toBe(generic(form.id, '{"b":1.10,"a":"\\u0041"}', await submittedAt(form.id)));
    expect(pathsOf({ received: arrived(receiver) })).toEqual(['/former', ...Array(4).fill('/next')]);
  });

  it('has reached no address that WEBHOOK_ALLOW_CIDRS does not open', async () => {
    const form = await formTo('https://nowhere.invalid/');
    await service
      .db('webhooks')
      .where({ id: idIn(form.webhook) })
      .update({ url: 'http://[::1]:1/' });
    const submission = await submit(form.id);
    const last_error = 'webhooks may not reach this address';
    await eventually(() => logOf(form.webhook)).toEqual([
      entry({ submission_id: submission, status: 'pending', next_attempt_at: aTime, last_status: null, last_error }),
    ]);
  });

  it('is signed with both secrets for 24 hours after a rotation, then with the new one only', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(receiver.url);
    const before = await secretOf(form.webhook);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1']);
    const { secret: after } = (await owner.post(`${form.webhook}/secret/rotate`).expect(200)).body;
    for (const [index, passed] of ['23 hours 59 minutes', '1 minute'].entries()) {
      await service.db.raw(
        `UPDATE webhooks SET previous_secrets = jsonb_set(previous_secrets, '{0,until}',
           to_jsonb((previous_secrets -> 0 ->> 'until')::timestamptz - CAST(? AS interval))) WHERE id = ?`,
        [passed, idIn(form.webhook)],
      );
      await comeDue(form.id);
      await eventually(() => receiver.received.length).toBe(index + 2);
      await eventually(async () => (await fates(form.webhook)).join()).not.toMatch('busy');
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
    const form = await formTo(receiver.url);
    await submit(form.id);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1', 'pending 1']);
    await remove(form);
    await eventually(() => comeDue(form.id)).toBe(0);
    await turnPasses(receiver);
    expect([arrived(receiver).length, await rowsOf(form.id)]).toEqual([2, []]);
  });

  it('gets no retry, and its pending deliveries end: a submission', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(receiver.url);
    const [kept, gone] = [await submit(form.id), await submit(form.id)];
    await eventually(() => fates(form.webhook)).toEqual(['pending 1', 'pending 1']);
    await owner.delete(`/submissions/${form.id}/${gone}`).expect(200);
    await comeDue(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 2']);
    expect((await logOf(form.webhook)).map((one) => one.submission_id)).toEqual([kept]);
    await turnPasses(receiver);
    expect(arrived(receiver).length).toBe(3);
  });

  it('lets an attempt that is in progress end', async () => {
    const receiver = await startToldReceiver();
    const form = await formTo(receiver.url);
    await submit(form.id);
    await eventually(() => receiver.received.length).toBe(1);
    await owner.delete(`/deploy/${form.id}`).expect(200);
    receiver.tell(500);
    await eventually(() => comeDue(form.id)).toBe(1);
    await turnPasses(receiver);
    expect([arrived(receiver).length, await rowsOf(form.id)]).toEqual([1, []]);
  });
});

describe('active: false', () => {
  it('holds what is pending, a retry by hand and a test, until active: true sends them', async () => {
    const receiver = await startToldReceiver(200);
    const form = await formTo(receiver.url);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 1']);
    const [{ id: first } = { id: '' }] = await logOf(form.webhook);
    receiver.tell(500);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1', 'succeeded 1']);
    await owner.patch(form.webhook).send({ active: false }).expect(200);
    await comeDue(form.id);
    await submit(form.id);
    await retry(form.webhook, first);
    await owner.post(`${form.webhook}/test`).expect(202);
    await turnPasses(receiver);
    expect([arrived(receiver).length, await fates(form.webhook)]).toEqual([2, ['busy 0', 'busy 1', 'busy 1']]);
    receiver.tell(200);
    await owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 1', 'succeeded 2', 'succeeded 2']);
    expect(arrived(receiver).length).toBe(5);
  });
});

describe('a webhook that is given up', () => {
  const isActive = async ({ id }: Form): Promise<boolean> =>
    (await owner.get(`/webhooks/${id}`).expect(200)).body.webhooks[0].active;

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
    const form = await formTo(receiver.url);
    const submission = await submit(form.id);
    await eventually(() => isActive(form)).toBe(false);
    expect(await logOf(form.webhook)).toEqual([
      entry({ submission_id: submission, status: 'pending', last_status: 410, last_error: aSentence }),
    ]);
    await submit(form.id);
    await comeDue(form.id);
    await turnPasses(receiver);
    expect([arrived(receiver).length, await fates(form.webhook)]).toEqual([1, ['busy 1']]);
    receiver.tell(200);
    await owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 2']);
  });

  it.each<[string, boolean]>([
    ['5 days', false],
    ['4 days 23 hours 59 minutes', true],
  ])('is off after a failure when all have failed for %s: active is %s', async (age, active) => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(receiver.url);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1']);
    await failingFor(form, age);
    await comeDue(form.id);
    await eventually(() => fates(form.webhook)).toEqual([active ? 'pending 2' : 'busy 2']);
    await eventually(() => isActive(form)).toBe(active);
  });

  it('has five days more from a success, and when it was switched on again', async () => {
    const receiver = await startToldReceiver(500);
    const form = await formTo(receiver.url);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['pending 1']);
    await failingFor(form, '6 days');
    receiver.tell(200);
    await submit(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 1', 'pending 1']);
    receiver.tell(500);
    await comeDue(form.id);
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 1', 'pending 2']);
    expect(await isActive(form)).toBe(true);
    await failingFor(form, '6 days');
    await comeDue(form.id);
    await eventually(() => isActive(form)).toBe(false);
    await owner.patch(form.webhook).send({ active: true }).expect(200);
    await retry(form.webhook, (await logOf(form.webhook))[1]?.id ?? '');
    await eventually(() => fates(form.webhook)).toEqual(['succeeded 1', 'failed 4']);
    expect(await isActive(form)).toBe(true);
  });
});

it('a receiver that hangs delays neither visitors nor other receivers', async () => {
  const [hanging, well] = [await startToldReceiver(), await startReceiver(inTurn(500, 200))];
  const form = await formTo(hanging.url);
  for (let n = 1; n <= 9; n += 1) await submit(form.id);
  const other = await formTo(well.url);
  await submit(other.id);
  await eventually(() => fates(other.webhook)).toEqual(['pending 1']);
  await comeDue(other.id);
  await eventually(() => fates(other.webhook)).toEqual(['succeeded 2']);
  hanging.tell(200);
  await eventually(() => fates(form.webhook)).toEqual(Array(9).fill('succeeded 1'));
  expect(hanging.received.length).toBe(9);
});

it('the log keeps a finished delivery for DELIVERY_LOG_DAYS, a pending one for ever, and nothing of what was deleted', async () => {
  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
  /** A delivery that was made, and finished, so many days ago. Ids begin with their time. */
  async function aged(path: string, made: number, finished: number): Promise<string> {
    const { id, webhook } = await formTo(`${receiver.url}/${path}`);
    await submit(id);
    await eventually(() => fates(webhook)).toEqual([path === '500' ? 'pending 1' : 'succeeded 1']);
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
  // What is held for a webhook.
  const held = await formTo('https://nowhere.invalid/');
  await owner.patch(held.webhook).send({ active: false }).expect(200);
  await owner.post(`${held.webhook}/test`).expect(202);
  const left = () => Promise.all([...ids, held.id].map(rowsOf));
  await eventually(left).toEqual([['succeeded'], ['succeeded'], ['pending'], ['pending']]);
  await removeOldRows(service.db, { logStart: daysAgo(30), limits: testLimits() });
  expect(await left()).toEqual([[], ['succeeded'], ['pending'], ['pending']]);
  await owner.delete(held.webhook).expect(200);
  // A service cleans up at its start.
  await service.another({ DELIVERY_LOG_DAYS: '28' });
  await eventually(left).toEqual([[], [], ['pending'], []]);
});

describe('mail', () => {
  const OWNER = 'owner1@test.example';

  /** A deployment whose owner gets mail. */
  async function mailForm(): Promise<{ id: string; slug: string }> {
    const form = await owner.deploy();
    await owner.patch(`/deploy/${form.id}`).send({ email_notifications: true }).expect(200);
    return form;
  }

  /** The mails that came about a deployment. */
  const mailsOf = ({ slug }: { slug: string }) => seenMails(smtp).filter(({ subject }) => subject.includes(slug));

  /** Sees a mail about a new submission: whatever was due before has been sent, too. */
  async function mailPasses(): Promise<void> {
    const form = await mailForm();
    await submit(form.id);
    await eventually(() => mailsOf(form).length).toBe(1);
  }

  function makeTrouble(trouble: Trouble): void {
    smtp.makeTrouble(trouble);
    onTestFinished(() => smtp.makeTrouble());
  }

  it('tells the owner of a submission, as text and as HTML', async () => {
    const form = await mailForm();
    const data = '{"name":"Ada <3","email":"ada@home.example","_gotcha":"x","message":"Hello,\\nworld"}';
    await submit(form.id, data);
    await eventually(() => mailsOf(form).length).toBe(1);
    const [mail] = smtp.received.filter(({ raw }) => raw.includes(form.slug));
    expect([mail?.from, mail?.to]).toEqual(['forms@pages.example', [OWNER]]);
    const { headers, parts } = readMail(mail?.raw ?? Buffer.of());
    expect(Object.fromEntries(headers)).toEqual({
      From: 'Forms <forms@pages.example>',
      To: OWNER,
      'Reply-To': 'ada@home.example',
      Subject: `New submission for ${form.slug}`,
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': expect.stringMatching(
        new RegExp(`^<http://api\\.test/unsubscribe/${form.id}\\?signature=[\\w-]{43}>$`),
      ),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'MIME-Version': '1.0',
      Date: aSentence,
      'Message-ID': aSentence,
      'Content-Type': aSentence,
    });
    expect(parts.map((part) => headerOf(part.headers, 'Content-Type'))).toEqual([
      'text/plain; charset=utf-8',
      'text/html; charset=utf-8',
    ]);
    const shown = parts.map(({ text }) => ['<3', '&lt;3', '_gotcha'].filter((piece) => text.includes(piece)));
    expect(shown).toEqual([['<3'], ['&lt;3']]);
  });

  it('comes while it is switched on; what waits for a retry is not sent when it is off, or the deployment deleted', async () => {
    const [never, gone, off] = [await owner.deploy(), await mailForm(), await mailForm()];
    makeTrouble({ at: 'mail', does: { code: 451, text: 'Later' } });
    for (const { id } of [never, gone, off]) await submit(id);
    const waiting = () =>
      service.db('deliveries').whereIn('deployment_id', [gone.id, off.id]).whereNotNull('last_error');
    await eventually(async () => (await waiting()).length).toBe(2);
    smtp.makeTrouble();
    await owner.delete(`/deploy/${gone.id}`).expect(200);
    await owner.patch(`/deploy/${off.id}`).send({ email_notifications: false }).expect(200);
    for (const { id } of [gone, off]) expect(await comeDue(id)).toBe(1);
    await eventually(() => Promise.all([never, gone, off].map(({ id }) => rowsOf(id)))).toEqual([[], [], []]);
    await submit(off.id);
    await mailPasses();
    expect([never, gone, off].flatMap(mailsOf)).toEqual([]);
  });

  it('is tried again, the same mail, while the webhooks beside it go out, and given up after the last retry', async () => {
    const receiver = await startReceiver();
    const form = await mailForm();
    const webhook = await addWebhook(form.id, receiver.url);
    makeTrouble({ at: 'message', does: { code: 451, text: 'Later' } });
    const met = smtp.met();
    await submit(form.id);
    await eventually(() => fates(webhook)).toEqual(['succeeded 1']);
    for (const tries of [1, 2]) {
      await eventually(async () => (smtp.met() === met + tries ? comeDue(form.id) : 0)).toBe(1);
    }
    await eventually(async () => (await rowsOf(form.id)).toSorted()).toEqual(['failed', 'succeeded']);
    const log = (await owner.get(`/deploy/${form.id}/mails`)).body.deliveries;
    smtp.makeTrouble();
    await owner.post(`/deploy/${form.id}/mails/${log[0].id}/retry`).expect(202);
    await eventually(() => mailsOf(form).map(({ id }) => id)).toEqual([`<${log[0].id}@pages.example>`]);
    expect(smtp.met()).toBe(met + 3);
  });

  it('delays neither the visitor nor a webhook while the mail server hangs', async () => {
    const receiver = await startReceiver();
    const form = await mailForm();
    const webhook = await addWebhook(form.id, receiver.url);
    const met = smtp.met();
    makeTrouble({ at: 'mail', does: 'hang' });
    await submit(form.id);
    await eventually(() => smtp.met()).toBe(met + 1);
    await submit(form.id);
    await eventually(() => fates(webhook)).toEqual(['succeeded 1', 'succeeded 1']);
    smtp.makeTrouble();
    for (const socket of smtp.sockets.values()) socket.destroy();
  });

  it('tells the owner of a webhook that was switched off, once a day however often that is', async () => {
    const receiver = await startToldReceiver(410);
    const { id, slug, webhook } = await formTo(`${receiver.url}/secret-path`);
    const webhooks = service.db('webhooks').where({ id: idIn(webhook) });
    const isActive = async () => (await owner.get(`/webhooks/${id}`)).body.webhooks[0].active;
    const isBusy = async () => (await service.db('deliveries').where({ deployment_id: id, leased: true })).length > 0;
    const about = () => mailsOf({ slug }).map(({ to, subject }) => ({ to, subject }));
    const notice = { to: OWNER, subject: `A webhook of ${slug} was switched off` };
    await submit(id);
    await eventually(isActive).toBe(false);
    await eventually(about).toEqual([notice]);
    expect(mailsOf({ slug })[0]?.text).toContain(`\nURL: ${receiver.url}/secret-path\n`);
    for (const [age, mails] of [
      ['23 hours 59 minutes', 1],
      ['1 day', 2],
    ] as const) {
      await eventually(isBusy).toBe(false);
      await webhooks.clone().update({ noticed_at: service.db.raw('now() - CAST(? AS interval)', [age]) });
      await owner.patch(webhook).send({ active: true }).expect(200);
      await submit(id);
      await eventually(isActive).toBe(false);
      await eventually(about).toEqual(Array(mails).fill(notice));
      await mailPasses();
      expect(about()).toEqual(Array(mails).fill(notice));
    }
  });
});
