import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/limits.ts';
import { aSentence, aTime, failure, refused } from '../../support/answers.ts';
import { type Received, startReceiver } from '../../support/receivers.ts';
import { type Owner, startTestService, type TestService, UNKNOWN_ID } from '../../support/service.ts';

const UNKNOWN_WEBHOOK = 'wh_00000000000000000000000000';
const HOOK = 'https://hooks.invalid/a';
const MOST = 50;
const { testsPerMinute } = LIMITS.owners;

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '600' }, undefined, {
    limits: { owners: { testsPerMinute } },
  });
  owner = await service.owner();
});
afterAll(() => service.close());

const deploy = async (): Promise<string> => (await owner.deploy()).id;

type Listed = { id: string; url: string; type: string; events: string[]; active: boolean; created_at: string };
const list = async (id: string): Promise<Listed[]> => (await owner.get(`/webhooks/${id}`).expect(200)).body.webhooks;

/** What is listed of a new webhook. */
const listed = (more: object) => ({
  ...{ id: expect.stringMatching(/^wh_[0-9A-Za-z]{20,}$/), url: HOOK, type: 'generic' },
  ...{ events: ['submission'], active: true, created_at: aTime },
  ...more,
});

/** Makes a webhook, of a new deployment unless one is named; its path. */
async function create(webhook: { url: string; type?: string } = { url: HOOK }, deployment?: string): Promise<string> {
  const id = deployment ?? (await deploy());
  const { body } = await owner.post(`/webhooks/${id}`).send(webhook).expect(201);
  return `/webhooks/${id}/${body.id}`;
}
const deploymentOf = (webhook: string): string => webhook.split('/')[2] ?? '';

const post = async (id: string, body: object) => {
  const { status, body: answer } = await owner.post(`/webhooks/${id}`).send(body);
  return { status, body: answer };
};
const submit = async (webhook: string): Promise<string> =>
  (
    await service.anonymous
      .post(`/submit/${deploymentOf(webhook)}`)
      .send({ name: 'Ada' })
      .expect(200)
  ).body.id;
const test = async (webhook: string): Promise<string> => (await owner.post(`${webhook}/test`).expect(202)).body.id;
const secretOf = async (webhook: string): Promise<string> => (await owner.get(`${webhook}/secret`)).body.secret;

const logOf = async (webhook: string, query = '') =>
  (await owner.get(`${webhook}/deliveries${query}`).expect(200)).body;
const fates = async (webhook: string): Promise<string[]> =>
  (await logOf(webhook)).deliveries.map((one: { status: string; attempts: number }) => `${one.status} ${one.attempts}`);

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

function isSigned({ headers, body }: Received, secret: string): boolean {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
    return true;
  } catch {
    return false;
  }
}

/** Has something new sent: whatever was due before has been sent, too. */
async function turnPasses(): Promise<void> {
  const webhook = await create({ url: (await startReceiver()).url });
  await test(webhook);
  await eventually(() => fates(webhook)).toEqual(['succeeded 1']);
}

