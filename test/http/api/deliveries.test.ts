import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { firstDeliveryId } from '../../../src/lib/ids.ts';
import { createLog } from '../../../src/lib/log.ts';
import { startService } from '../../../src/service.ts';
import { aSentence, aTime } from '../../support/answers.ts';
import { testLimits } from '../../support/limits.ts';
import { freePort } from '../../support/process.ts';
import { type Answer, type Received, startReceiver } from '../../support/receivers.ts';
import { holdService, releaseService } from '../../support/reference.ts';
import { asOwner, type Owner, PAGES_DOMAIN, startTestService, type TestService } from '../../support/service.ts';
import { decodeWords, headerOf, readMail, type SmtpServer, startSmtpServer, type Trouble } from '../../support/smtp.ts';

const OPEN = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128' };
const KIB = 1024;
const PER_DEPLOYMENT = 10;
/** Seconds after each attempt, and a tenth of them more, as nobody set them otherwise. */
const SCHEDULE = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
const DAY = 24 * 60 * 60;

type Listed = {
  id: string;
  submission_id: string | null;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  updated_at: string;
};
type Log = { deliveries: Listed[]; total: number; page: number; limit: number };

/** A service and one of its owners. */
type Place = { service: TestService; url: string; owner: Owner };

/** Retries at once, two of them. */
let quick: Place;
/** Retries after 600 and 700 seconds, which no test waits for. */
let slow: Place;
/** Sends mail, and retries at once. */
let mailing: Place;
let smtp: SmtpServer;

beforeAll(async () => {
  smtp = await startSmtpServer();
  [quick, slow, mailing] = await Promise.all([
    start({ DELIVERY_RETRY_DELAYS: '0,0' }),
    start({ DELIVERY_RETRY_DELAYS: '600,700' }),
    start({ DELIVERY_RETRY_DELAYS: '0,0', SMTP_URL: smtp.url, MAIL_FROM: 'Forms <forms@pages.example>' }),
  ]);
});
afterAll(async () => {
  await Promise.all([quick, slow, mailing].map(({ service }) => service.close()));
  await smtp.close();
});

async function start(settings: Record<string, string>): Promise<Place> {
  const service = await startTestService({ ...OPEN, ...settings });
  return { service, url: service.url, owner: await service.owner() };
}

/** A service for one test. */
async function startForThisTest(settings: Record<string, string>): Promise<Place> {
  const place = await start(settings);
  onTestFinished(() => place.service.close());
  return place;
}

/** One more process' worth of a service, to be stopped in the middle of a test. */
async function startAnother({ service }: Place, more: Partial<Config> = {}) {
  const another = await startService({ ...service.config, ...more }, createLog('silent'));
  holdService(another.url, service.config);
  await another.ready;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    // Another server may get the port.
    closing ??= another.close().then(() => void releaseService(another.url));
    return closing;
  };
  onTestFinished(close);
  return { url: another.url, close };
}

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000, interval: 10 });

/** Adds a webhook to a deployment; its path. */
async function addWebhook({ owner }: Place, id: string, webhook: { url: string; type?: string }): Promise<string> {
  const response = await owner.post(`/webhooks/${id}`).send(webhook);
  if (response.status !== 201) throw new Error(`POST /webhooks answered ${response.status}: ${response.text}`);
  return `/webhooks/${id}/${response.body.id}`;
}

