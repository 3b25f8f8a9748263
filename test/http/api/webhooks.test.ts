import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aTime, failure } from '../../support/answers.ts';
import { asOwner, type Owner, startTestService, type TestService, UNKNOWN_ID } from '../../support/service.ts';

const UNKNOWN_WEBHOOK = 'wh_00000000000000000000000000';
const HOOK = 'https://hooks.invalid/a';
const MOST = 50;

const webhookId = expect.stringMatching(/^wh_[0-9A-Za-z]{20,}$/);

let service: TestService;
let owner: Owner;
/** A deployment for what is refused, so that no webhook is ever made. */
let bare: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
  bare = await deploy();
});
afterAll(() => service.close());

const words = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '));

const deploy = async (): Promise<string> => (await owner.deploy()).id;

/** Makes a webhook; its id. */
async function create(id: string, body: object = { url: HOOK }): Promise<string> {
  const response = await owner.post(`/webhooks/${id}`).send(body);
  if (response.status !== 201) throw new Error(`POST /webhooks answered ${response.status}: ${response.text}`);
  return response.body.id;
}

const list = async (id: string) => (await owner.get(`/webhooks/${id}`).expect(200)).body;
async function listedIds(id: string): Promise<string[]> {
  const { webhooks }: { webhooks: { id: string }[] } = await list(id);
  return webhooks.map((webhook) => webhook.id);
}

