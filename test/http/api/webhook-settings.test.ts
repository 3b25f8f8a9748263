import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../src/limits.ts';
import { aSentence, aTime, failure } from '../../support/answers.ts';
import { type Received, startReceiver } from '../../support/receivers.ts';
import { asOwner, type Owner, startTestService, type TestService } from '../../support/service.ts';

const UNKNOWN_WEBHOOK = 'wh_00000000000000000000000000';
const HOOK = 'https://hooks.invalid/a';
const ALL = ['submission'];

type Delivery = { id: string; status: string; attempts: number };
type Listed = { id: string; url: string; type: string; events: string[]; active: boolean; created_at: string };

let service: TestService;
let owner: Owner;
/** The same owner's way to another process. */
let elsewhere: Owner;
/** A webhook for what is refused, so that nothing is ever changed or sent; its path, and what is listed of it. */
let bare: string;
let untouched: Listed;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128', DELIVERY_RETRY_DELAYS: '600' });
  owner = await service.owner();
  elsewhere = asOwner((await service.another()).url, owner.key);
  bare = await create();
  untouched = await listed(bare);
});
afterAll(() => service.close());

/** Makes a webhook, of a new deployment unless one is named; its path. */
async function create(webhook: { url: string; type?: string } = { url: HOOK }, deployment?: string): Promise<string> {
  const id = deployment ?? (await owner.deploy()).id;
  const response = await owner.post(`/webhooks/${id}`).send(webhook);
  if (response.status !== 201) throw new Error(`POST /webhooks answered ${response.status}: ${response.text}`);
  return `/webhooks/${id}/${response.body.id}`;
}

const deploymentOf = (webhook: string): string => webhook.split('/')[2] ?? '';
const idOf = (webhook: string): string => webhook.split('/')[3] ?? '';

/** What GET /webhooks/:deployId has of a webhook. */
async function listed(webhook: string): Promise<Listed> {
  const { webhooks }: { webhooks: Listed[] } = (await owner.get(`/webhooks/${deploymentOf(webhook)}`).expect(200)).body;
  const found = webhooks.find(({ id }) => id === idOf(webhook));
  if (!found) throw new Error('The webhook is not listed.');
  return found;
}

/** Submits to a webhook's deployment; the submission's id. */
const submit = async (webhook: string): Promise<string> =>
  (
    await service.anonymous
      .post(`/submit/${deploymentOf(webhook)}`)
      .send({ name: 'Ada' })
      .expect(200)
  ).body.id;

const test = async (webhook: string, caller = owner): Promise<string> =>
  (await caller.post(`${webhook}/test`).expect(202)).body.id;

const logOf = async (webhook: string, query = '') =>
  (await owner.get(`${webhook}/deliveries${query}`).expect(200)).body;
const deliveriesOf = async (webhook: string): Promise<Delivery[]> => (await logOf(webhook)).deliveries;
const fates = async (webhook: string): Promise<string[]> =>
  (await deliveriesOf(webhook)).map(({ status, attempts }) => `${status} ${attempts}`);

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000, interval: 10 });

/** One delivery in a log: as a test that succeeded at once, except for `more`. */
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

/** A receiver that answers nothing until it is told to go on with a status. */
async function startHeldReceiver() {
  let status: number | undefined;
  const waiting: ServerResponse[] = [];
  const receiver = await startReceiver((response) => {
    if (status === undefined) waiting.push(response);
    else response.writeHead(status).end();
  });
  return {
    ...receiver,
    goOn(next: number) {
      status = next;
      for (const response of waiting.splice(0)) response.writeHead(next).end();
    },
  };
}

/** Whether a request is signed with a secret. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
    return true;
  } catch {
    return false;
  }
}

/** Has both processes send something new: whatever was due before has had its turn. */
async function turnsPass(): Promise<void> {
  const receiver = await startReceiver();
  const webhook = await create({ url: receiver.url });
  for (const caller of [owner, elsewhere]) {
    await test(webhook, caller);
    await eventually(async () => new Set(await fates(webhook))).toEqual(new Set(['succeeded 1']));
  }
}

