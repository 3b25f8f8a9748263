import { describe, expect, it } from 'vitest';
import { refused } from '../../support/answers.ts';
import { readTexts, refusalsOf, SERVICES } from '../../support/chat-services.ts';
import { type Received, startReceiver } from '../../support/receivers.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';
import { eventually, Forms, isSigned } from '../../support/webhooks.ts';

const HOOK = 'https://hooks.invalid/a';
const CHAT_ID = '-1001234567890';

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const forms = new Forms(service, owner);

const deploy = async (): Promise<string> => (await owner.deploy()).id;

const post = async (id: string, body: object) => {
  const { status, body: answer } = await owner.post(`/webhooks/${id}`).send(body);
  return { status, body: answer };
};

/** A new webhook, by its path. */
async function add(body: object, id?: string): Promise<string> {
  const of = id ?? (await deploy());
  const { status, body: made } = await post(of, body);
  expect([status, made]).toEqual([201, { id: made.id, deployment_id: of, url: made.url, type: made.type }]);
  return `/webhooks/${of}/${made.id}`;
}

const read = async (webhook: string) => (await owner.get(webhook).expect(200)).body;

const bodyOf = ({ body }: Received) => JSON.parse(body);

describe('GET /webhooks/:deployId/:webhookId', () => {
  it('returns what the list has, the format, the chat and the names of headers', async () => {
    const headers = { 'X-Key': 'secret-1', authorization: 'Bearer secret-2' };
    const webhook = await add({ url: HOOK, format: 'telegram', chat_id: CHAT_ID, headers });
    const { body } = await owner.get(webhook.replace(/\/wh_\w+$/, '')).expect(200);
    const details = { ...body.webhooks[0], format: 'telegram', chat_id: CHAT_ID, headers: ['X-Key', 'authorization'] };
    expect(Object.keys(body.webhooks[0])).toEqual(['id', 'url', 'type', 'events', 'active', 'created_at']);
    expect(await read(webhook)).toEqual(details);
    expect((await owner.patch(webhook).send({}).expect(200)).body).toEqual(details);
    expect((await owner.get(`${webhook}x`)).status).toBe(404);
  });

  it('has the format default without one, also for Slack', async () => {
    for (const type of ['generic', 'slack']) {
      const details = await read(await add({ url: HOOK, type }));
      expect(details).toMatchObject({ type, format: 'default', chat_id: null, headers: [] });
    }
  });
});

