import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aTime } from '../../support/answers.ts';
import { inTurn, says, startRawReceiver, startReceiver } from '../../support/receivers.ts';
import { testService } from '../../support/test-service.ts';
import { aDelivery, eventually, Forms } from '../../support/webhooks.ts';

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '3600,3600,3600' });
const owner = await service.owner();
const forms = new Forms(service, owner);

/** An attempt as the API returns it: one that succeeded, except for `more`. */
const anAttempt = (more: object) => ({
  ...{ at: aTime, duration_ms: expect.any(Number), status: 200, error: null, response: '' },
  ...more,
});

/** The attempts of a test that is sent to a receiver, once the first has ended. */
async function attemptsAt(url: string): Promise<object[]> {
  const { webhook } = await forms.to(url);
  const id = await forms.test(webhook);
  const read = async () => (await owner.get(`${webhook}/deliveries/${id}`).expect(200)).body.attempts;
  await eventually(async () => (await read()).length).toBe(1);
  return read();
}

const responseOf = async (answer: string | Buffer, headers: Record<string, string> = {}): Promise<unknown> => {
  const receiver = await startReceiver((response) => void response.writeHead(200, headers).end(answer));
  const [attempt] = await attemptsAt(receiver.url);
  return attempt && 'response' in attempt ? attempt.response : undefined;
};

describe('GET /webhooks/:deployId/:webhookId/deliveries/:deliveryId', () => {
  it('returns the delivery, with each attempt and what the receiver answered', async () => {
    const statuses = [500, 404, 200];
    const receiver = await startReceiver((response) => {
      const status = statuses.shift() ?? 200;
      response.writeHead(status).end(`answer ${status}`);
    });
    const { id, webhook } = await forms.to(receiver.url);
    const submission = await forms.submit(id);
    for (const fate of ['pending 1', 'pending 2', 'succeeded 3']) {
      await eventually(() => forms.fates(webhook)).toEqual([fate]);
      if (fate !== 'succeeded 3') await forms.comeDue(id);
    }
    const [logged] = await forms.log(webhook);
    if (!logged) throw new Error('There is no delivery');
    const { body } = await owner.get(`${webhook}/deliveries/${logged.id}`).expect(200);
    const attempts = [
      anAttempt({ status: 500, error: 'the receiver answered 500', response: 'answer 500' }),
      anAttempt({ status: 404, error: 'the receiver answered 404', response: 'answer 404' }),
      anAttempt({ response: 'answer 200' }),
    ];
    expect(body).toEqual(aDelivery({ submission_id: submission, attempts }));
    expect({ ...body, attempts: 3 }).toEqual(logged);
    for (const { duration_ms: ms } of body.attempts) expect(ms).toBeGreaterThanOrEqual(0);
    const times = body.attempts.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted());
  });

  it('answers 404 for an unknown delivery, that of another webhook, and that of another owner', async () => {
    const receiver = await startReceiver();
    const [one, other] = [await forms.to(receiver.url), await forms.to(receiver.url)];
    const id = await forms.test(one.webhook);
    await owner.get(`${one.webhook}/deliveries/${id}`).expect(200);
    for (const path of [`${one.webhook}/deliveries/${id}x`, `${other.webhook}/deliveries/${id}`]) {
      await owner.get(path).expect(404);
    }
    await (await service.owner()).get(`${one.webhook}/deliveries/${id}`).expect(404);
  });

  it('has no answer where none came', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await attemptsAt(receiver.url)).toEqual([
      anAttempt({ status: null, error: 'the connection was refused', response: null }),
    ]);
  });

  it('has the part of an answer that came', async () => {
    const receiver = await startRawReceiver(says('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\npart', 'closes'));
    const [attempt] = await attemptsAt(receiver.url);
    expect(attempt).toEqual(anAttempt({ error: expect.any(String), response: 'part' }));
  });

  it.each<[string, string | Buffer, Record<string, string>, unknown]>([
    ['the first 1,000 characters', 'é'.repeat(999) + '😀😀'.repeat(400), {}, `${'é'.repeat(999)}😀`],
    ['1,000 characters of a very long answer', 'x'.repeat(3_000_000), {}, 'x'.repeat(1_000)],
    ['NUL', 'a\0b', {}, 'a\ufffdb'],
    ['no UTF-8', Buffer.from([0x61, 0xff, 0x62]), {}, 'a\ufffdb'],
    ['Latin-1', Buffer.from('é', 'latin1'), { 'content-type': 'text/plain; charset=ISO-8859-1' }, 'é'],
    ['UTF-16', Buffer.from('\ufeffab', 'utf16le'), { 'content-type': 'text/plain; charset=utf-16le' }, 'ab'],
    ['an encoding that nobody knows', 'é', { 'content-type': 'text/plain; charset=klingon' }, 'é'],
    ['a wrong type', 'a', { 'content-type': ';;;"' }, 'a'],
    ['a compressed answer', gzipSync('a'), { 'content-encoding': 'gzip' }, null],
    ['JSON as it is', '{"a": "\\u0000"}', {}, '{"a": "\\u0000"}'],
  ])('can have %s', async (_what, answer, headers, response) => {
    expect(await responseOf(answer, headers)).toBe(response);
  });

  it('does not show the values of headers that a receiver returns, however it writes them', async () => {
    const basic = `Basic ${Buffer.from('ada:open sesame').toString('base64')}`;
    const headers = { 'X-Key': 'q/w"é<&', Authorization: 'Bearer tok3n', 'X-Login': basic, 'X-N': '7', 'X-None': '' };
    const long = 'long-value-'.repeat(180);
    const escaped = JSON.stringify(headers['X-Key']).replace('/', '\\/').replace('é', '\\u00e9');
    const answers = [
      JSON.stringify(headers),
      `{"key":${escaped},"token":"tok3n","tok3nized":17,"n":7}`,
      'q/w&quot;é&lt;&amp; q%2Fw%22%C3%A9%3C%26 ada:open sesame, open sesame',
      Buffer.from(headers['X-Key'], 'latin1'),
      `${'x'.repeat(990)}${long}`,
    ];
    const receiver = await startReceiver((response) => void response.writeHead(500).end(answers.shift()));
    const { id } = await owner.deploy();
    const sent = { url: receiver.url, headers: { ...headers, 'X-Long': long } };
    const { body: made } = await owner.post(`/webhooks/${id}`).send(sent).expect(201);
    const webhook = `/webhooks/${id}/${made.id}`;
    const test = await forms.test(webhook);
    for (const count of [1, 2, 3, 4, 5]) {
      await eventually(() => forms.fates(webhook)).toEqual([`${count < 4 ? 'pending' : 'failed'} ${count}`]);
      if (count < 5) await forms.retry(webhook, test);
    }
    const { body } = await owner.get(`${webhook}/deliveries/${test}`).expect(200);
    expect(body.attempts.map(({ response }: { response: string }) => response)).toEqual([
      '{"X-Key":"[hidden]","Authorization":"[hidden]","X-Login":"[hidden]","X-N":"[hidden]","X-None":""}',
      '{"key":"[hidden]","token":"[hidden]","tok3nized":17,"n":[hidden]}',
      '[hidden] [hidden] [hidden], [hidden]',
      '[hidden]',
      `${'x'.repeat(990)}[hidden]`,
    ]);
  });

  it('keeps the last 50 attempts', async () => {
    const receiver = await startReceiver(inTurn(500));
    const { webhook } = await forms.to(receiver.url);
    const id = await forms.test(webhook);
    await eventually(() => forms.fates(webhook)).toEqual(['pending 1']);
    const earlier = JSON.stringify(Array.from({ length: 50 }, (_, at) => ({ at: String(at) })));
    await service.db('deliveries').where({ id }).update({ attempt_log: earlier });
    await forms.retry(webhook, id);
    await eventually(() => receiver.received.length).toBe(2);
    await eventually(() => forms.fates(webhook)).toEqual(['pending 2']);
    const { attempt_log: log } = await service.db('deliveries').where({ id }).first('attempt_log');
    expect(log.map(({ at }: { at: string }) => at)).toEqual([
      ...Array.from({ length: 49 }, (_, at) => String(at + 1)),
      aTime,
    ]);
  });
});