describe('PATCH /webhooks/:deployId/:webhookId', () => {
  it.each<[object, object]>([
    [{ url: 'http://Example.com:8080/B%2f?c=d#e' }, { url: 'http://Example.com:8080/B%2f?c=d#e' }],
    [{ url: 'http://127.0.0.1:1/' }, { url: 'http://127.0.0.1:1/' }],
    [{ active: false }, { active: false }],
    [{ active: true }, {}],
    [{ events: ALL }, {}],
    [
      { url: 'https://b.invalid/', events: ALL, active: false },
      { url: 'https://b.invalid/', active: false },
    ],
    [{}, {}],
    [{ type: 'discord', id: 'x', deployment_id: 1, secret: null, created_at: 'x', unknown: {}, failing_since: 1 }, {}],
  ])('takes %j and answers the webhook as it is listed', async (given, changed) => {
    for (const type of ['generic', 'slack']) {
      const webhook = await create({ url: HOOK, type });
      const before = await listed(webhook);
      const response = await owner.patch(webhook).send(given);
      expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      const after = {
        id: idOf(webhook),
        url: HOOK,
        type,
        events: ALL,
        active: true,
        created_at: before.created_at,
        ...changed,
      };
      expect(response.body).toStrictEqual(after);
      expect(await listed(webhook)).toStrictEqual(after);
    }
  });

  it('takes an absent body for an empty one', async () => {
    const response = await owner.patch(bare);
    expect([response.status, response.body]).toEqual([200, untouched]);
  });

  it('leaves the other webhooks of the deployment alone', async () => {
    const webhook = await create();
    const other = await create({ url: HOOK }, deploymentOf(webhook));
    const before = await listed(other);
    await owner.patch(webhook).send({ url: 'https://b.invalid/', active: false }).expect(200);
    expect(await listed(other)).toEqual(before);
  });

  it('answers 400 for what is not UTF-8', async () => {
    const { status, body } = await owner.send('PATCH', bare, Buffer.from('{"url":"https://example.com/é"}', 'latin1'));
    expect([status, body]).toEqual([400, failure]);
  });

  it.each([
    ['text/plain', '{"active":false}'],
    ['application/x-www-form-urlencoded', 'active=false'],
    ['application/json; charset=latin1', '{"active":false}'],
    ['multipart/form-data; boundary=b', '--b--'],
    ['text/plain', 'x'.repeat(2 ** 21)],
  ])('answers 415 for %s, before 413 and 400', async (type, body) => {
    const { status, body: answer } = await owner.send('PATCH', bare, body, { 'Content-Type': type });
    expect([status, answer]).toEqual([415, failure]);
  });

  it.each([
    ['a URL of 2 MiB', `{"url":"https://example.com/${'x'.repeat(2 ** 21)}"}`],
    ['2 MiB that are no JSON', '{'.repeat(2 ** 21)],
  ])('answers 413 before 400: %s', async (_kind, body) => {
    const { status, body: answer } = await owner.send('PATCH', bare, body);
    expect([status, answer]).toEqual([413, failure]);
  });

  it('has changed nothing of what it refused', async () => {
    expect(await listed(bare)).toEqual(untouched);
  });

  it('makes one whole webhook of two changes that come at once', async () => {
    const webhook = await create();
    await Promise.all([
      ...Array.from({ length: 5 }, () => owner.patch(webhook).send({ url: 'https://b.invalid/' }).expect(200)),
      ...Array.from({ length: 5 }, () => elsewhere.patch(webhook).send({ active: false }).expect(200)),
    ]);
    expect(await listed(webhook)).toEqual({
      ...untouched,
      id: idOf(webhook),
      url: 'https://b.invalid/',
      active: false,
      created_at: aTime,
    });
  });

  it('brings back no webhook that is deleted at the same time', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const webhook = await create();
      const [gone, changed] = await Promise.all([
        owner.delete(webhook),
        elsewhere.patch(webhook).send({ active: false }),
      ]);
      expect([gone.status, changed.status]).toEqual([200, expect.toBeOneOf([200, 404])]);
      expect((await owner.get(`/webhooks/${deploymentOf(webhook)}`)).body).toEqual({ webhooks: [] });
    }
  });
});