describe('POST /webhooks/:deployId', () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ type: 'slack', events: ['submission'] }, { type: 'slack' }],
    [{ type: 'generic', active: false, id: UNKNOWN_WEBHOOK, deployment_id: UNKNOWN_ID, secret: 'x' }, {}],
  ])('answers 201 with id, deployment_id, url and type: %j', async (given, more) => {
    const id = await deploy();
    const { status, body } = await post(id, { url: HOOK, ...given });
    const webhook = { id: body.id, url: HOOK, type: 'generic', ...more };
    expect([status, body]).toEqual([201, { ...webhook, deployment_id: id }]);
    expect(await list(id)).toEqual([listed(webhook)]);
  });

  it('takes the address of any receiver and gives it back as given', async () => {
    const id = await deploy();
    const urls = [
      'http://example.com',
      'HTTPS://Example.COM:443/A%2fb/../c?d=e&f#g',
      'https://user.example.com/@path:x?u=a@b',
      'https://bücher.example/käse',
      'http://internal:3000/hook',
      'http://127.0.0.1.example.com/',
      'http://127.1:8080/x',
      'http://8.8.8.8:8080/x',
      'http://[2606:4700:4700::1111]/',
      `https://example.com/${'x'.repeat(2048 - 'https://example.com/'.length)}`,
    ];
    for (const url of urls) expect(await post(id, { url })).toMatchObject({ status: 201, body: { url } });
    expect((await list(id)).map(({ url }) => url)).toEqual(urls);
  });

  it('answers 400 for what is no URL of a receiver, unknown types and events, and makes nothing', async () => {
    const id = await deploy();
    const urls = [
      ...['example.com', '//example.com/hook', 'http://', 'https://?x', 'ftp://example.com', 'javascript:alert(1)'],
      ...['https://user:pass@example.com', 'https://user@example.com', 'https://a%40b:c@d.example'],
      ...['https://example.com:65536', 'https://[::1', 'https://256.1.1.1', 'https://exa<mple.com', ''],
      ...[' https://example.com', 'https://example.com/a b', 'ht\ntps://example.com', 'https://example.com/\0'],
      ...['https://example.com/\u007f', 'https://example.com/\ud800', `https://example.com/${'x'.repeat(2029)}`],
      // Networks that WEBHOOK_ALLOW_CIDRS does not open, however they are written.
      ...['http://10.0.0.1/', 'http://3232235521/', 'https://[::1]/hook?x#y', 'http://[::ffff:10.0.0.1]/'],
      ...['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://[64:ff9b::a9fe:a9fe]/', 'http://１0.0。0.1/'],
    ];
    for (const url of urls) expect([url, await post(id, { url })]).toEqual([url, refused(400)]);
    const others = [{}, { url: 1 }, { url: [HOOK] }, { url: HOOK, type: 'Slack' }, { url: HOOK, type: ['slack'] }];
    const events = [[], ['unknown'], ['submission', 'unknown'], 'submission', [1], { 0: 'submission' }];
    for (const body of [...others, ...events.map((each) => ({ url: HOOK, events: each }))]) {
      expect([body, await post(id, body)]).toEqual([body, refused(400)]);
    }
    expect(await list(id)).toEqual([]);
  });

  describe('an address that needs another type, or takes none', () => {
    const slack = 'url is a webhook of Slack, ';
    const workflowOfSlack = 'url starts a workflow of Slack, ';
    const discord = 'url is a webhook of Discord, ';
    const teams = 'url is a webhook of Microsoft Teams, ';
    const workflow = 'url starts a workflow of Microsoft, ';

    /** How the problem begins that the types generic and slack have; undefined for a success. */
    it.each<[string, (string | undefined)[]]>([
      ['https://hooks.slack.com/services/T000/B000/XXXX', [slack, undefined]],
      ['HTTPS://HOOKS.Slack-Gov.com.:443/services/T/B/X?a#b', [slack, undefined]],
      ['https://hooks.slack.com/triggers/T/1/x', [workflowOfSlack, workflowOfSlack]],
      ['https://hooks.slack.com/workflows/T/1/x', [workflowOfSlack, workflowOfSlack]],
      ['https://discordapp.com/api/webhooks/1/x', [discord, discord]],
      ['https://canary.discord.com/api/v10/webhooks/1/x', [discord, discord]],
      ['https://discord.com/api/webhooks/1/x/slack?wait=true', [discord, undefined]],
      ['https://contoso.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4', [teams, teams]],
      ['https://outlook.office.com/webhook/1', [teams, teams]],
      ['https://prod-7.westeurope.logic.azure.com:443/workflows/1/invoke?sig=x', [undefined, workflow]],
      ['https://1.2.environment.api.powerplatform.com/x?sig=y', [undefined, workflow]],
      ['https://hooks.slack.com.example/x', [undefined, undefined]],
      ['https://notdiscord.com/api/webhooks/1/x', [undefined, undefined]],
    ])('%s, in POST and in PATCH', async (url, problems) => {
      const id = await deploy();
      for (const [index, type] of ['generic', 'slack'].entries()) {
        const problem = problems[index];
        const refusal = { status: 400, body: { error: expect.stringMatching(`^${problem}`) } };
        const success = expect.objectContaining({ body: expect.objectContaining({ url, type }) });
        expect([type, await post(id, { url, type })]).toEqual([type, problem ? refusal : success]);
        const webhook = await create({ url: HOOK, type }, id);
        const { status, body } = await owner.patch(webhook).send({ url });
        expect([type, { status, body }]).toEqual([type, problem ? refusal : success]);
      }
    });

    it('is asked for a type where none is sent, also if generic will do', async () => {
      const url = 'https://prod-7.westeurope.logic.azure.com:443/workflows/1/invoke?sig=x';
      expect(await post(await deploy(), { url })).toEqual({
        status: 400,
        body: { error: expect.stringMatching(`^${workflow}`) },
      });
    });
  });

  it('takes one of 10 that come at once when there are 49, and a 51st after one is deleted', async () => {
    const id = await deploy();
    await service.db.raw(
      `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events, created_at)
       SELECT 'wh_' || lpad(n::text, 26, '0'), ?, ?, 'hooks.invalid', 'generic', '{submission}', now() + n * interval '1 ms'
         FROM generate_series(1, ?) AS n`,
      [id, HOOK, MOST - 1],
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(id, { url: HOOK })));
    expect(answers.filter(({ status }) => status !== 201)).toEqual(Array(9).fill(refused(409)));
    expect(await post(id, { url: 'x' })).toEqual(refused(400));
    const ids = (await list(id)).map((webhook) => webhook.id);
    expect(ids.length).toBe(MOST);
    await owner.delete(`/webhooks/${id}/${ids[20]}`).expect(200);
    expect((await post(id, { url: HOOK })).status).toBe(201);
  });
});