const idIn = (path: string): string => path.replace(/.*\//, '');

type Form = { id: string; slug: string; webhook: string };

/** A new deployment with a webhook; `webhook` is its path. */
async function formTo(place: Place, url: string, type = 'generic'): Promise<Form> {
  const { id, slug } = await place.owner.deploy();
  return { id, slug, webhook: await addWebhook(place, id, { url, type }) };
}

/** Submits the JSON text of an object; the submission's id. */
async function submit({ url }: { url: string }, id: string, text = '{"name":"Ada"}'): Promise<string> {
  const response = await request(url).post(`/submit/${id}`).type('json').send(text);
  if (response.status !== 200) throw new Error(`POST /submit answered ${response.status}: ${response.text}`);
  return response.body.id;
}

/** The time of a deployment's only submission. */
const submittedAt = async ({ owner }: Place, id: string): Promise<string> =>
  (await owner.get(`/submissions/${id}`).expect(200)).body.submissions[0].created_at;

/** A page of a webhook's deliveries. */
const logOf = async ({ owner }: Place, webhook: string): Promise<Log> =>
  (await owner.get(`${webhook}/deliveries`).expect(200)).body;

/**
 * Status and attempts of a webhook's deliveries, newest first; `busy`: an attempt is under way, or the webhook is off.
 */
const fates = async (place: Place, webhook: string): Promise<string[]> =>
  (await logOf(place, webhook)).deliveries.map(({ status, attempts, next_attempt_at: next }) =>
    status === 'pending' && next === null ? `busy ${attempts}` : `${status} ${attempts}`,
  );

/** The only delivery of each of these webhooks, once so many attempts of each have ended. */
async function deliveriesOf(place: Place, webhooks: readonly string[], attempts: number): Promise<Listed[]> {
  const read = () => Promise.all(webhooks.map((webhook) => fates(place, webhook)));
  const ended = expect.stringMatching(new RegExp(`^(?:pending|succeeded|failed) ${attempts}$`));
  await eventually(read).toEqual(webhooks.map(() => [ended]));
  return (await Promise.all(webhooks.map((webhook) => logOf(place, webhook)))).flatMap(({ deliveries }) => deliveries);
}

async function delivery(place: Place, webhook: string, attempts: number): Promise<Listed> {
  const [only] = await deliveriesOf(place, [webhook], attempts);
  if (!only) throw new Error('The delivery is gone.');
  return only;
}

/** One delivery in a log: as one that succeeded at once, but for `more`. */
const entry = (more: Partial<Record<keyof Listed, unknown>>) => ({
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

/** The milliseconds from the end of a delivery's last attempt to its next. */
const waitOf = ({ next_attempt_at: next, updated_at: ended }: Listed): number =>
  Date.parse(next ?? '') - Date.parse(ended);

/** Checks that a wait is of so many seconds, or up to a tenth more. */
function expectScheduled(wait: number, seconds: number): void {
  // Both of its ends are cut to milliseconds.
  expect(wait).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
  expect(wait).toBeLessThanOrEqual(seconds * 1_100 + 1);
}

const retry = async ({ owner }: Place, webhook: string, id: string): Promise<void> => {
  await owner.post(`${webhook}/deliveries/${id}/retry`).expect(202);
};

/** Has the time come for a deployment's pending deliveries. */
const comeDue = ({ service: { db } }: Place, id: string) =>
  db('deliveries')
    .where({ deployment_id: id, status: 'pending', leased: false })
    .update({ next_attempt_at: db.fn.now() });

/** How many deliveries of deployments wait for their next attempt. */
const waitingOf = async ({ service }: Place, ...ids: string[]): Promise<number> =>
  (
    await service
      .db('deliveries')
      .whereIn('deployment_id', ids)
      .where({ status: 'pending', leased: false })
      .where('attempts', '>', 0)
  ).length;

/** The deliveries that the database has of a deployment. */
const rowsOf = async ({ service }: Place, id: string): Promise<string[]> =>
  (await service.db('deliveries').where({ deployment_id: id })).map(({ status }: { status: string }) => status);

/** The body of a generic webhook. */
const generic = (id: string, data: string, timestamp: string): string =>
  `{"event":"submission","deployment_id":"${id}","data":${data},"timestamp":"${timestamp}"}`;

/** What a signed request says; throws unless it is signed with this secret. */
function verified(secret: string, { headers, body }: Received): unknown {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
}

const secretOf = async ({ owner }: Place, webhook: string): Promise<string> =>
  (await owner.get(`${webhook}/secret`).expect(200)).body.secret;

/** Answers with these statuses in turn, and goes on with the last. */
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
const idOf = ({ headers }: Received): string => String(headers['webhook-id']);
/** The headers of a request that are this service's own. */
const ownHeaders = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('formhost-')));
/** What has to be the same on every attempt of a delivery. */
const essence = (request: Received) => ({ id: idOf(request), own: ownHeaders(request), body: request.body });

/** Sees a new delivery from the database to a receiver: whatever was due there before has had its turn. */
async function turnPasses(place: Place, receiver: { url: string; received: Received[] }): Promise<void> {
  const { id } = await place.owner.deploy();
  const webhook = await addWebhook(place, id, { url: `${receiver.url}/turn/${id}` });
  await place.owner.post(`${webhook}/test`).expect(202);
  await eventually(() => pathsOf(receiver)).toContain(`/turn/${id}`);
}

const isTurn = ({ path }: Received): boolean => path.startsWith('/turn/');

/** What came to a receiver but for turns. */
const arrived = ({ received }: { received: Received[] }): Received[] => received.filter((request) => !isTurn(request));

/** A webhook with four deliveries, two under way to a receiver that says nothing yet. */
async function halfSent() {
  const receiver = await startToldReceiver();
  const form = await formTo(slow, receiver.url);
  // A receiver that has still to answer gets two at a time.
  for (let n = 1; n <= 4; n += 1) await submit(slow, form.id, `{"n":${n}}`);
  await eventually(() => receiver.received.length).toBe(2);
  return { receiver, form };
}

describe('a submission', () => {
  it('is posted to a generic webhook as JSON, signed as Standard Webhooks says', async () => {
    const receiver = await startReceiver();
    const form = await formTo(quick, `${receiver.url}/hook/a?b=c&d=%2F`);
    const submission = await submit(quick, form.id, '{"name":"Ada","n":1}');
    await eventually(() => logOf(quick, form.webhook)).toEqual({
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
        body: generic(form.id, '{"name":"Ada","n":1}', await submittedAt(quick, form.id)),
      },
    ]);
    const [delivered] = (await logOf(quick, form.webhook)).deliveries;
    expect(receiver.received.map(ownHeaders)).toEqual([
      {
        'formhost-delivery': delivered?.id,
        'formhost-submission-id': submission,
        'formhost-slug': form.slug,
        'formhost-page-url': `https://${form.slug}.${PAGES_DOMAIN}`,
      },
    ]);
    const secret = await secretOf(quick, form.webhook);
    const said = receiver.received.map((request) => verified(secret, request));
    expect(said).toEqual([expect.objectContaining({ event: 'submission', data: { name: 'Ada', n: 1 } })]);
  });

  it('is posted to a Slack webhook as three blocks, and to a generic one beside it', async () => {
    const receiver = await startReceiver();
    const form = await formTo(quick, `${receiver.url}/slack`, 'slack');
    await addWebhook(quick, form.id, { url: `${receiver.url}/generic` });
    const names = [...'abcdefghijkl'];
    const data = `{${names.map((name) => `"${name}":"<${name}> & co"`).join(',')}}`;
    await submit(quick, form.id, data);
    await eventually(() => pathsOf(receiver).toSorted()).toEqual(['/generic', '/slack']);
    const time = await submittedAt(quick, form.id);
    const slack = receiver.received.filter(({ path }) => path === '/slack');
    expect(slack.map(ownHeaders)).toEqual(slack.map((request) => ({ 'formhost-delivery': idOf(request) })));
    const bodies = new Map(receiver.received.map(({ path, body }) => [path, body]));
    expect(JSON.parse(bodies.get('/slack') ?? '')).toEqual({
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: `New submission for ${form.slug}` } },
        {
          type: 'section',
          fields: names.slice(0, 10).map((name) => ({ type: 'mrkdwn', text: `*${name}*\n&lt;${name}&gt; &amp; co` })),
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `Submitted at ${time}` }] },
      ],
    });
    expect(bodies.get('/generic')).toBe(generic(form.id, data, time));
  });

  it('reaches each of ten webhooks once, signed with the secret of each', async () => {
    const receiver = await startReceiver();
    const { id } = await quick.owner.deploy();
    const webhooks: string[] = [];
    while (webhooks.length < 10) {
      webhooks.push(await addWebhook(quick, id, { url: `${receiver.url}/${webhooks.length}` }));
    }
    const texts = ['{"n":1}', '{"n":2}', '{"n":3}'];
    for (const text of texts) await submit(quick, id, text);
    const read = () => Promise.all(webhooks.map((webhook) => fates(quick, webhook)));
    await eventually(read).toEqual(webhooks.map(() => texts.map(() => 'succeeded 1')));
    const secrets = await Promise.all(webhooks.map((webhook) => secretOf(quick, webhook)));
    const said = receiver.received.map((request) => verified(secrets[Number(request.path.slice(1))] ?? '', request));
    expect(said.length).toBe(30);
    const came = receiver.received.map(({ path, body }) => `${path} ${JSON.stringify(JSON.parse(body).data)}`);
    expect(came.toSorted()).toEqual(webhooks.flatMap((_, at) => texts.map((text) => `/${at} ${text}`)).toSorted());
    expect([new Set(secrets).size, new Set(receiver.received.map(idOf)).size]).toEqual([10, 30]);
  });

  it.each<[string, (form: Form) => Promise<{ status: number }>]>([
    [
      'urlencoded',
      ({ id }) => quick.service.anonymous.post(`/submit/${id}`).type('form').send('name=Ada&a[b]=1&a[b]=2'),
    ],
    [
      'multipart',
      ({ id }) =>
        quick.service.anonymous.post(`/submit/${id}`).field('name', 'Ada').field('a[b]', '1').field('a[b]', '2'),
    ],
    [
      "a page's own host",
      ({ slug }) =>
        quick.service.anonymous
          .post('/')
          .set('Host', `${slug}.${PAGES_DOMAIN}`)
          .type('form')
          .send('name=Ada&a[b]=1&a[b]=2'),
    ],
  ])('is delivered however it came: %s', async (_way, send) => {
    const receiver = await startReceiver();
    const form = await formTo(quick, receiver.url);
    expect((await send(form)).status).toBe(200);
    await eventually(() => receiver.received.map(({ body }) => body)).toEqual([
      generic(form.id, '{"name":"Ada","a[b]":["1","2"]}', await submittedAt(quick, form.id)),
    ]);
  });

  it('arrives byte for byte, at every attempt, whatever it is', async () => {
    const texts: [kind: string, text: string][] = [
      ['no fields', '{}'],
      [
        'numbers that no double holds',
        '{"a":1.10,"b":1e400,"c":9223372036854775807,"d":-0,"e":1E+2,"f":18446744073709551616}',
      ],
      ['integer-like and repeated keys', '{"10":1,"2":2,"b":3,"1":4,"b":[5,{"c":1,"c":2}],"-1":5}'],
      ['__proto__', '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toJSON":"x"}'],
      ['NUL and lone surrogates', '{"\\u0000":"\\u0000","high":"\\ud800","swapped":"\\ude00\\ud83d","\\udfff":1}'],
      ['escapes of all kinds', '{"escaped":"\\/\\u0041\\u00e9\\"\\\\\\b","raw":"/Aé😀\u2028\u007f\ufeff"}'],
      ['what looks like the envelope', '{"event":"x","data":{},"timestamp":"},{","webhook-id":"a.b","$&":"$1 $` %s"}'],
      ['header injection', '{"a":"\\r\\nwebhook-id: x\\r\\n\\r\\n","\\r\\nHost: x":"\\n"}'],
      ['an empty honeypot', '{"_hp":"","a":1}'],
      ['100 levels', `{"deep":${'['.repeat(99)}${']'.repeat(99)}}`],
      ['a thousand fields', `{${Array.from({ length: 1_000 }, (_, at) => `"f${at}":${at}`).join(',')}}`],
      ['256 KiB', `{"a":"${'é'.repeat(127 * KIB)}"}`],
      ['256 KiB that take 1.5 MiB', `{"a":"${'\\u0041'.repeat(255 * KIB)}"}`],
    ];
    const seen = new Set<string>();
    const receiver = await startReceiver((response, request) => {
      const isFirst = !seen.has(idOf(request));
      seen.add(idOf(request));
      response.writeHead(isFirst ? 500 : 200).end();
    });
    const forms: Form[] = [];
    for (const [at, [, text]] of texts.entries()) {
      const form = await formTo(quick, `${receiver.url}/${at}`);
      await submit(quick, form.id, text);
      forms.push(form);
    }
    const read = async () => (await Promise.all(forms.map((form) => fates(quick, form.webhook)))).flat();
    await eventually(read).toEqual(texts.map(() => 'succeeded 2'));
    for (const [at, form] of forms.entries()) {
      const [kind = '', text = ''] = texts[at] ?? [];
      const came = receiver.received.filter(({ path }) => path === `/${at}`);
      const body = generic(form.id, text, await submittedAt(quick, form.id));
      expect([kind, ...came.map((request) => request.body === body)]).toEqual([kind, true, true]);
      expect([kind, new Set(came.map(idOf)).size]).toEqual([kind, 1]);
      const secret = await secretOf(quick, form.webhook);
      // One of them: the library takes its time for megabytes.
      for (const request of came.slice(1)) verified(secret, request);
    }
  });

  it('is answered although the receiver hangs', async () => {
    const receiver = await startToldReceiver();
    const form = await formTo(quick, receiver.url);
    await submit(quick, form.id);
    await eventually(() => receiver.received.length).toBe(1);
    await submit(quick, form.id);
    receiver.tell(200);
    await eventually(() => fates(quick, form.webhook)).toEqual(['succeeded 1', 'succeeded 1']);
  });

  it('is answered, and posted to its webhook, although no mail can be sent', async () => {
    const receiver = await startReceiver();
    const form = await formTo(quick, receiver.url);
    await quick.owner.patch(`/deploy/${form.id}`).send({ email_notifications: true }).expect(200);
    await submit(quick, form.id);
    await eventually(() => fates(quick, form.webhook)).toEqual(['succeeded 1']);
  });

  it('that was not taken is not sent: a honeypot hit, what is refused, an eleventh in a minute', async () => {
    const receiver = await startReceiver();
    const form = await formTo(quick, receiver.url);
    const send = async (body: string, type = 'application/json') =>
      (await quick.service.anonymous.post(`/submit/${form.id}`).type(type).send(body)).status;
    expect(await send('{"_hp":"x","name":"Bot"}')).toBe(200);
    expect(await send('_hp=x&name=Bot', 'form')).toBe(200);
    expect(await send('{"name":')).toBe(400);
    expect(await send('name=Ada', 'text/plain')).toBe(415);
    expect(await send(`{"a":"${'x'.repeat(257 * KIB)}"}`)).toBe(413);
    for (let n = 1; n <= PER_DEPLOYMENT; n += 1) expect(await send(`{"n":${n}}`)).toBe(200);
    expect(await send('{"n":11}')).toBe(429);
    await eventually(() => fates(quick, form.webhook)).toEqual(Array(PER_DEPLOYMENT).fill('succeeded 1'));
    const numbers = receiver.received.map(({ body }): number => JSON.parse(body).data.n);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: PER_DEPLOYMENT }, (_, at) => at + 1));
  });

  it('is not sent to a webhook that was created after it, is off, or listens for something else', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(slow, `${receiver.url}/first`);
    const off = await addWebhook(slow, form.id, { url: `${receiver.url}/off` });
    const other = await addWebhook(slow, form.id, { url: `${receiver.url}/other` });
    await slow.owner.patch(off).send({ active: false }).expect(200);
    // No other event is known yet.
    await slow.service
      .db('webhooks')
      .where({ id: idIn(other) })
      .update({ events: ['another'] });
    await submit(slow, form.id);
    await delivery(slow, form.webhook, 1);
    const late = await addWebhook(slow, form.id, { url: `${receiver.url}/late` });
    await slow.owner.patch(off).send({ active: true }).expect(200);
    await comeDue(slow, form.id);
    await delivery(slow, form.webhook, 2);
    expect(await Promise.all([off, other, late].map((webhook) => fates(slow, webhook)))).toEqual([[], [], []]);
    await submit(slow, form.id);
    await eventually(() => pathsOf(receiver).toSorted()).toEqual(['/first', '/first', '/first', '/late', '/off']);
  });

  it('reaches a webhook that is well although one beside it fails', async () => {
    const [bad, well] = [await startReceiver(inTurn(500)), await startReceiver()];
    const form = await formTo(slow, bad.url);
    const webhook = await addWebhook(slow, form.id, { url: well.url });
    const submission = await submit(slow, form.id);
    const failed = entry({
      submission_id: submission,
      status: 'pending',
      next_attempt_at: aTime,
      last_status: 500,
      last_error: aSentence,
    });
    await eventually(async () => (await logOf(slow, form.webhook)).deliveries).toEqual([failed]);
    await eventually(async () => (await logOf(slow, webhook)).deliveries).toEqual([
      entry({ submission_id: submission }),
    ]);
    await comeDue(slow, form.id);
    await delivery(slow, form.webhook, 2);
    expect([bad.received.length, well.received.length]).toEqual([2, 1]);
  });
});