describe('GET /webhooks/:deployId/:webhookId/secret', () => {
  it('answers the secret, the same each time, each webhook its own, which no cache keeps', async () => {
    const webhooks = [bare, await create(), await create({ url: HOOK, type: 'slack' }, deploymentOf(bare))];
    const answers = await Promise.all([...webhooks, ...webhooks].map((webhook) => owner.get(`${webhook}/secret`)));
    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual(
      answers.map(() => [200, 'no-store']),
    );
    for (const { body } of answers) {
      expect(body).toStrictEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]+={0,2}$/) });
    }
    const secrets = answers.map(({ body }): string => body.secret);
    expect(secrets.slice(3)).toEqual(secrets.slice(0, 3));
    expect(new Set(secrets).size).toBe(3);
    // Standard Webhooks 1.0: between 24 and 64 bytes.
    const lengths = secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64').length);
    expect(lengths.filter((length) => length < 24 || length > 64)).toEqual([]);
  });
});

describe('POST /webhooks/:deployId/:webhookId/secret/rotate', () => {
  it('answers a new secret, which is the one from then on', async () => {
    const webhook = await create();
    const secrets: string[] = [(await owner.get(`${webhook}/secret`)).body.secret];
    for (let round = 1; round <= 3; round += 1) {
      const response = await owner.post(`${webhook}/secret/rotate`);
      expect([response.status, response.body]).toEqual([
        200,
        { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]+={0,2}$/) },
      ]);
      expect((await owner.get(`${webhook}/secret`)).body).toStrictEqual(response.body);
      secrets.push(response.body.secret);
    }
    expect(new Set(secrets).size).toBe(4);
  });

  it('changes no other webhook', async () => {
    const webhook = await create();
    const other = await create({ url: HOOK }, deploymentOf(webhook));
    const before = (await owner.get(`${other}/secret`)).body;
    await owner.post(`${webhook}/secret/rotate`).expect(200);
    expect((await owner.get(`${other}/secret`)).body).toEqual(before);
  });

  it('answers two that come at once with secrets that both sign', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const answers = await Promise.all(
      [owner, elsewhere].map((caller) => caller.post(`${webhook}/secret/rotate`).expect(200)),
    );
    const secrets = answers.map(({ body }): string => body.secret);
    expect(new Set(secrets).size).toBe(2);
    expect(secrets).toContain((await owner.get(`${webhook}/secret`)).body.secret);
    await test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    expect(receiver.received.map((request) => secrets.map((secret) => isSigned(request, secret)))).toEqual([
      [true, true],
    ]);
  });

  it('leaves every secret of the last 24 hours valid, however many there were', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const secrets: string[] = [(await owner.get(`${webhook}/secret`)).body.secret];
    for (let round = 1; round <= 2; round += 1) {
      secrets.push((await owner.post(`${webhook}/secret/rotate`).expect(200)).body.secret);
    }
    await test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    expect(receiver.received.map((request) => secrets.map((secret) => isSigned(request, secret)))).toEqual([
      [true, true, true],
    ]);
  });
});