describe('GET /webhooks/:deployId', () => {
  it('answers the webhooks of this deployment alone, oldest first', async () => {
    const [id, other] = [await deploy(), await deploy()];
    const webhooks = [
      { url: 'https://c.invalid/', type: 'generic' },
      { url: 'https://a.invalid/', type: 'slack' },
      { url: 'https://b.invalid/', type: 'generic' },
    ];
    for (const webhook of webhooks) {
      await create(webhook, id);
      await create(webhook, other);
    }
    expect(await list(id)).toEqual(webhooks.map(listed));
  });
});

describe('DELETE /webhooks/:deployId/:webhookId', () => {
  it('answers 200 with a message, once', async () => {
    const webhook = await create();
    await create({ url: 'https://b.invalid/' }, deploymentOf(webhook));
    const { status, body } = await owner.delete(webhook);
    expect([status, body]).toEqual([200, { message: aSentence }]);
    expect(await list(deploymentOf(webhook))).toEqual([listed({ url: 'https://b.invalid/' })]);
    await owner.delete(webhook).expect(404);
  });
});

describe('PATCH /webhooks/:deployId/:webhookId', () => {
  it('takes each field and answers the webhook as it is listed; the others stay as they were', async () => {
    const webhook = await create({ url: HOOK, type: 'slack' });
    await create({ url: HOOK }, deploymentOf(webhook));
    const [before, other] = await list(deploymentOf(webhook));
    const changes: [given: object, changed: object][] = [
      [{}, {}],
      [{ url: 'http://Example.com:8080/B%2f?c=d#e' }, { url: 'http://Example.com:8080/B%2f?c=d#e' }],
      [{ active: false }, { active: false }],
      [{ events: ['submission'], active: true }, { active: true }],
      [{ type: 'discord', id: 'x', deployment_id: 1, secret: null, created_at: 'x', unknown: {} }, {}],
    ];
    const after = { ...before };
    for (const [given, changed] of changes) {
      Object.assign(after, changed);
      const { status, body } = await owner.patch(webhook).send(given);
      expect([given, status, body]).toEqual([given, 200, after]);
      expect(await list(deploymentOf(webhook))).toEqual([after, other]);
    }
    const absent = await owner.patch(webhook);
    expect([absent.status, absent.body]).toEqual([200, after]);
  });

  it('makes one whole webhook of two changes that come at once, and brings back none that is deleted then', async () => {
    const webhook = await create();
    await Promise.all([
      ...Array.from({ length: 5 }, () => owner.patch(webhook).send({ url: 'https://b.invalid/' }).expect(200)),
      ...Array.from({ length: 5 }, () => owner.patch(webhook).send({ active: false }).expect(200)),
    ]);
    expect(await list(deploymentOf(webhook))).toEqual([listed({ url: 'https://b.invalid/', active: false })]);
    const [gone, changed] = await Promise.all([owner.delete(webhook), owner.patch(webhook).send({ active: true })]);
    expect([gone.status, changed.status]).toEqual([200, expect.toBeOneOf([200, 404])]);
    expect(await list(deploymentOf(webhook))).toEqual([]);
  });
});