describe('an attempt', () => {
  /**
   * Submits once to a deployment with a webhook for each of these paths of a receiver; its deliveries, once attempted.
   */
  async function attempts(receiver: { url: string }, paths: readonly unknown[]): Promise<Listed[]> {
    const { id } = await slow.owner.deploy();
    const webhooks = await Promise.all(paths.map((path) => addWebhook(slow, id, { url: `${receiver.url}/${path}` })));
    await submit(slow, id);
    return deliveriesOf(slow, webhooks, 1);
  }

  const answerAsAsked: Answer = (response, { path }) => void response.writeHead(Number(path.slice(1))).end();

  it('has succeeded when the answer is a 2xx', async () => {
    const statuses = [200, 201, 202, 203, 204, 205, 206, 226, 299];
    expect(await attempts(await startReceiver(answerAsAsked), statuses)).toEqual(
      statuses.map((status) => entry({ submission_id: expect.any(String), last_status: status })),
    );
  });

  it('has failed when the answer is another, and the next is due after the first delay', async () => {
    const statuses = [300, 304, 305, 400, 401, 403, 404, 405, 409, 413, 422, 429, 451, 500, 501, 502, 503, 504, 599];
    const failed = await attempts(await startReceiver(answerAsAsked), statuses);
    expect(failed).toEqual(
      statuses.map((status) =>
        entry({
          submission_id: expect.any(String),
          status: 'pending',
          next_attempt_at: aTime,
          last_status: status,
          last_error: aSentence,
        }),
      ),
    );
    for (const each of failed) expectScheduled(waitOf(each), 600);
  });

  it('follows no redirect, and has failed', async () => {
    const statuses = [301, 302, 303, 307, 308];
    const target = await startReceiver();
    const receiver = await startReceiver(
      (response, { path }) => void response.writeHead(Number(path.slice(1)), { Location: `${target.url}/there` }).end(),
    );
    const failed = await attempts(receiver, statuses);
    expect(failed.map(({ status, last_status }) => [status, last_status])).toEqual(
      statuses.map((status) => ['pending', status]),
    );
    expect([receiver.received.length, target.connections.made]).toEqual([statuses.length, 0]);
  });

  it('has the next wait as Retry-After asks, where that is longer than the delay, and up to a day', async () => {
    const inSeconds = (seconds: number) => () => new Date(Date.now() + seconds * 1_000).toUTCString();
    const table: [retryAfter: string | (() => string), least: number, most: number][] = [
      ['1200', 1_200, 1_200],
      ['700', 700, 700],
      ['86400', DAY, DAY],
      ['86401', DAY, DAY],
      ['9'.repeat(400), DAY, DAY],
      ['599', 600, 660],
      ['0', 600, 660],
      // Cut to seconds, and on its way for a moment.
      [inSeconds(3_600), 3_590, 3_601],
      [inSeconds(3 * DAY), DAY, DAY],
      [inSeconds(-3_600), 600, 660],
      ['soon', 600, 660],
      ['-1200', 600, 660],
      ['1e4', 600, 660],
      ['', 600, 660],
    ];
    const receiver = await startReceiver((response, { path }) => {
      const [, status = '', at = ''] = path.split('/');
      const [retryAfter = ''] = table[Number(at)] ?? [];
      const value = typeof retryAfter === 'string' ? retryAfter : retryAfter();
      response.writeHead(Number(status), { 'Retry-After': value }).end();
    });
    for (const status of [429, 503]) {
      const failed = await attempts(
        receiver,
        table.map((_, at) => `${status}/${at}`),
      );
      const waits = failed.map((each) => waitOf(each));
      // Both ends of a wait are cut to milliseconds.
      const wrong = table.filter(
        ([, least, most], at) => !(Number(waits[at]) >= least * 1_000 - 1 && Number(waits[at]) <= most * 1_000 + 1),
      );
      expect([status, wrong]).toEqual([status, []]);
      expect(new Set(failed.map(({ last_status }) => last_status))).toEqual(new Set([status]));
    }
  });

  it('has failed when there is no whole answer in time, or none at all', async () => {
    const place = await startForThisTest({ DELIVERY_RETRY_DELAYS: '600', DELIVERY_TIMEOUT_MS: '300' });
    const receiver = await startReceiver((response, { path }) => {
      if (path === '/half') response.writeHead(200, { 'Content-Length': '2' }).write('x');
      else if (path === '/cut') response.destroy();
    });
    const urls = [`${receiver.url}/silent`, `${receiver.url}/cut`, `http://127.0.0.1:${await freePort()}/`];
    const { id } = await place.owner.deploy();
    const webhooks = await Promise.all(urls.map((url) => addWebhook(place, id, { url })));
    const half = await addWebhook(place, id, { url: `${receiver.url}/half` });
    const submission = await submit(place, id);
    const failed = { submission_id: submission, status: 'pending', next_attempt_at: aTime, last_error: aSentence };
    for (const webhook of webhooks) {
      expect(await delivery(place, webhook, 1)).toEqual(entry({ ...failed, last_status: null }));
    }
    expect(await delivery(place, half, 1)).toEqual(entry({ ...failed, last_status: expect.anything() }));
  });

  it('has failed, and made no connection, where webhooks may not go', async () => {
    const receiver = await startReceiver();
    const strict = await startForThisTest({ DELIVERY_RETRY_DELAYS: '600', WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8' });
    const form = await formTo(strict, 'http://10.0.0.1/');
    // As if its name had another address since.
    const { url } = receiver;
    await strict.service
      .db('webhooks')
      .where({ id: idIn(form.webhook) })
      .update({ url });
    const submission = await submit(strict, form.id);
    expect(await delivery(strict, form.webhook, 1)).toEqual(
      entry({
        submission_id: submission,
        status: 'pending',
        next_attempt_at: aTime,
        last_status: null,
        last_error: aSentence,
      }),
    );
    expect(receiver.connections.made).toBe(0);
  });
});

describe('a delivery that failed', () => {
  it('is attempted eight times by default, later each time, and then no more', async () => {
    const place = await startForThisTest({});
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(place, receiver.url);
    const submission = await submit(place, form.id);
    const waits: number[] = [];
    for (const seconds of SCHEDULE) {
      const wait = waitOf(await delivery(place, form.webhook, waits.push(Number.NaN)));
      expectScheduled(wait, seconds);
      waits.splice(-1, 1, wait);
      await comeDue(place, form.id);
    }
    expect(await delivery(place, form.webhook, SCHEDULE.length + 1)).toEqual(
      entry({ submission_id: submission, status: 'failed', attempts: 8, last_status: 500, last_error: aSentence }),
    );
    // The jitter.
    expect(waits).not.toEqual(SCHEDULE.map((seconds) => seconds * 1_000));
    await turnPasses(place, receiver);
    expect(arrived(receiver).length).toBe(8);
  });

  it('has the same id and body at every attempt: scheduled and by hand', async () => {
    const receiver = await startReceiver(inTurn(500, 500, 200, 200));
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id, '{"b":1.10,"a":"\\u0041"}');
    const { id } = await delivery(slow, form.webhook, 1);
    await comeDue(slow, form.id);
    expectScheduled(waitOf(await delivery(slow, form.webhook, 2)), 700);
    await retry(slow, form.webhook, id);
    expect((await delivery(slow, form.webhook, 3)).status).toBe('succeeded');
    await retry(slow, form.webhook, id);
    expect(await delivery(slow, form.webhook, 4)).toEqual(
      entry({ id, submission_id: expect.any(String), attempts: 4 }),
    );
    const [first] = receiver.received.map(essence);
    expect(receiver.received.map(essence)).toEqual([first, first, first, first]);
    expect(first?.body).toBe(generic(form.id, '{"b":1.10,"a":"\\u0041"}', await submittedAt(slow, form.id)));
    const secret = await secretOf(slow, form.webhook);
    for (const request of receiver.received) verified(secret, request);
  });

  it('fails for good after the last retry, and once more for each one by hand', async () => {
    const receiver = await startToldReceiver(500);
    const form = await formTo(quick, receiver.url);
    await submit(quick, form.id);
    await eventually(() => fates(quick, form.webhook)).toEqual(['failed 3']);
    const { id } = await delivery(quick, form.webhook, 3);
    await retry(quick, form.webhook, id);
    await eventually(() => fates(quick, form.webhook)).toEqual(['failed 4']);
    receiver.tell(204);
    await retry(quick, form.webhook, id);
    await eventually(async () => (await logOf(quick, form.webhook)).deliveries).toEqual([
      entry({ id, submission_id: expect.any(String), attempts: 5, last_status: 204 }),
    ]);
    await turnPasses(quick, receiver);
    expect(arrived(receiver).length).toBe(5);
  });

  it('goes to the URL that the webhook has by then', async () => {
    const [former, next] = [await startReceiver(inTurn(500)), await startReceiver()];
    const form = await formTo(slow, `${former.url}/former`);
    await submit(slow, form.id);
    await delivery(slow, form.webhook, 1);
    await slow.owner
      .patch(form.webhook)
      .send({ url: `${next.url}/next` })
      .expect(200);
    await comeDue(slow, form.id);
    expect((await delivery(slow, form.webhook, 2)).status).toBe('succeeded');
    expect([pathsOf(former), pathsOf(next)]).toEqual([['/former'], ['/next']]);
    expect(next.received.map(essence)).toEqual(former.received.map(essence));
  });

  it('is signed with both secrets for 24 hours after a rotation, then with the new one only', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(slow, receiver.url);
    const before = await secretOf(slow, form.webhook);
    await submit(slow, form.id);
    const { id } = await delivery(slow, form.webhook, 1);
    const { secret: after } = (await slow.owner.post(`${form.webhook}/secret/rotate`).expect(200)).body;
    /** Has a time gone by since the rotation. */
    const pass = async (time: string): Promise<void> => {
      const { db } = slow.service;
      const until = db.raw(
        `jsonb_set(previous_secrets, '{0,until}',
           to_jsonb((previous_secrets -> 0 ->> 'until')::timestamptz - CAST(? AS interval)))`,
        [time],
      );
      await db('webhooks')
        .where({ id: idIn(form.webhook) })
        .update({ previous_secrets: until });
    };
    for (const time of ['0', '23 hours 59 minutes', '1 minute']) {
      await pass(time);
      const soFar = receiver.received.length;
      await retry(slow, form.webhook, id);
      await eventually(() => receiver.received.length).toBe(soFar + 1);
      await submit(slow, form.id);
      await eventually(() => receiver.received.length).toBe(soFar + 2);
      await eventually(async () => (await fates(slow, form.webhook)).join()).not.toMatch('busy');
    }
    const isSignedWith = (secret: string): boolean[] =>
      receiver.received.map((request) => {
        try {
          verified(secret, request);
          return true;
        } catch {
          return false;
        }
      });
    expect([isSignedWith(before), isSignedWith(after)]).toEqual([
      [true, true, true, true, true, false, false],
      [false, true, true, true, true, true, true],
    ]);
    const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    expect(signatures).toEqual([1, 2, 2, 2, 2, 1, 1]);
  });
});