describe('POST /webhooks/:deployId', () => {
  it('answers 201 with id, deployment_id, url and type, generic by default', async () => {
    const id = await deploy();
    const response = await owner.post(`/webhooks/${id}`).send({ url: HOOK });
    expect([response.status, response.headers['content-type']]).toEqual([201, 'application/json; charset=utf-8']);
    expect(response.body).toStrictEqual({ id: webhookId, deployment_id: id, url: HOOK, type: 'generic' });
    expect(await list(id)).toEqual({
      webhooks: [
        {
          id: response.body.id,
          url: HOOK,
          type: 'generic',
          events: ['submission'],
          active: true,
          created_at: aTime,
        },
      ],
    });
  });

  it.each<[object, object]>([
    [{ type: 'slack' }, { type: 'slack' }],
    [{ type: 'generic' }, { type: 'generic' }],
    [{ events: ['submission'] }, {}],
    [{ active: false, id: UNKNOWN_WEBHOOK, deployment_id: UNKNOWN_ID, secret: 'x', unknown: null }, {}],
  ])('takes %j', async (given, more) => {
    const id = await deploy();
    const response = await owner.post(`/webhooks/${id}`).send({ url: HOOK, ...given });
    const webhook = { id: response.body.id, url: HOOK, type: 'generic', ...more };
    expect(webhook.id).toEqual(webhookId);
    expect([response.status, response.body]).toEqual([201, { ...webhook, deployment_id: id }]);
    expect(await list(id)).toEqual({
      webhooks: [{ ...webhook, events: ['submission'], active: true, created_at: aTime }],
    });
  });

  it.each([
    'http://example.com',
    'https://example.com',
    'HTTPS://Example.COM:443/A%2fb/../c?d=e&f#g',
    'https://hooks.slack.example/services/T00/B00/xyz',
    'http://example.com:8080/',
    'https://user.example.com/@path:x?u=a@b',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/käse',
    'http://localhost:3000/hook',
    'http://internal/hook',
    'http://127.0.0.1.example.com/',
    'http://1.1.1.1/',
    'http://8.8.8.8:8080/x',
    'http://172.32.0.1/',
    'http://[2606:4700:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::808:808]/',
    `https://example.com/${'x'.repeat(2048 - 'https://example.com/'.length)}`,
  ])('takes the url %s and gives it back as given', async (url) => {
    const id = await deploy();
    const response = await owner.post(`/webhooks/${id}`).send({ url });
    expect([response.status, response.body]).toEqual([201, { id: webhookId, deployment_id: id, url, type: 'generic' }]);
    expect((await list(id)).webhooks.map((webhook: { url: string }) => webhook.url)).toEqual([url]);
  });

  it.each([
    ...words(
      'example.com /hook //example.com/hook hook http http: http:// https://?x https:/// httpx://example.com',
      'ftp://example.com ws://example.com file:///etc/passwd javascript:alert(1) data:text/plain,x',
      'mailto:a@example.com blob:https://example.com/x https://exa<mple.com https://%00.com https://a..%2f',
      'https://user:pass@example.com https://user@example.com https://:pass@example.com https://a%40b:c@d.example',
      'https://example.com:65536 https://example.com:x https://[::1 https://[fe80::1%25eth0]/ https://256.1.1.1',
    ),
    ...['', ' https://example.com', 'https://example.com ', 'https://example.com\n', 'https://exa mple.com'],
    ...['https://example.com/a b', 'https://exam\tple.com', 'ht\ntps://example.com', 'https://example.com/\u001f'],
    ...['https://example.com/\r\nHost: x', 'https://example.com/\0', '\0https://example.com', 'https://exa\0mple.com'],
    ...['https://example.com/\u007f', 'https://example.com/\ud800', 'https://example.com/\udc00x'],
    `https://example.com/${'x'.repeat(2049 - 'https://example.com/'.length)}`,
  ])('answers 400 for the url %j', async (url) => {
    const response = await owner.post(`/webhooks/${bare}`).send({ url });
    expect([response.status, response.body]).toEqual([400, failure]);
  });

  it.each(
    words(
      '127.0.0.1 127.255.255.254:8080 127.1 0x7f.1 2130706433 0x7f000001 0177.0.0.1 017700000001 0 0.0.0.0 0.1.2.3',
      '127.0.0.1. %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1',
      '[::1] [0:0:0:0:0:0:0:1]:80 [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]',
      '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 3232235521',
      '169.254.169.254 0xa9fea9fe 169.254.0.1 [::ffff:169.254.169.254] [fd00:ec2::254] 100.100.100.200',
      '100.64.0.1 100.127.255.255 [fc00::1] [fd12:3456::1] [fe80::1] [febf::1] [fec0::1]',
      '[64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [2002:7f00:1::] [2002:a00:1::1]',
      '224.0.0.1 239.255.255.255 255.255.255.255 [ff02::1] [ff0e::1]',
      '192.0.2.1 198.51.100.1 203.0.113.1 [2001:db8::1] [3fff::1]',
    ),
  )('answers 400 for a literal in a refused network: %s', async (host) => {
    for (const url of [`http://${host}/`, `https://${host}/hook?x#y`]) {
      const response = await owner.post(`/webhooks/${bare}`).send({ url });
      expect([url, response.status, response.body]).toEqual([url, 400, failure]);
    }
  });

  it.each<[string, string]>([
    ['no url', '{}'],
    ['a url that is null', '{"url":null}'],
    ['a url that is a number', '{"url":1}'],
    ['a url that is true', '{"url":true}'],
    ['a url that is a list', `{"url":["${HOOK}"]}`],
    ['a url that is an object', `{"url":{"href":"${HOOK}"}}`],
    ['a lone surrogate', '{"url":"https://example.com/\\ud800"}'],
    ...['"Slack"', '""', '"discord"', 'null', '1', 'true', '["slack"]', '{}'].map((type): [string, string] => [
      `type ${type}`,
      `{"url":"${HOOK}","type":${type}}`,
    ]),
    ...['[]', '["unknown"]', '["submission","unknown"]', '["Submission"]', '"submission"', 'null', '[1]', '[null]']
      .concat('{}', '[["submission"]]', 'true', '{"0":"submission"}')
      .map((events): [string, string] => [`events ${events}`, `{"url":"${HOOK}","events":${events}}`]),
    ['null', 'null'],
    ['a list', `[{"url":"${HOOK}"}]`],
    ['a string', `"${HOOK}"`],
    ['malformed JSON', `{"url":"${HOOK}"`],
    ['a form', `url=${HOOK}`],
  ])('answers 400 for %s', async (_case, body) => {
    const response = await owner.post(`/webhooks/${bare}`).type('json').send(body);
    expect([response.status, response.body]).toEqual([400, failure]);
  });

  describe('an address that needs another type, or takes none', () => {
    const slack =
      'url is a webhook of Slack, which takes messages in its own format only: send type: slack when you create the webhook.';
    const workflowOfSlack =
      'url starts a workflow of Slack, which takes neither type of webhook: use the address of an incoming webhook, https://hooks.slack.com/services/..., and send type: slack.';
    const discord =
      'url is a webhook of Discord, which takes messages in its own format only (content, embeds): put a relay such as n8n between, which makes a message of each submission.';
    const teams =
      'url is a webhook of Microsoft Teams, which takes Adaptive Cards only: put a relay such as Power Automate or n8n between, which makes a card of each submission.';
    const workflow =
      'url starts a workflow of Microsoft, and those made for Teams take Adaptive Cards only: put a relay such as n8n between, or send type: generic for a flow of your own that reads JSON.';
    const FLOW = 'https://prod-7.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x';

    /** What the types none, generic and slack are answered: a problem, or undefined for a success. */
    it.each<[string, (string | undefined)[]]>([
      ['https://hooks.slack.com/services/T000/B000/XXXX', [slack, slack, undefined]],
      ['HTTPS://HOOKS.Slack.com.:443/services/T/B/X?a#b', [slack, slack, undefined]],
      ['https://hooks.slack-gov.com/services/T/B/X', [slack, slack, undefined]],
      ['https://hooks.slack.com/', [slack, slack, undefined]],
      ['https://hooks.slack.com/triggers/T/1/x', [workflowOfSlack, workflowOfSlack, workflowOfSlack]],
      ['https://hooks.slack.com/workflows/T/1/x', [workflowOfSlack, workflowOfSlack, workflowOfSlack]],
      ['https://discord.com/api/webhooks/1/x', [discord, discord, discord]],
      ['https://discordapp.com/api/webhooks/1/x', [discord, discord, discord]],
      ['https://canary.discord.com/api/v10/webhooks/1/x', [discord, discord, discord]],
      ['https://discord.com/api/webhooks/1/x/slack', [discord, discord, undefined]],
      ['https://discord.com/api/v10/webhooks/1/x/slack?wait=true', [discord, discord, undefined]],
      ['https://discord.com/api/webhooks/1/x/github', [discord, discord, discord]],
      ['https://contoso.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4', [teams, teams, teams]],
      ['https://outlook.office.com/webhook/1', [teams, teams, teams]],
      [FLOW, [workflow, undefined, workflow]],
      ['https://1.2.environment.api.powerplatform.com/x?sig=y', [workflow, undefined, workflow]],
      ...['https://slack.com/x', 'https://hooks.slack.com.example/x', 'https://myhooks.slack.com.example/'].map(
        (url): [string, undefined[]] => [url, [undefined, undefined, undefined]],
      ),
      ...['https://discord.com/invite/x', 'https://notdiscord.com/api/webhooks/1/x', 'https://azure.com/x'].map(
        (url): [string, undefined[]] => [url, [undefined, undefined, undefined]],
      ),
    ])('%s', async (url, problems) => {
      const id = await deploy();
      const sent = [{ url }, { url, type: 'generic' }, { url, type: 'slack' }];
      for (const [index, body] of sent.entries()) {
        const response = await owner.post(`/webhooks/${id}`).send(body);
        const problem = problems[index];
        const expected = problem === undefined ? [201, expect.anything()] : [400, { error: problem }];
        expect([body, response.status, response.body]).toEqual([body, ...expected]);
      }
    });

    it.each([
      ['generic', 'https://hooks.slack.com/services/T/B/X', slack],
      ['slack', 'https://hooks.slack.com/services/T/B/X', undefined],
      ['generic', 'https://discord.com/api/webhooks/1/x/slack', discord],
      ['slack', 'https://discord.com/api/webhooks/1/x/slack', undefined],
      ['slack', 'https://contoso.webhook.office.com/x', teams],
      ['generic', FLOW, undefined],
      ['slack', FLOW, workflow],
    ])('is told by PATCH with the type of the webhook, too: %s, %s', async (type, url, problem) => {
      const id = await deploy();
      const { body } = await owner.post(`/webhooks/${id}`).send({ url: HOOK, type });
      const changed = await owner.patch(`/webhooks/${id}/${body.id}`).send({ url, active: false });
      const { webhooks } = await list(id);
      if (problem === undefined) {
        expect([changed.status, webhooks]).toEqual([200, [expect.objectContaining({ url, type, active: false })]]);
      } else {
        expect([changed.status, changed.body]).toEqual([400, { error: problem }]);
        expect(webhooks).toEqual([expect.objectContaining({ url: HOOK, type, active: true })]);
      }
    });
  });

  it('has made nothing of what it refused', async () => {
    expect(await list(bare)).toEqual({ webhooks: [] });
  });

  it('answers 409 for a 51st webhook, after 400, until one is deleted', async () => {
    const id = await deploy();
    const ids: string[] = [];
    while (ids.length < MOST) ids.push(await create(id));
    const full = await owner.post(`/webhooks/${id}`).send({ url: HOOK });
    expect([full.status, full.body]).toEqual([409, failure]);
    expect((await owner.post(`/webhooks/${id}`).send({ url: 'x' })).status).toBe(400);
    // Oldest first.
    expect(await listedIds(id)).toEqual(ids);
    const [first] = ids.splice(20, 1);
    await owner.delete(`/webhooks/${id}/${first}`).expect(200);
    ids.push(await create(id));
    expect(await listedIds(id)).toEqual(ids);
    await create(await deploy());
  });

  it('takes one of 10 that come at once, to two processes, when there are 49', async () => {
    const id = await deploy();
    while ((await listedIds(id)).length < MOST - 1) {
      await Promise.all(Array.from({ length: 7 }, () => create(id)));
    }
    const callers = [owner, asOwner((await service.another()).url, owner.key)];
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        callers.map((caller) => caller.post(`/webhooks/${id}`).send({ url: HOOK })),
      ).flat(),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect((await listedIds(id)).length).toBe(MOST);
  });
});