describe('the secret of a webhook', () => {
  it('is its own, which no cache keeps, until it is rotated: then those of the last 24 hours sign, too', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const other = await create({ url: HOOK, type: 'slack' }, deploymentOf(webhook));
    const { headers, body } = await owner.get(`${webhook}/secret`);
    expect([headers['cache-control'], body]).toEqual(['no-store', { secret: expect.stringMatching(/^whsec_/) }]);
    // Standard Webhooks 1.0: between 24 and 64 bytes.
    const { length } = Buffer.from(body.secret.slice('whsec_'.length), 'base64');
    expect(length >= 24 && length <= 64).toBe(true);
    const ofOther = await secretOf(other);
    const rotations = await Promise.all([1, 2].map(() => owner.post(`${webhook}/secret/rotate`).expect(200)));
    const secrets: string[] = [body.secret, ...rotations.map((answer) => answer.body.secret)];
    expect(secrets.slice(1)).toContain(await secretOf(webhook));
    expect([new Set([...secrets, ofOther]).size, await secretOf(other)]).toEqual([4, ofOther]);
    await test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const [request] = receiver.received;
    expect(secrets.map((secret) => request && isSigned(request, secret))).toEqual([true, true, true]);
  });
});

describe('POST /webhooks/:deployId/:webhookId/test', () => {
  it('answers 202 with the id of a delivery that carries a sample, and stores no submission', async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: `${receiver.url}/hook` });
    const other = await create({ url: `${receiver.url}/other` }, deploymentOf(webhook));
    // Its body is ignored.
    const { status, body } = await owner.post(`${webhook}/test`).send({ data: { n: 1 } });
    expect([status, body]).toEqual([202, { id: expect.stringMatching(/^\S+$/) }]);
    await eventually(() => logOf(webhook)).toEqual({ deliveries: [entry(body)], total: 1, page: 1, limit: 50 });
    const deployment = (await owner.get(`/deploy/${deploymentOf(webhook)}`)).body;
    expect(receiver.received.map((request) => ({ ...request, body: JSON.parse(request.body) }))).toEqual([
      {
        method: 'POST',
        path: '/hook',
        headers: expect.objectContaining({
          ...{ 'webhook-id': body.id, 'formhost-delivery': body.id },
          ...{ 'formhost-slug': deployment.slug, 'formhost-page-url': deployment.url },
        }),
        body: {
          ...{ event: 'submission', deployment_id: deployment.id, data: { name: 'Test', message: aSentence } },
          timestamp: (await logOf(webhook)).deliveries[0].created_at,
        },
      },
    ]);
    expect(receiver.received[0]?.headers).not.toHaveProperty('formhost-submission-id');
    expect([deployment.submission_count, (await logOf(other)).total]).toEqual([0, 0]);
  });

  it('answers 429 when an owner has had 20 sent in a minute: what is refused otherwise does not count', async () => {
    const email = 'tester@test.example';
    const [tester, otherKey] = [await service.owner({ email }), await service.owner({ email })];
    const webhookOf = async (one: Owner): Promise<string> => {
      const { id } = await one.deploy();
      return `/webhooks/${id}/${(await one.post(`/webhooks/${id}`).send({ url: HOOK }).expect(201)).body.id}`;
    };
    const [first, second] = [await webhookOf(tester), await webhookOf(tester)];
    await owner.post(`${first}/test`).expect(404);
    await tester.post(`/webhooks/${deploymentOf(first)}/${UNKNOWN_WEBHOOK}/test`).expect(404);
    const answers = await Promise.all(
      Array.from({ length: testsPerMinute + 3 }, (_, n) =>
        n % 2 === 0 ? tester.post(`${first}/test`) : otherKey.post(`${second}/test`),
      ),
    );
    const late = answers.filter(({ status }) => status !== 202);
    expect(late.map(({ status, body, headers }) => [status, body, headers['retry-after']])).toEqual(
      Array(3).fill([429, failure, expect.stringMatching(/^(?:[1-9]|[1-5]\d|60)$/)]),
    );
    await test(await create());
  });
});