describe('what was deleted', () => {
  const deletions: [string, (form: Form) => Promise<unknown>][] = [
    ['a webhook', ({ webhook }) => slow.owner.delete(webhook).expect(200)],
    ['a deployment', ({ id }) => slow.owner.delete(`/deploy/${id}`).expect(200)],
  ];

  it.each(deletions)('gets no retry, and its pending deliveries end: %s', async (_what, remove) => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id);
    await submit(slow, form.id);
    await eventually(() => fates(slow, form.webhook)).toEqual(['pending 1', 'pending 1']);
    await remove(form);
    await eventually(() => comeDue(slow, form.id)).toBe(0);
    await turnPasses(slow, receiver);
    expect([arrived(receiver).length, await rowsOf(slow, form.id)]).toEqual([2, []]);
  });

  it.each(deletions)('gets no more of what waits for its turn, either: %s', async (_what, remove) => {
    const { receiver, form } = await halfSent();
    await remove(form);
    receiver.tell(200);
    await turnPasses(slow, receiver);
    const numbers = arrived(receiver).map(({ body }): number => JSON.parse(body).data.n);
    expect(numbers.toSorted()).toEqual([1, 2]);
  });

  it.each(deletions)('leaves nothing behind of what was held: %s', async (_what, remove) => {
    const form = await formTo(slow, 'https://nowhere.invalid/');
    await slow.owner.patch(form.webhook).send({ active: false }).expect(200);
    await slow.owner.post(`${form.webhook}/test`).expect(202);
    await eventually(async () => (await logOf(slow, form.webhook)).deliveries).toEqual([
      entry({ status: 'pending', attempts: 0, last_status: null, next_attempt_at: null }),
    ]);
    await remove(form);
    await startAnother(slow);
    await eventually(() => rowsOf(slow, form.id)).toEqual([]);
  });

  it('gets no retry, and its pending deliveries end: a submission', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(slow, receiver.url);
    const [kept, gone] = [await submit(slow, form.id), await submit(slow, form.id)];
    await eventually(() => fates(slow, form.webhook)).toEqual(['pending 1', 'pending 1']);
    await slow.service.db('submissions').where({ id: gone }).delete();
    await comeDue(slow, form.id);
    expect((await delivery(slow, form.webhook, 2)).submission_id).toBe(kept);
    await turnPasses(slow, receiver);
    expect(arrived(receiver).length).toBe(3);
  });

  it('lets an attempt that is under way end', async () => {
    const receiver = await startToldReceiver();
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id);
    await eventually(() => receiver.received.length).toBe(1);
    await slow.owner.delete(`/deploy/${form.id}`).expect(200);
    receiver.tell(500);
    await eventually(() => comeDue(slow, form.id)).toBe(1);
    await turnPasses(slow, receiver);
    expect([arrived(receiver).length, await rowsOf(slow, form.id)]).toEqual([1, []]);
  });
});

