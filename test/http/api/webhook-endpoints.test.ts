import { describe, expect, it } from 'vitest';
import { EVENTS } from '../../../src/lib/events.ts';
import { aSentence, aTime, refused } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';
import { eventually, Forms, isSigned } from '../../support/webhooks.ts';

const UNKNOWN_WEBHOOK = 'wh_00000000000000000000000000';
const HOOK = 'https://hooks.invalid/a';
const MOST = 50;
/** The fields that PATCH returns besides those of the list. */
const UNFORMATTED = { format: 'default', chat_id: null, headers: [] };

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const forms = new Forms(service, owner);

const deploy = async (): Promise<string> => (await owner.deploy()).id;

type Listed = { id: string; url: string; type: string; events: string[]; active: boolean; created_at: string };
const list = async (id: string): Promise<Listed[]> => (await owner.get(`/webhooks/${id}`).expect(200)).body.webhooks;

/** A new webhook as the list has it. */
const listed = (more: object) => ({
  ...{ id: expect.stringMatching(/^wh_[0-9A-Za-z]{20,}$/), url: HOOK, type: 'generic' },
  ...{ events: [...EVENTS], active: true, created_at: aTime },
  ...more,
});

const post = async (id: string, body: object) => {
  const { status, body: answer } = await owner.post(`/webhooks/${id}`).send(body);
  return { status, body: answer };
};

describe('POST /webhooks/:deployId', () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ type: 'slack', events: [...EVENTS] }, { type: 'slack' }],
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
      // No host is as long, and parsing it for each delivery would take quadratic time.
      ...[`https://${'\u4e00'.repeat(600)}/`, `https://${'\u4e00'.repeat(1_000)}?a`],
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
    const ending = 'url is a webhook of Discord for ';
    const teams = 'url is a webhook of Microsoft Teams, ';
    const workflow = 'url starts a workflow of Microsoft, ';

    /** How the problem begins that the types generic and slack have; undefined for a success. */
    it.each<[string, (string | undefined)[]]>([
      ['https://hooks.slack.com/services/T000/B000/XXXX', [slack, undefined]],
      ['HTTPS://HOOKS.Slack-Gov.com.:443/services/T/B/X?a#b', [slack, undefined]],
      ['https://hooks.slack.com/triggers/T/1/x', [workflowOfSlack, workflowOfSlack]],
      ['https://hooks.slack.com/workflows/T/1/x', [workflowOfSlack, workflowOfSlack]],
      ['https://discordapp.com/api/webhooks/1/x', [undefined, discord]],
      ['https://canary.discord.com/api/v10/webhooks/1/x', [undefined, discord]],
      ['https://discord.com/api/webhooks/1/x/slack?wait=true', [ending, undefined]],
      ['https://contoso.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4', [undefined, teams]],
      ['https://outlook.office.com/webhook/1', [undefined, teams]],
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
        const webhook = await forms.addWebhook(id, HOOK, type);
        const { status, body } = await owner.patch(webhook).send({ url });
        expect([type, { status, body }]).toEqual([type, problem ? refusal : success]);
      }
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
    for (const { url, type } of webhooks) {
      await forms.addWebhook(id, url, type);
      await forms.addWebhook(other, url, type);
    }
    expect(await list(id)).toEqual(webhooks.map(listed));
  });
});

describe('DELETE /webhooks/:deployId/:webhookId', () => {
  it('answers 200 with a message, once', async () => {
    const { id, webhook } = await forms.to(HOOK);
    await forms.addWebhook(id, 'https://b.invalid/');
    const { status, body } = await owner.delete(webhook);
    expect([status, body]).toEqual([200, { message: aSentence }]);
    expect(await list(id)).toEqual([listed({ url: 'https://b.invalid/' })]);
    await owner.delete(webhook).expect(404);
  });
});

describe('PATCH /webhooks/:deployId/:webhookId', () => {
  it('takes each field and answers the webhook as it is listed, with its format; the others stay as they were', async () => {
    const id = await deploy();
    const webhook = await forms.addWebhook(id, HOOK, 'slack');
    await forms.addWebhook(id, HOOK);
    const [before, other] = await list(id);
    const changes: [given: object, changed: object][] = [
      [{}, {}],
      [{ url: 'http://Example.com:8080/B%2f?c=d#e' }, { url: 'http://Example.com:8080/B%2f?c=d#e' }],
      [{ active: false }, { active: false }],
      [{ events: [...EVENTS], active: true }, { active: true }],
      [{ type: 'discord', id: 'x', deployment_id: 1, secret: null, created_at: 'x', unknown: {} }, {}],
    ];
    const after = { ...before };
    for (const [given, changed] of changes) {
      Object.assign(after, changed);
      const { status, body } = await owner.patch(webhook).send(given);
      expect([given, status, body]).toEqual([given, 200, { ...after, ...UNFORMATTED }]);
      expect(await list(id)).toEqual([after, other]);
    }
    const absent = await owner.patch(webhook);
    expect([absent.status, absent.body]).toEqual([200, { ...after, ...UNFORMATTED }]);
  });

  it('makes one whole webhook of two changes that come at once, and brings back none that is deleted then', async () => {
    const { id, webhook } = await forms.to(HOOK);
    await Promise.all([
      ...Array.from({ length: 5 }, () => owner.patch(webhook).send({ url: 'https://b.invalid/' }).expect(200)),
      ...Array.from({ length: 5 }, () => owner.patch(webhook).send({ active: false }).expect(200)),
    ]);
    expect(await list(id)).toEqual([listed({ url: 'https://b.invalid/', active: false })]);
    const [gone, changed] = await Promise.all([owner.delete(webhook), owner.patch(webhook).send({ active: true })]);
    expect([gone.status, changed.status]).toEqual([200, expect.toBeOneOf([200, 404])]);
    expect(await list(id)).toEqual([]);
  });
});

describe('the secret of a webhook', () => {
  it('is its own, which no cache keeps, until it is rotated: then those of the last 24 hours sign, too', async () => {
    const receiver = await startReceiver();
    const { id, webhook } = await forms.to(receiver.url);
    const other = await forms.addWebhook(id, HOOK, 'slack');
    const { headers, body } = await owner.get(`${webhook}/secret`);
    expect([headers['cache-control'], body]).toEqual(['no-store', { secret: expect.stringMatching(/^whsec_/) }]);
    // Standard Webhooks 1.0: between 24 and 64 bytes.
    const { length } = Buffer.from(body.secret.slice('whsec_'.length), 'base64');
    expect(length >= 24 && length <= 64).toBe(true);
    const ofOther = await forms.secret(other);
    const rotations = await Promise.all([1, 2].map(() => owner.post(`${webhook}/secret/rotate`).expect(200)));
    const secrets: string[] = [body.secret, ...rotations.map((answer) => answer.body.secret)];
    expect(secrets.slice(1)).toContain(await forms.secret(webhook));
    expect([new Set([...secrets, ofOther]).size, await forms.secret(other)]).toEqual([4, ofOther]);
    await forms.test(webhook);
    await eventually(() => receiver.received.length).toBe(1);
    const [request] = receiver.received;
    expect(secrets.map((secret) => request && isSigned(request, secret))).toEqual([true, true, true]);
  });
});