describe('the format of a webhook', () => {
  it.each([
    ['https://discord.com/api/webhooks/1/x', 'discord'],
    ['https://canary.discord.com/api/v10/webhooks/1/x?wait=true', 'discord'],
    ['https://contoso.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4', 'teams'],
    ['https://prod-7.westeurope.logic.azure.com:443/workflows/1/invoke?sig=x', 'teams'],
    ['https://default1.2.environment.api.powerplatform.com/x?sig=y', 'teams'],
    ['https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t', 'google-chat'],
    ['https://api.telegram.org/bot1:a/sendMessage', 'telegram'],
    ['https://discord.com.example/api/webhooks/1/x', 'default'],
  ])('is set by the address %s: %s', async (url, format) => {
    const chat = format === 'telegram' ? { chat_id: CHAT_ID } : {};
    expect(await read(await add({ url, ...chat }))).toMatchObject({ format, type: 'generic' });
    const other = await add({ url: HOOK });
    expect((await owner.patch(other).send({ url, ...chat })).body).toMatchObject({ url, format });
    // It was not chosen, so the next address sets it again.
    expect((await owner.patch(other).send({ url: HOOK })).body).toMatchObject({ format: 'default', chat_id: null });
  });

  it('stays when it was chosen', async () => {
    const webhook = await add({ url: HOOK, format: 'standard' });
    const { body } = await owner.patch(webhook).send({ url: `${HOOK}/b` });
    expect(body).toMatchObject({ url: `${HOOK}/b`, format: 'standard' });
    const flow = 'https://prod-7.westeurope.logic.azure.com:443/workflows/1/invoke?sig=x';
    expect((await owner.patch(webhook).send({ url: flow, format: 'default' })).body).toMatchObject({
      format: 'default',
    });
  });

  it('that was chosen gives way to an address that takes another one only', async () => {
    const webhook = await add({ url: HOOK, format: 'telegram', chat_id: CHAT_ID });
    const change = async (body: object) => (await owner.patch(webhook).send(body).expect(200)).body;
    const discord = { url: 'https://discord.com/api/webhooks/1/x' };
    expect(await change(discord)).toMatchObject({ ...discord, format: 'discord', chat_id: null });
    expect(await change({ url: HOOK })).toMatchObject({ format: 'default' });
    await change({ format: 'standard' });
    const flow = { url: 'https://prod-7.westeurope.logic.azure.com:443/workflows/1/invoke?sig=x' };
    expect(await change(flow)).toMatchObject({ ...flow, format: 'standard' });
    expect(await change({ url: telegram, chat_id: '@news' })).toMatchObject({ format: 'telegram', chat_id: '@news' });
    expect(await change({ events: ['submission'] })).toMatchObject({ format: 'telegram', chat_id: '@news' });
    expect(await change({ url: HOOK, format: 'teams' })).toMatchObject({ format: 'teams', chat_id: null });
  });

  const telegram = 'https://api.telegram.org/bot1:a/sendMessage';
  it.each<[object, string]>([
    [{ url: HOOK, format: 'xml' }, 'format is invalid: '],
    [{ url: HOOK, format: null }, 'format is invalid: '],
    [{ url: HOOK, type: 'slack', format: 'default' }, 'format has no place beside type: slack'],
    [{ url: HOOK, type: 'slack', format: 'discord' }, 'format has no place beside type: slack'],
    [{ url: 'https://discord.com/api/webhooks/1/x', format: 'default' }, 'url is a webhook of Discord, '],
    [{ url: 'https://discord.com/api/webhooks/1/x', type: 'slack' }, 'url is a webhook of Discord, '],
    [{ url: 'https://discord.com/api/webhooks/1/x/slack' }, 'url is a webhook of Discord for the messages of another'],
    [{ url: 'https://chat.googleapis.com/v1/spaces/A/messages', format: 'teams' }, 'url is a webhook of Google Chat, '],
    [{ url: 'https://api.telegram.org/bot1:a/getMe', chat_id: '1' }, 'url is of the Bot API of Telegram, '],
    [{ url: telegram }, 'chat_id is required for Telegram'],
    [{ url: telegram, chat_id: null }, 'chat_id is required for Telegram'],
    [{ url: HOOK, format: 'telegram' }, 'chat_id is required for Telegram'],
    [{ url: telegram, chat_id: 'my chat' }, 'chat_id is no id of a chat'],
    [{ url: telegram, chat_id: 1.5 }, 'chat_id is not a text'],
    [{ url: HOOK, chat_id: '1' }, 'chat_id is for Telegram only'],
    [{ url: HOOK, format: 'discord', chat_id: '1' }, 'chat_id is for Telegram only'],
  ])('%j is a 400', async (body, error) => {
    const id = await deploy();
    expect(await post(id, body)).toEqual({ status: 400, body: { error: expect.stringMatching(`^${error}`) } });
    expect((await owner.get(`/webhooks/${id}`)).body.webhooks).toEqual([]);
  });

  it('is checked in PATCH, with what the webhook has', async () => {
    const slack = await add({ url: HOOK, type: 'slack' });
    const chat = await add({ url: telegram, chat_id: '@my_channel' });
    const discord = await add({ url: 'https://discord.com/api/webhooks/1/x' });
    const wrong: [string, object][] = [
      [slack, { format: 'standard' }],
      [chat, { chat_id: null }],
      [chat, { format: 'discord' }],
      [discord, { format: 'default' }],
      [discord, { chat_id: '1' }],
      [discord, { url: telegram }],
    ];
    for (const [webhook, body] of wrong) {
      const before = await read(webhook);
      const { status, body: answer } = await owner.patch(webhook).send(body);
      expect([body, { status, body: answer }]).toEqual([body, refused(400)]);
      expect(await read(webhook)).toEqual(before);
    }
    expect((await owner.patch(chat).send({ chat_id: -5 })).body).toMatchObject({ format: 'telegram', chat_id: '-5' });
    expect((await owner.patch(chat).send({ url: HOOK })).body).toMatchObject({ format: 'default', chat_id: null });
  });
});