describe('a webhook that is changed', () => {
  it('has what waits for its turn sent to the new URL', async () => {
    const { receiver, form } = await halfSent();
    const next = await startReceiver();
    await slow.owner.patch(form.webhook).send({ url: next.url }).expect(200);
    receiver.tell(200);
    await eventually(() => fates(slow, form.webhook)).toEqual(Array(4).fill('succeeded 1'));
    expect([receiver.received.length, next.received.length]).toEqual([2, 2]);
  });

  it('has what waits for its turn signed with the new secret, too', async () => {
    const { receiver, form } = await halfSent();
    await slow.owner.post(`${form.webhook}/secret/rotate`).expect(200);
    receiver.tell(200);
    await eventually(() => fates(slow, form.webhook)).toEqual(Array(4).fill('succeeded 1'));
    const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    expect(signatures).toEqual([1, 1, 2, 2]);
  });
});

describe('active: false', () => {
  it('holds what is pending, until active: true sends it', async () => {
    const receiver = await startToldReceiver(500);
    const form = await formTo(slow, receiver.url);
    const ids = [await submit(slow, form.id, '{"n":1}'), await submit(slow, form.id, '{"n":2}')];
    await eventually(() => receiver.received.length).toBe(2);
    await slow.owner.patch(form.webhook).send({ active: false }).expect(200);
    await eventually(() => comeDue(slow, form.id)).toBe(2);
    await submit(slow, form.id, '{"n":3}');
    await turnPasses(slow, receiver);
    expect([arrived(receiver).length, await fates(slow, form.webhook)]).toEqual([2, ['busy 1', 'busy 1']]);
    receiver.tell(200);
    await slow.owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(async () => (await logOf(slow, form.webhook)).deliveries).toEqual(
      ids.toReversed().map((id) => entry({ submission_id: id, attempts: 2 })),
    );
    const numbers = arrived(receiver).map(({ body }) => JSON.parse(body).data.n);
    expect(numbers.toSorted()).toEqual([1, 1, 2, 2]);
  });

  it('holds what waits for its turn, too', async () => {
    const { receiver, form } = await halfSent();
    await slow.owner.patch(form.webhook).send({ active: false }).expect(200);
    receiver.tell(200);
    await turnPasses(slow, receiver);
    const numbers = () => arrived(receiver).map(({ body }): number => JSON.parse(body).data.n);
    expect(numbers().toSorted()).toEqual([1, 2]);
    await slow.owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => numbers().toSorted()).toEqual([1, 2, 3, 4]);
  });

  it('holds a retry by hand and a test, too', async () => {
    const receiver = await startReceiver();
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id);
    const { id } = await delivery(slow, form.webhook, 1);
    await slow.owner.patch(form.webhook).send({ active: false }).expect(200);
    await retry(slow, form.webhook, id);
    await slow.owner.post(`${form.webhook}/test`).expect(202);
    await turnPasses(slow, receiver);
    expect([arrived(receiver).length, await fates(slow, form.webhook)]).toEqual([1, ['busy 0', 'busy 1']]);
    await slow.owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => fates(slow, form.webhook)).toEqual(['succeeded 1', 'succeeded 2']);
  });
});