describe('POST /webhooks/:deployId/:webhookId/test', () => {
  it('answers 202 with the id of a delivery that carries a sample, and stores no submission', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: `${receiver.url}/hook` });
    const other = await create({ url: `${receiver.url}/other` }, deploymentOf(webhook));
    const response = await owner.post(`${webhook}/test`);
    expect([response.status, response.headers['content-type']]).toEqual([202, 'application/json; charset=utf-8']);
    expect(response.body).toStrictEqual({ id: expect.stringMatching(/^\S+$/) });
    await eventually(() => logOf(webhook)).toEqual({
      deliveries: [entry(response.body)],
      total: 1,
      page: 1,
      limit: 50,
    });
    expect(receiver.received.map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
      [
        'POST',
        '/hook',
        {
          event: 'submission',
          deployment_id: deploymentOf(webhook),
          data: expect.any(Object),
          timestamp: (await logOf(webhook)).deliveries[0].created_at,
        },
      ],
    ]);
    const { slug, url } = (await owner.get(`/deploy/${deploymentOf(webhook)}`)).body;
    const own = receiver.received.map(({ headers }) =>
      Object.entries(headers).filter(([name]) => /^formhost-/.test(name)),
    );
    expect(own.map(Object.fromEntries)).toEqual([
      { 'formhost-delivery': response.body.id, 'formhost-slug': slug, 'formhost-page-url': url },
    ]);
    const { secret } = (await owner.get(`${webhook}/secret`)).body;
    expect(receiver.received.map((request) => isSigned(request, secret))).toEqual([true]);
    expect((await owner.get(`/submissions/${deploymentOf(webhook)}`)).body).toEqual({
      submissions: [],
      total: 0,
      page: 1,
      limit: 50,
    });
    expect((await owner.get(`/deploy/${deploymentOf(webhook)}`)).body.submission_count).toBe(0);
    expect((await logOf(other)).total).toBe(0);
  });

  it('sends three blocks to Slack', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url, type: 'slack' });
    await test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const { slug } = (await owner.get(`/deploy/${deploymentOf(webhook)}`)).body;
    const [{ created_at }] = (await logOf(webhook)).deliveries;
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: `New submission for ${slug}` } },
          { type: 'section', fields: expect.any(Array) },
          { type: 'context', elements: [{ type: 'mrkdwn', text: `Submitted at ${created_at}` }] },
        ],
      },
    ]);
  });

  it('is tried again like a submission, with the same id and body', async () => {
    const receiver = await startHeldReceiver();
    const webhook = await create({ url: receiver.url });
    const id = await test(webhook);
    receiver.goOn(500);
    await eventually(async () => (await logOf(webhook)).deliveries).toEqual([
      entry({ id, status: 'pending', next_attempt_at: aTime, last_status: 500, last_error: aSentence }),
    ]);
    receiver.goOn(200);
    await owner.post(`${webhook}/deliveries/${id}/retry`).expect(202);
    await eventually(async () => (await logOf(webhook)).deliveries).toEqual([entry({ id, attempts: 2 })]);
    const [first, second] = receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(second).toEqual(first);
  });

  it('counts for no rate limit, and ignores a body', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    for (let n = 1; n <= 11; n += 1) await owner.post(`${webhook}/test`).send({ data: { n } }).expect(202);
    await submit(webhook);
    await eventually(() => fates(webhook)).toEqual(Array(12).fill('succeeded 1'));
    const samples = receiver.received.map(({ body }) => JSON.stringify(JSON.parse(body).data));
    expect(new Set(samples).size).toBe(2);
    expect(samples).not.toContain('{}');
  });
});