describe.each(SERVICES)('a delivery in the format %s', (format) => {
  it('is a message that the service accepts, with labels and a link to the inbox', async () => {
    const receiver = await startReceiver();
    const html = '<title>Bakery</title><form><label for=n>Your name</label><input id=n name=n></form>';
    const { id, slug } = await owner.deploy({ html });
    const chat = format === 'telegram' ? { chat_id: CHAT_ID } : {};
    const webhook = await add({ url: receiver.url, format, ...chat, headers: { 'X-Relay': 'k' } }, id);
    const submission = await forms.submit(id, '{"n":"<@Ada> *x*","_subject":"hidden","altcha":"hidden"}');
    await eventually(() => receiver.received.length).toBe(1);
    await forms.test(webhook);
    await eventually(() => receiver.received.length).toBe(2);
    const [sent, sample] = receiver.received;
    if (!sent || !sample) throw new Error('Nothing was received');
    expect([refusalsOf(format, sent.body), refusalsOf(format, sample.body)]).toEqual([[], []]);
    const texts = readTexts(format, sent.body)
      .join('\n')
      .replaceAll(/[\u2060\u200b]/g, '');
    for (const text of [
      'New submission for Bakery',
      'Your name',
      '<@Ada> *x*',
      `/dashboard/pages/${id}/inbox/${submission}`,
    ]) {
      expect(texts).toContain(text);
    }
    expect(texts).not.toContain('hidden');
    expect(texts).not.toContain(slug);
    expect(readTexts(format, sample.body).join('\n')).toContain('This is a test');
    expect([sent, sample].map(({ headers }) => [headers['formhost-test'], headers['x-relay']])).toEqual([
      [undefined, 'k'],
      ['true', 'k'],
    ]);
    expect(isSigned(sent, await forms.secret(webhook))).toBe(true);
  });
});

describe('a delivery in the format standard', () => {
  it('has the fields as they were sent', async () => {
    const receiver = await startReceiver();
    const { id, slug } = await owner.deploy();
    const webhook = await add({ url: receiver.url, format: 'standard' }, id);
    const fields = '{"10":1.10,"2":"\\u0000","10":[1e400]}';
    const submission = await forms.submit(id, fields);
    await eventually(() => receiver.received.length).toBe(1);
    await forms.test(webhook);
    await eventually(() => receiver.received.length).toBe(2);
    const [sent, sample] = receiver.received;
    if (!sent || !sample) throw new Error('Nothing was received');
    const { timestamp } = bodyOf(sent);
    const page = `"deployment_id":"${id}","slug":"${slug}","page_url":"https://${slug}.${PAGES_DOMAIN}"`;
    expect(sent.body).toBe(
      `{"type":"submission.created","timestamp":"${timestamp}","data":{"id":"${submission}",${page},"fields":${fields},"test":false}}`,
    );
    expect(bodyOf(sample).data).toMatchObject({ id: null, deployment_id: id, test: true });
    expect(sent.headers).toMatchObject({ 'formhost-submission-id': submission, 'formhost-slug': slug });
    expect([sent, sample].map(({ headers }) => headers['formhost-test'])).toEqual([undefined, 'true']);
    expect(isSigned(sent, await forms.secret(webhook))).toBe(true);
  });
});

describe('a delivery that waits', () => {
  it('is sent in the format, and with the headers, that the webhook has then', async () => {
    const receiver = await startReceiver((response, { headers }) => {
      response.writeHead(headers['x-now'] === undefined ? 500 : 200).end();
    });
    const { id, webhook } = await forms.to(receiver.url);
    await forms.submit(id);
    await eventually(() => forms.fates(webhook)).toEqual(['pending 1']);
    await owner
      .patch(webhook)
      .send({ format: 'discord', headers: { 'X-Now': 'yes' } })
      .expect(200);
    await forms.comeDue(id);
    await eventually(() => forms.fates(webhook)).toEqual(['succeeded 2']);
    expect(receiver.received.map((one) => Object.keys(bodyOf(one))[0])).toEqual(['event', 'embeds']);
  });
});