describe('a webhook that is given up', () => {
  const isActive = async (place: Place, { id }: Form): Promise<boolean> =>
    (await place.owner.get(`/webhooks/${id}`).expect(200)).body.webhooks[0].active;

  /** Has a webhook's first failure since a success be so long ago. */
  const failingFor = async ({ service: { db } }: Place, { webhook }: Form, age: string): Promise<void> => {
    await db('webhooks')
      .where({ id: idIn(webhook) })
      .whereNotNull('failing_since')
      .update({ failing_since: db.raw('now() - CAST(? AS interval)', [age]) });
  };

  it('is off at once after a 410, and gets nothing until it is switched on', async () => {
    const receiver = await startToldReceiver(410);
    const form = await formTo(slow, receiver.url);
    const submission = await submit(slow, form.id);
    await eventually(() => isActive(slow, form)).toBe(false);
    expect((await logOf(slow, form.webhook)).deliveries).toEqual([
      entry({
        submission_id: submission,
        status: 'pending',
        next_attempt_at: null,
        last_status: 410,
        last_error: aSentence,
      }),
    ]);
    await submit(slow, form.id);
    await comeDue(slow, form.id);
    await turnPasses(slow, receiver);
    expect([arrived(receiver).length, await fates(slow, form.webhook)]).toEqual([1, ['busy 1']]);
    receiver.tell(200);
    await slow.owner.patch(form.webhook).send({ active: true }).expect(200);
    await eventually(() => fates(slow, form.webhook)).toEqual(['succeeded 2']);
  });

  it.each<[string, boolean]>([
    ['5 days', false],
    ['30 days', false],
    ['4 days 23 hours 59 minutes', true],
  ])('is off after a failure when all have failed for %s: active is %s', async (age, active) => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id);
    await delivery(slow, form.webhook, 1);
    await failingFor(slow, form, age);
    await comeDue(slow, form.id);
    await eventually(() => fates(slow, form.webhook)).toEqual([active ? 'pending 2' : 'busy 2']);
    await eventually(() => isActive(slow, form)).toBe(active);
  });

  it('stays on when an attempt has succeeded since, however long the others have failed', async () => {
    const receiver = await startToldReceiver(500);
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id);
    const { id } = await delivery(slow, form.webhook, 1);
    await failingFor(slow, form, '6 days');
    receiver.tell(200);
    await submit(slow, form.id);
    await eventually(() => fates(slow, form.webhook)).toEqual(['succeeded 1', 'pending 1']);
    receiver.tell(500);
    await retry(slow, form.webhook, id);
    await eventually(() => fates(slow, form.webhook)).toEqual(['succeeded 1', 'pending 2']);
    expect(await isActive(slow, form)).toBe(true);
  });

  it('has five days more when it was switched on again', async () => {
    const receiver = await startReceiver(inTurn(500));
    const form = await formTo(slow, receiver.url);
    await submit(slow, form.id);
    const { id } = await delivery(slow, form.webhook, 1);
    await failingFor(slow, form, '6 days');
    await retry(slow, form.webhook, id);
    await eventually(() => isActive(slow, form)).toBe(false);
    // This makes the delivery due at once.
    await slow.owner.patch(form.webhook).send({ active: true }).expect(200);
    await delivery(slow, form.webhook, 3);
    expect(await isActive(slow, form)).toBe(true);
  });
});

describe('several processes', () => {
  it('never make two attempts of one delivery at a time', async () => {
    const others = [await startAnother(quick), await startAnother(quick)];
    const underWay = new Map<string, number>();
    const most = new Map<string, number>();
    const times = new Map<string, number>();
    const receiver = await startReceiver((response, request) => {
      const id = idOf(request);
      const now = (underWay.get(id) ?? 0) + 1;
      const time = (times.get(id) ?? 0) + 1;
      underWay.set(id, now);
      most.set(id, Math.max(most.get(id) ?? 0, now));
      times.set(id, time);
      setTimeout(() => {
        underWay.set(id, (underWay.get(id) ?? 0) - 1);
        // A turn that was refused would be sent again, at any time after it has come.
        response.writeHead(time === 3 || isTurn(request) ? 200 : 500).end();
      }, 5);
    });
    const form = await formTo(quick, receiver.url);
    const webhooks = [form.webhook];
    while (webhooks.length < 5) webhooks.push(await addWebhook(quick, form.id, { url: receiver.url }));
    await Promise.all([quick, ...others, quick, ...others].map((one) => submit(one, form.id)));
    const read = async () => (await Promise.all(webhooks.map((webhook) => fates(quick, webhook)))).flat();
    await eventually(read).toEqual(Array(30).fill('succeeded 3'));
    await turnPasses(quick, receiver);
    expect([times.size, [...times.values()].filter((time) => time !== 3)]).toEqual([31, [1]]);
    expect([...most.values()]).toEqual(Array(31).fill(1));
  });
});

describe('a receiver that hangs', () => {
  it('holds up no other, neither at the first attempt nor at a retry', async () => {
    const [hanging, well] = [await startToldReceiver(), await startReceiver(inTurn(500, 200))];
    const form = await formTo(quick, hanging.url);
    for (let n = 1; n <= 9; n += 1) await addWebhook(quick, form.id, { url: hanging.url });
    for (let n = 1; n <= 9; n += 1) await submit(quick, form.id);
    const other = await formTo(quick, well.url);
    await submit(quick, other.id);
    await eventually(() => fates(quick, other.webhook)).toEqual(['succeeded 2']);
    hanging.tell(200);
    await eventually(() => fates(quick, form.webhook)).toEqual(Array(9).fill('succeeded 1'));
    await eventually(() => new Set(hanging.received.map(idOf)).size).toBe(90);
    expect(hanging.received.length).toBe(90);
  });
});