describe('the next attempt', () => {
  it.each([
    ['Discord', '{"message":"You are being rate limited.","retry_after":70000.2,"global":false}', 70_001],
    ['Telegram', '{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":70000}}', 70_000],
    ['nobody', '{"retry_after":-1}', 3_600],
    ['a list', '[]', 3_600],
  ])('waits as long as the answer with 429 of %s says', async (_service, answer, seconds) => {
    const receiver = await startReceiver((response) => void response.writeHead(429).end(answer));
    const { webhook } = await forms.to(receiver.url);
    await forms.test(webhook);
    await eventually(() => forms.fates(webhook)).toEqual(['pending 1']);
    const [delivery] = await forms.log(webhook);
    const waits = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.updated_at ?? '');
    expect(waits).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
    expect(waits).toBeLessThan(seconds * 1_100 + 1);
  });

  it('follows an answer with 200 in which Teams says that it has refused the message', async () => {
    const refusal = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429';
    const receiver = await startReceiver((response) => void response.end(refusal));
    for (const [format, fate] of [
      ['teams', 'pending 1'],
      ['standard', 'succeeded 1'],
    ] as const) {
      const { id } = await owner.deploy();
      const { body } = await owner.post(`/webhooks/${id}`).send({ url: receiver.url, format }).expect(201);
      await forms.test(`/webhooks/${id}/${body.id}`);
      await eventually(() => forms.fates(`/webhooks/${id}/${body.id}`)).toEqual([fate]);
    }
  });
});