describe('GET /webhooks/:deployId/:webhookId/deliveries', () => {
  it('pages what is stored, newest first, 50 at a time and 100 at most', async () => {
    const webhook = await create();
    expect(await logOf(webhook)).toEqual({ deliveries: [], total: 0, page: 1, limit: 50 });
    const stored = 123;
    await service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, submission_id, webhook_id, receiver, status, attempts, next_attempt_at,
         last_status, last_error, created_at, updated_at)
       SELECT 'dl_' || lpad(n::text, 44, '0'), ?, 'sub_' || lpad(n::text, 24, '0'), ?, 'hooks.invalid', 'failed', n, now(),
         500, 'no', '2026-11-03T10:00:00Z'::timestamptz + n * interval '1 s', '2026-11-04T10:00:00Z'
         FROM generate_series(1, ?) AS n`,
      [deploymentOf(webhook), webhook.split('/')[3] ?? '', stored],
    );
    const rows = (newest: number, oldest: number) =>
      Array.from({ length: Math.max(0, newest - oldest + 1) }, (_, index) => ({
        id: `dl_${String(newest - index).padStart(44, '0')}`,
        submission_id: `sub_${String(newest - index).padStart(24, '0')}`,
        ...{ status: 'failed', attempts: newest - index, next_attempt_at: null, last_status: 500, last_error: 'no' },
        created_at: new Date(Date.parse('2026-11-03T10:00:00Z') + (newest - index) * 1_000).toISOString(),
        updated_at: '2026-11-04T10:00:00.000Z',
      }));
    for (const [query, newest, oldest, page, limit] of [
      ['', 123, 74, 1, 50],
      ['?page=3', 23, 1, 3, 50],
      ['?limit=101', 123, 24, 1, 100],
      ['?page=123&limit=1', 1, 1, 123, 1],
      ['?page=2147483647&limit=100', 0, 1, 2147483647, 100],
    ] as const) {
      expect([query, await logOf(webhook, query)]).toEqual([
        query,
        { deliveries: rows(newest, oldest), total: stored, page, limit },
      ]);
    }
  });

  it("has this webhook's deliveries only: those of submissions, and tests", async () => {
    const receiver = await startReceiver((response, { path }) => void response.writeHead(Number(path.slice(1))).end());
    const webhook = await create({ url: `${receiver.url}/204` });
    const other = await create({ url: `${receiver.url}/500` }, deploymentOf(webhook));
    const first = { submission_id: await submit(webhook) };
    const second = { id: await test(webhook) };
    const third = { submission_id: await submit(webhook) };
    const failed = { status: 'pending', next_attempt_at: aTime, last_status: 500, last_error: aSentence };
    await eventually(async () => (await logOf(webhook)).deliveries).toEqual(
      [third, second, first].map((one) => entry({ ...one, last_status: 204 })),
    );
    await eventually(async () => (await logOf(other)).deliveries).toEqual(
      [third, first].map((one) => entry({ ...one, ...failed })),
    );
  });
});

describe('POST /webhooks/:deployId/:webhookId/deliveries/:id/retry', () => {
  it('answers 202 with id and status, and makes no second attempt beside one that is in progress', async () => {
    const receiver = await startHeldReceiver();
    const webhook = await create({ url: receiver.url });
    const id = await test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const retry = async () => {
      const { status, body } = await owner.post(`${webhook}/deliveries/${id}/retry`);
      expect([status, body]).toEqual([202, { id, status: 'pending' }]);
    };
    await retry();
    await turnPasses();
    expect(receiver.received.length).toBe(1);
    receiver.goOn(500);
    await eventually(() => fates(webhook)).toEqual(['pending 1']);
    await retry();
    await eventually(() => fates(webhook)).toEqual(['failed 2']);
    receiver.goOn(200);
    await retry();
    await eventually(() => fates(webhook)).toEqual(['succeeded 3']);
    // What succeeded is sent again, once for all that come at once.
    const held = await startHeldReceiver();
    await owner.patch(webhook).send({ url: held.url }).expect(200);
    await Promise.all(Array.from({ length: 10 }, retry));
    await eventually(() => held.received.length).toBe(1);
    await turnPasses();
    expect((await logOf(webhook)).deliveries).toEqual([entry({ id, status: 'pending', attempts: 4 })]);
    held.goOn(200);
    await eventually(() => fates(webhook)).toEqual(['succeeded 4']);
    expect([receiver.received.length, held.received.length]).toEqual([3, 1]);
  });
});