it('an owner may have 20 tests sent in a minute: what is refused otherwise does not count', async () => {
  const { testsPerMinute } = LIMITS.owners;
  const limited = await startTestService({}, undefined, { limits: { owners: { testsPerMinute } } });
  onTestFinished(limited.close);
  const webhookOf = async (one: Owner): Promise<string> => {
    const { id } = await one.deploy();
    const { body } = await one.post(`/webhooks/${id}`).send({ url: HOOK }).expect(201);
    return `/webhooks/${id}/${body.id}`;
  };
  const email = 'tester@test.example';
  const [tester, otherKey, other] = [
    await limited.owner({ email }),
    await limited.owner({ email }),
    await limited.owner(),
  ];
  const [first, second] = [await webhookOf(tester), await webhookOf(tester)];
  await other.post(`${first}/test`).expect(404);
  await tester.post(`/webhooks/${deploymentOf(first)}/${UNKNOWN_WEBHOOK}/test`).expect(404);
  const answers = await Promise.all(
    Array.from({ length: testsPerMinute + 10 }, (_, n) =>
      n % 2 === 0 ? tester.post(`${first}/test`) : otherKey.post(`${second}/test`),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused.map(({ status, body, headers }) => [status, body, headers['retry-after']])).toEqual(
    Array(10).fill([429, failure, expect.stringMatching(/^(?:[1-9]|[1-5]\d|60)$/)]),
  );
  await other.post(`${await webhookOf(other)}/test`).expect(202);
});

describe('GET /webhooks/:deployId/:webhookId/deliveries', () => {
  const STORED = 123;
  /** A webhook with 123 deliveries in its log, and their ids, newest first. */
  let full: string;
  let ids: string[];
  beforeAll(async () => {
    full = await create();
    const { rows } = await service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, submission_id, webhook_id, receiver, status, attempts, next_attempt_at,
         last_status, last_error, created_at, updated_at)
       SELECT 'dl_' || lpad(n::text, 44, '0'), ?, 'sub_' || lpad(n::text, 24, '0'), ?, 'hooks.invalid', 'failed', n, now(),
         500, 'no', '2026-11-03T10:00:00Z'::timestamptz + n * interval '1 s', '2026-11-04T10:00:00Z'
         FROM generate_series(1, ?) AS n RETURNING id`,
      [deploymentOf(full), idOf(full), STORED],
    );
    ids = rows.map(({ id }: { id: string }) => id).reverse();
  });

  /** What the deliveries from `newest` down to `oldest` are listed as. */
  const expected = (newest: number, oldest: number) =>
    ids.slice(STORED - newest, STORED - oldest + 1).map((id, index) => {
      const n = newest - index;
      return {
        id,
        submission_id: `sub_${String(n).padStart(24, '0')}`,
        status: 'failed',
        attempts: n,
        next_attempt_at: null,
        last_status: 500,
        last_error: 'no',
        created_at: new Date(Date.parse('2026-11-03T10:00:00Z') + n * 1_000).toISOString(),
        updated_at: '2026-11-04T10:00:00.000Z',
      };
    });

  it('answers an empty list for a webhook that has sent nothing', async () => {
    const response = await owner.get(`${bare}/deliveries`);
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(response.body).toStrictEqual({ deliveries: [], total: 0, page: 1, limit: 50 });
  });

  it.each<[string, number, number, number, number]>([
    ['', 123, 74, 1, 50],
    ['?page=1&limit=10', 123, 114, 1, 10],
    ['?page=2', 73, 24, 2, 50],
    ['?page=3', 23, 1, 3, 50],
    ['?limit=100', 123, 24, 1, 100],
    ['?limit=101', 123, 24, 1, 100],
    ['?limit=2147483647', 123, 24, 1, 100],
    ['?page=2&limit=500', 23, 1, 2, 100],
    ['?limit=1&page=123', 1, 1, 123, 1],
    ['?page=002&limit=0050', 73, 24, 2, 50],
    ['?Page=x&page%5B%5D=2&other', 123, 74, 1, 50],
  ])(
    'answers %s with the deliveries %i to %i, newest first, page %i and limit %i',
    async (query, newest, oldest, page, limit) => {
      const body = await logOf(full, query);
      expect(body).toStrictEqual({ deliveries: expected(newest, oldest), total: STORED, page, limit });
    },
  );

  it.each<[string, number, number]>([
    ['?page=4', 4, 50],
    ['?page=2147483647&limit=100', 2147483647, 100],
  ])('answers %s, past the end, with an empty page and the true total', async (query, page, limit) => {
    expect(await logOf(full, query)).toEqual({ deliveries: [], total: STORED, page, limit });
  });

  it("has what became of this webhook's deliveries only, newest first", async () => {
    const receiver = await startReceiver((response, { path }) => void response.writeHead(Number(path.slice(1))).end());
    const webhook = await create({ url: `${receiver.url}/204` });
    const other = await create({ url: `${receiver.url}/500` }, deploymentOf(webhook));
    const submissions = [await submit(webhook), await submit(webhook)];
    const id = await test(webhook);
    submissions.push(await submit(webhook));
    const [first, second, third] = submissions.map((submission_id) => ({ submission_id }));
    const succeeded = (delivery: object | undefined) => entry({ ...delivery, last_status: 204 });
    await eventually(() => logOf(webhook)).toEqual({
      deliveries: [third, { id }, second, first].map(succeeded),
      total: 4,
      page: 1,
      limit: 50,
    });
    const failed = (delivery: object | undefined) =>
      entry({ ...delivery, status: 'pending', next_attempt_at: aTime, last_status: 500, last_error: aSentence });
    await eventually(() => logOf(other)).toEqual({
      deliveries: [third, second, first].map(failed),
      total: 3,
      page: 1,
      limit: 50,
    });
  });
});

describe('POST /webhooks/:deployId/:webhookId/deliveries/:id/retry', () => {
  it('answers 202 with id and status, and sends again what has failed, succeeded or waits', async () => {
    const receiver = await startHeldReceiver();
    const webhook = await create({ url: receiver.url });
    const submission = await submit(webhook);
    receiver.goOn(500);
    // One retry is scheduled; the second attempt is the last.
    const statuses = ['pending', 'failed', 'failed', 'succeeded', 'succeeded'];
    for (const [at, status] of statuses.entries()) {
      await eventually(() => fates(webhook)).toEqual([`${status} ${at + 1}`]);
      await eventually(async () => (await logOf(webhook)).deliveries[0].last_status).toBe(at < 3 ? 500 : 200);
      const [delivery] = await deliveriesOf(webhook);
      if (at === 2) receiver.goOn(200);
      const response = await owner.post(`${webhook}/deliveries/${delivery?.id}/retry`);
      expect([response.status, response.headers['content-type']]).toEqual([202, 'application/json; charset=utf-8']);
      expect(response.body).toStrictEqual({ id: delivery?.id, status: 'pending' });
    }
    await eventually(() => logOf(webhook)).toEqual({
      deliveries: [entry({ submission_id: submission, attempts: 6 })],
      total: 1,
      page: 1,
      limit: 50,
    });
    const [first] = receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body])).toEqual(Array(6).fill(first));
  });

  it('makes no second attempt beside one that is under way', async () => {
    const receiver = await startHeldReceiver();
    const webhook = await create({ url: receiver.url });
    await submit(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const [delivery] = await deliveriesOf(webhook);
    for (const caller of [owner, elsewhere, owner]) {
      const response = await caller.post(`${webhook}/deliveries/${delivery?.id}/retry`);
      expect([response.status, response.body]).toEqual([202, { id: delivery?.id, status: 'pending' }]);
    }
    await turnsPass();
    expect(receiver.received.length).toBe(1);
    receiver.goOn(200);
    await eventually(async () => (await fates(webhook)).join()).toMatch(/^succeeded/);
  });

  it('makes one attempt of many retries that come at once, to two processes', async () => {
    const receiver = await startHeldReceiver();
    const webhook = await create({ url: receiver.url });
    const id = await test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    receiver.goOn(200);
    await eventually(() => fates(webhook)).toEqual(['succeeded 1']);
    const held = await startHeldReceiver();
    await owner.patch(webhook).send({ url: held.url }).expect(200);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? owner : elsewhere).post(`${webhook}/deliveries/${id}/retry`),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [202, { id, status: 'pending' }]),
    );
    await eventually(() => held.received.length).toBe(1);
    await turnsPass();
    expect((await logOf(webhook)).deliveries).toEqual([entry({ id, status: 'pending', attempts: 2 })]);
    held.goOn(200);
    await eventually(() => fates(webhook)).toEqual(['succeeded 2']);
    expect([receiver.received.length, held.received.length]).toEqual([1, 1]);
  });
});

describe('every path under /webhooks/:deployId/:webhookId', () => {
  it('is on no page host', async () => {
    const { slug } = await owner.deploy();
    const response = await owner.get(`${bare}/secret`).set('Host', `${slug}.pages.test`);
    expect([response.status, response.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});