describe('the log', () => {
  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY * 1_000);

  /** Has what a deployment delivered been made, and finished, so many days ago. Ids begin with their time. */
  async function age({ service: { db } }: Place, id: string, made: number, finished: number): Promise<void> {
    const begin = firstDeliveryId(daysAgo(made));
    await db('deliveries')
      .where({ deployment_id: id })
      .update({
        id: db.raw('CAST(? AS text) || substr(id, ?)', [begin, begin.length + 1]),
        created_at: daysAgo(made),
        updated_at: daysAgo(finished),
      });
  }

  it('keeps a finished delivery for DELIVERY_LOG_DAYS, and one that is pending for ever', async () => {
    const receiver = await startReceiver((response, { path }) => {
      response.writeHead(path === '/failing' ? 500 : 200).end();
    });
    const kinds: [path: string, made: number, finished: number][] = [
      ['/', 31, 31],
      ['/', 29, 29],
      ['/', 31, 29],
      ['/failing', 31, 31],
    ];
    const forms: Form[] = [];
    for (const [path, made, finished] of kinds) {
      const form = await formTo(slow, receiver.url + path);
      await submit(slow, form.id);
      await delivery(slow, form.webhook, 1);
      await age(slow, form.id, made, finished);
      forms.push(form);
    }
    const left = () => Promise.all(forms.map((form) => rowsOf(slow, form.id)));
    await removeOldRows(slow.service.db, { logStart: daysAgo(32), limits: testLimits() });
    expect(await left()).toEqual([['succeeded'], ['succeeded'], ['succeeded'], ['pending']]);
    await removeOldRows(slow.service.db, { logStart: daysAgo(30), limits: testLimits() });
    expect(await left()).toEqual([[], ['succeeded'], ['succeeded'], ['pending']]);
    await startAnother(slow, { deliveryLogDays: 28 });
    await eventually(left).toEqual([[], [], [], ['pending']]);
  });

  it('is cleaned of any number of deliveries', async () => {
    const { id } = await slow.owner.deploy();
    await slow.service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, status, next_attempt_at, created_at, updated_at)
       SELECT 'dl_' || lpad(n::text, 24, '0'), ?, 'failed', now(), now(), now() FROM generate_series(1, 1700) AS n`,
      [id],
    );
    await age(slow, id, 31, 31);
    await startAnother(slow);
    await eventually(() => rowsOf(slow, id)).toEqual([]);
  });
});

describe('mail', () => {
  const OWNER = 'owner1@test.example';

  /** A deployment whose owner gets mail. */
  async function mailForm({ owner } = mailing): Promise<{ id: string; slug: string }> {
    const form = await owner.deploy();
    await owner.patch(`/deploy/${form.id}`).send({ email_notifications: true }).expect(200);
    return form;
  }

  /** The mails that came about a deployment. */
  const mailsOf = ({ slug }: { slug: string }) =>
    smtp.received.filter(({ raw }) =>
      decodeWords(headerOf(readMail(raw).headers, 'Subject'))
        .split(' ')
        .includes(slug),
    );
  const subjectsOf = (form: { slug: string }): string[] =>
    mailsOf(form).map(({ raw }) => decodeWords(headerOf(readMail(raw).headers, 'Subject')));
  /** The headers of mails, but for those that differ from one to the next. */
  const headersOf = (form: { slug: string }) =>
    mailsOf(form).map(({ raw }) => {
      const {
        Date: _date,
        'Message-ID': _id,
        'Content-Type': _type,
        ...headers
      } = Object.fromEntries(readMail(raw).headers);
      return headers;
    });

  const unsubscribeHeaders = ({ id }: { id: string }) => ({
    'List-Unsubscribe': expect.stringMatching(
      new RegExp(`^<http://api\\.test/unsubscribe/${id}\\?signature=[\\w-]{43}>$`),
    ),
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });

  /** Sees a mail about a new submission: whatever was due before has had its turn. */
  async function mailPasses(): Promise<void> {
    const form = await mailForm();
    await submit(mailing, form.id);
    await eventually(() => subjectsOf(form)).toEqual([`New submission for ${form.slug}`]);
  }

  /** Has the mail server make trouble, until it is told not to or the test is over. */
  function makeTrouble(trouble: Trouble): void {
    smtp.makeTrouble(trouble);
    onTestFinished(() => smtp.makeTrouble());
  }

  it('tells the owner of a submission, as text and as HTML', async () => {
    const form = await mailForm();
    await submit(
      mailing,
      form.id,
      '{"name":"Ada <3","email":"ada@home.example","_gotcha":"x","message":"Hello,\\nworld"}',
    );
    await eventually(() => mailsOf(form).length).toBe(1);
    const [mail] = mailsOf(form);
    expect([mail?.from, mail?.to]).toEqual(['forms@pages.example', [OWNER]]);
    expect(headersOf(form)).toEqual([
      {
        From: 'Forms <forms@pages.example>',
        To: OWNER,
        'Reply-To': 'ada@home.example',
        Subject: `New submission for ${form.slug}`,
        'Auto-Submitted': 'auto-generated',
        ...unsubscribeHeaders(form),
        'MIME-Version': '1.0',
      },
    ]);
    const { parts } = readMail(mail?.raw ?? Buffer.of());
    const lines = parts.map(({ headers, text }) => [headerOf(headers, 'Content-Type'), ...text.split('\n')]);
    expect(lines).toEqual([
      expect.arrayContaining([
        'text/plain; charset=utf-8',
        'name: Ada <3',
        'email: ada@home.example',
        'message: Hello,',
      ]),
      expect.arrayContaining(['text/html; charset=utf-8']),
    ]);
    const shown = parts.map(({ text }) => ['<3', '&lt;3', '_gotcha'].filter((piece) => text.includes(piece)));
    expect(shown).toEqual([['<3'], ['&lt;3']]);
  });

  it('is off until it is switched on, and off again', async () => {
    const never = await mailing.owner.deploy();
    await submit(mailing, never.id);
    const form = await mailForm();
    await submit(mailing, form.id);
    await eventually(() => mailsOf(form).length).toBe(1);
    await mailing.owner.patch(`/deploy/${form.id}`).send({ email_notifications: false }).expect(200);
    await submit(mailing, form.id);
    await mailPasses();
    expect([mailsOf(never).length, mailsOf(form).length]).toEqual([0, 1]);
  });

  it('takes no header from a submission but Reply-To', async () => {
    const table: [text: string, replyTo: string | undefined][] = [
      ['{"email":"ada+forms@home.example"}', 'ada+forms@home.example'],
      ['{"email":"a@home.example","email":"b@home.example"}', undefined],
      ['{"email":"a@home.example, b@home.example"}', undefined],
      ['{"email":["a@home.example","b@home.example"]}', undefined],
      ['{"email":"Ada <a@home.example>"}', undefined],
      ['{"email":"a@home.example\\r\\nBcc: eve@evil.example"}', undefined],
      ['{"email":"x:a@home.example;"}', undefined],
      ['{"email":"a@home.example (x)"}', undefined],
      ['{"Email":"a@home.example","reply_to":"a@home.example","from":"a@home.example"}', undefined],
      ['{"Bcc":"eve@evil.example","Subject":"x","To\\r\\nCc":"eve@evil.example"}', undefined],
      ['{"email":""}', undefined],
      ['{"email":null}', undefined],
    ];
    const forms = await Promise.all(table.map(() => mailForm()));
    await Promise.all(forms.map(({ id }, at) => submit(mailing, id, table[at]?.[0])));
    const mails = forms.map(({ id, slug }, at) => {
      const replyTo = table[at]?.[1];
      return [
        {
          From: 'Forms <forms@pages.example>',
          To: OWNER,
          ...(replyTo && { 'Reply-To': replyTo }),
          Subject: `New submission for ${slug}`,
          'Auto-Submitted': 'auto-generated',
          ...unsubscribeHeaders({ id }),
          'MIME-Version': '1.0',
        },
      ];
    });
    await eventually(() => forms.map(headersOf)).toEqual(mails);
    const recipients = new Set(smtp.received.map(({ from, to }) => `${from} to ${to}`));
    expect(recipients).toEqual(new Set([`forms@pages.example to ${OWNER}`]));
  });

  it('arrives whatever was submitted', async () => {
    const texts = [
      `{"a":"${'é'.repeat(127 * KIB)}"}`,
      '{"\\u0000":"\\ud800\\r\\n.\\r\\n","__proto__":{"a":1.10},"a":1e400,"<b>":"</div>"}',
      '{}',
    ];
    const forms = await Promise.all(texts.map(() => mailForm()));
    await Promise.all(forms.map(({ id }, at) => submit(mailing, id, texts[at])));
    await eventually(() => forms.map(subjectsOf)).toEqual(forms.map(({ slug }) => [`New submission for ${slug}`]));
  });

  it('is tried again, the same mail, while the webhooks beside it go out', async () => {
    const receiver = await startReceiver();
    const form = await mailForm();
    const webhook = await addWebhook(mailing, form.id, { url: receiver.url });
    makeTrouble({ at: 'message', does: { code: 451, text: 'Later' } });
    const met = smtp.met();
    await submit(mailing, form.id);
    await eventually(() => smtp.met()).toBe(met + 1);
    smtp.makeTrouble();
    await eventually(() => subjectsOf(form)).toEqual([`New submission for ${form.slug}`]);
    await eventually(() => fates(mailing, webhook)).toEqual(['succeeded 1']);
    await eventually(() => rowsOf(mailing, form.id)).toEqual(['succeeded', 'succeeded']);
  });

  it('is given up after the last retry', async () => {
    const form = await mailForm();
    const met = smtp.met();
    makeTrouble({ at: 'rcpt', does: { code: 550, text: 'Never' } });
    await submit(mailing, form.id);
    await eventually(() => rowsOf(mailing, form.id)).toEqual(['failed']);
    smtp.makeTrouble();
    await mailPasses();
    expect([smtp.met() - met, mailsOf(form).length]).toEqual([3, 0]);
  });

  it('that waits for its retry is not sent when the deployment is deleted, or mail switched off', async () => {
    const patient = await startForThisTest({ DELIVERY_RETRY_DELAYS: '600', SMTP_URL: smtp.url });
    const [gone, off] = [await mailForm(patient), await mailForm(patient)];
    makeTrouble({ at: 'mail', does: { code: 451, text: 'Later' } });
    for (const { id } of [gone, off]) await submit(patient, id);
    await eventually(() => waitingOf(patient, gone.id, off.id)).toBe(2);
    smtp.makeTrouble();
    await patient.owner.delete(`/deploy/${gone.id}`).expect(200);
    await patient.owner.patch(`/deploy/${off.id}`).send({ email_notifications: false }).expect(200);
    for (const { id } of [gone, off]) expect(await comeDue(patient, id)).toBe(1);
    const left = () => Promise.all([gone, off].map(({ id }) => rowsOf(patient, id)));
    await eventually(left).toEqual([[], []]);
    expect([mailsOf(gone).length, mailsOf(off).length]).toEqual([0, 0]);
  });

  it('does not hold up the visitor or a webhook while the mail server hangs', async () => {
    const receiver = await startReceiver(inTurn(500, 200));
    const form = await mailForm();
    const webhook = await addWebhook(mailing, form.id, { url: receiver.url });
    const met = smtp.met();
    makeTrouble({ at: 'mail', does: 'hang' });
    await submit(mailing, form.id);
    await eventually(() => smtp.met()).toBe(met + 1);
    await eventually(() => fates(mailing, webhook)).toEqual(['succeeded 2']);
    smtp.makeTrouble();
    for (const socket of smtp.sockets.values()) socket.destroy();
    await eventually(() => subjectsOf(form)).toEqual([`New submission for ${form.slug}`]);
  });

  it.each<[string, number, boolean]>([
    ['answered 410', 410, false],
    ['has failed for five days', 500, true],
  ])('tells the owner once of a webhook that was switched off because it %s', async (_why, status, isOld) => {
    const receiver = await startToldReceiver();
    const form = await formTo(mailing, `${receiver.url}/secret-path`);
    const { db } = mailing.service;
    const row = db('webhooks').where({ id: idIn(form.webhook) });
    if (isOld) await row.update({ failing_since: db.raw("now() - interval '5 days'") });
    for (let n = 1; n <= 4; n += 1) await submit(mailing, form.id);
    await eventually(() => receiver.received.length).toBeGreaterThan(1);
    receiver.tell(status);
    await eventually(() => mailsOf(form).length).toBe(1);
    await mailPasses();
    const [mail, ...others] = mailsOf(form);
    expect([mail?.from, mail?.to, others]).toEqual(['forms@pages.example', [OWNER], []]);
    const { headers, parts } = readMail(mail?.raw ?? Buffer.of());
    expect(Object.fromEntries(headers)).toEqual({
      From: 'Forms <forms@pages.example>',
      To: OWNER,
      Subject: aSentence,
      Date: aSentence,
      'Message-ID': aSentence,
      'Auto-Submitted': 'auto-generated',
      'MIME-Version': '1.0',
      'Content-Type': aSentence,
    });
    const failure = status === 410 ? 'the receiver answered 410' : 'the receiver answered 500';
    const { text } = parts[0] ?? { text: '' };
    const [, since = ''] = /^Failing since: (.*)$/m.exec(text) ?? [];
    expect(text).toContain(
      `The webhook ${idIn(form.webhook)} of ${form.slug} was switched off: ${
        status === 410
          ? 'its receiver answered 410 Gone, which asks for no further deliveries'
          : `no delivery to it has succeeded since ${since}`
      }.\n\nURL: ${receiver.url}/secret-path\nFailing since: ${since}\nLast failure: ${failure}\n`,
    );
    const daysAgo = (Date.now() - Date.parse(since.replace(' UTC', 'Z').replace(',', ''))) / 86_400_000;
    expect(Math.round(daysAgo)).toBe(isOld ? 5 : 0);
    expect(text).toContain(
      `curl -X PATCH http://api.test${form.webhook} -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '{"active": true}'\n`,
    );
    expect((await mailing.owner.get(`/webhooks/${form.id}`)).body.webhooks[0].active).toBe(false);
  });

  it('tells the owner of a webhook once a day, however often it is switched on and off again, in whatever process', async () => {
    const receiver = await startToldReceiver(410);
    const form = await formTo(mailing, receiver.url);
    const another = await startAnother(mailing);
    const elsewhere = asOwner(another.url, mailing.owner.key);
    const isActive = async () => (await mailing.owner.get(`/webhooks/${form.id}`)).body.webhooks[0].active;
    const { db } = mailing.service;
    const noticed = (age: string) =>
      db('webhooks')
        .where({ id: idIn(form.webhook) })
        .update({ noticed_at: db.raw('now() - CAST(? AS interval)', [age]) });

    const underWay = () =>
      db('deliveries')
        .where({ webhook_id: idIn(form.webhook), leased: true })
        .select('id');

    async function switchOffAgain(): Promise<void> {
      // An attempt that is still under way would switch it off before the next submission.
      await eventually(underWay).toEqual([]);
      // Counted first: what is pending is sent, refused and the webhook switched off as soon as one of them switches it
      // on.
      const before = receiver.received.length;
      for (const owner of [mailing.owner, elsewhere])
        await owner.patch(form.webhook).send({ active: true }).expect(200);
      await submit(before % 2 === 0 ? mailing : another, form.id);
      await eventually(() => receiver.received.length).toBeGreaterThan(before);
      await eventually(isActive).toBe(false);
    }
    await submit(mailing, form.id);
    await eventually(isActive).toBe(false);
    for (let times = 0; times < 5; times += 1) await switchOffAgain();
    await noticed('23 hours 59 minutes');
    await switchOffAgain();
    await mailPasses();
    expect(mailsOf(form).length).toBe(1);

    for (const age of ['1 day', '-3 days']) {
      await noticed(age);
      await switchOffAgain();
    }
    await eventually(() => mailsOf(form).length).toBe(3);
    await mailPasses();
    expect(mailsOf(form).length).toBe(3);
  });
});