describe('POST /webhooks/:deployId: WEBHOOK_ALLOW_CIDRS', () => {
  it.each<[Record<string, string>, string[], string[]]>([
    [
      { WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8,169.254.0.0/16,fd00::/8' },
      ['10.1.2.3', '[::ffff:10.1.2.3]', '169.254.1.1', '[fd12::1]', '8.8.8.8'],
      [
        '192.168.0.1',
        '127.0.0.1',
        '[::1]',
        '169.254.169.254',
        '[::ffff:169.254.169.254]',
        '[fd00:ec2::254]',
        '[fe80::1]',
      ],
    ],
    [
      { WEBHOOK_ALLOW_CIDRS: '0.0.0.0/0,::/0' },
      ['127.0.0.1', '[::1]', '192.168.0.1'],
      ['169.254.169.254', '[fd00:ec2::254]'],
    ],
    [
      { BASE_URL: 'http://localhost:3000' },
      ['127.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]'],
      ['10.0.0.1', '0.0.0.0'],
    ],
    [{ BASE_URL: 'http://forms.localhost' }, ['127.0.0.1:8080', '[::1]'], ['192.168.0.1', '169.254.169.254']],
    [{ BASE_URL: 'http://127.0.0.1:3000' }, ['127.0.0.1:8080', '127.255.255.254', '[::1]'], ['10.0.0.1']],
    [{ BASE_URL: 'http://[::1]:3000' }, ['127.0.0.1', '[::1]:8080'], ['10.0.0.1', '[::2]']],
    [{ BASE_URL: 'http://localhost:3000', WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8' }, ['10.0.0.1'], ['127.0.0.1', '[::1]']],
    [{ BASE_URL: 'http://192.168.0.1' }, ['8.8.8.8'], ['192.168.0.1', '127.0.0.1', '[::1]']],
  ])('%j opens %j and not %j', async (settings, open, shut) => {
    const { url } = await service.another(settings);
    const [id, caller] = [await deploy(), asOwner(url, owner.key)];
    const statuses = (hosts: readonly string[]) =>
      Promise.all(
        hosts.map(async (host) => [
          host,
          (await caller.post(`/webhooks/${id}`).send({ url: `http://${host}/` })).status,
        ]),
      );
    expect(await statuses(open)).toEqual(open.map((host) => [host, 201]));
    expect(await statuses(shut)).toEqual(shut.map((host) => [host, 400]));
  });
});

describe('GET /webhooks/:deployId', () => {
  it('answers the webhooks of this deployment alone, oldest first', async () => {
    const [id, other, none] = await Promise.all([deploy(), deploy(), deploy()]);
    const urls = ['https://c.invalid/', 'https://a.invalid/', 'https://b.invalid/', 'https://a.invalid/'];
    const ids: string[] = [];
    for (const url of urls) {
      ids.push(await create(id, { url, type: url.includes('a.') ? 'slack' : 'generic' }));
      await create(other);
    }
    expect(await list(id)).toStrictEqual({
      webhooks: urls.map((url, index) => ({
        id: ids[index],
        url,
        type: url.includes('a.') ? 'slack' : 'generic',
        events: ['submission'],
        active: true,
        created_at: aTime,
      })),
    });
    expect(await list(none)).toEqual({ webhooks: [] });
  });

  it.each([1, 2, 3, 4])('is oldest first by created_at when many were made at once: round %i', async () => {
    const id = await deploy();
    await Promise.all(Array.from({ length: 30 }, () => create(id)));
    const { webhooks }: { webhooks: { created_at: string }[] } = await list(id);
    const times = webhooks.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort());
  });
});

describe('DELETE /webhooks/:deployId/:webhookId', () => {
  it('answers 200 with a message, once', async () => {
    const id = await deploy();
    const [first, second] = [await create(id), await create(id)];
    const response = await owner.delete(`/webhooks/${id}/${first}`);
    expect([response.status, response.body]).toEqual([200, { message: expect.any(String) }]);
    expect(await listedIds(id)).toEqual([second]);
    const again = await owner.delete(`/webhooks/${id}/${first}`);
    expect([again.status, again.body]).toEqual([404, failure]);
  });
});