describe('headers of the owner', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, '']));

  it.each<[string, object]>([
    ['ten', many(10)],
    ['a name of 100 characters', { ['x'.repeat(100)]: 'a' }],
    ['a value of 2,000 characters', { x: 'é'.repeat(2_000) }],
    ['any token', { "!#$%&'*+-.^_`|~9aZ": 'a\tb c' }],
    ['no value', { 'x-empty': '' }],
    ['a name like a reserved one', { 'x-host': 'a', contents: 'b', webhooks: 'c', 'x-formhost-slug': 'd' }],
  ])('are taken and sent: %s', async (_what, headers) => {
    const receiver = await startReceiver();
    const webhook = await add({ url: receiver.url, headers });
    await forms.test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const sent = new Map(Object.entries(receiver.received[0]?.headers ?? {}));
    const got = Object.keys(headers).map((name) => [
      name,
      Buffer.from(String(sent.get(name.toLowerCase())), 'latin1').toString('latin1'),
    ]);
    expect(got).toEqual(Object.entries(headers));
    expect((await read(webhook)).headers).toEqual(Object.keys(headers));
  });

  it.each<[string, unknown]>([
    ['eleven', many(11)],
    ['a name of 101 characters', { ['x'.repeat(101)]: 'a' }],
    ['an empty name', { '': 'a' }],
    ['a name with a space', { 'a b': 'c' }],
    ['a name with a colon', { 'a:b': 'c' }],
    ['a name beyond ASCII', { é: 'c' }],
    ['a value of 2,001 characters', { x: 'a'.repeat(2_001) }],
    ['a value with a line break', { x: 'a\r\nhost: b' }],
    ['a value with NUL', { x: 'a\0' }],
    ['a value beyond Latin-1', { x: '€' }],
    ['a value with a control character of Latin-1', { x: '\u0085' }],
    ['a value that begins with a space', { x: ' a' }],
    ['a value that ends with a tab', { x: 'a\t' }],
    ['a number', { x: 1 }],
    ['null', { x: null }],
    ['a name twice', { 'X-Key': 'a', 'x-key': 'b' }],
    ['a list', [['x', 'y']]],
    ['a text', 'x: y'],
    ['no object', null],
    ...[
      'Host',
      'content-type',
      'Content-Length',
      'content-whatever',
      'Connection',
      'transfer-encoding',
      'TE',
      'trailer',
      'upgrade',
    ]
      .concat('expect', 'proxy-authorization', 'keep-alive', 'webhook-id', 'Webhook-Signature', 'webhook-timestamp')
      .concat('formhost-test', 'Formhost-Delivery', 'user-agent', 'accept-encoding', 'webhook_id', 'CONTENT_LENGTH')
      .map((name): [string, unknown] => [name, { [name]: 'a' }]),
  ])('are refused: %s', async (_what, headers) => {
    const id = await deploy();
    expect(await post(id, { url: HOOK, headers })).toEqual(refused(400));
    const webhook = await add({ url: HOOK, headers: { kept: 'a' } }, id);
    const { status, body } = await owner.patch(webhook).send({ headers });
    expect({ status, body }).toEqual(refused(400));
    expect((await read(webhook)).headers).toEqual(['kept']);
  });

  it('are replaced, and removed', async () => {
    const webhook = await add({ url: HOOK, headers: { a: '1', b: '2' } });
    expect((await owner.patch(webhook).send({ active: true })).body.headers).toEqual(['a', 'b']);
    expect((await owner.patch(webhook).send({ headers: { c: '3' } })).body.headers).toEqual(['c']);
    expect((await owner.patch(webhook).send({ headers: {} })).body.headers).toEqual([]);
  });
});
