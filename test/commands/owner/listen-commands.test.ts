import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type Received, startReceiver } from '../../support/receivers.ts';
import { misusedFor } from '../../support/run-command.ts';
import { startBreakingProxy, startFormhost } from '../../support/run-formhost.ts';
import { ownerCommands, wait } from '../../support/run-owner-commands.ts';

const { service, owner, account, run } = await ownerCommands();

/** A program that receives, and answers with these statuses, one after the other, then 204. */
async function startProgram(...statuses: number[]) {
  const received: Received[] = [];
  const receiver = await startReceiver((response, request) => {
    received.push(request);
    response.writeHead(statuses.shift() ?? 204).end();
  });
  return { received, url: `${receiver.url}/hook?from=here`, close: receiver.close };
}

/** The headers that are one text each. */
const textsOf = (headers: Received['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Listens to a page until the test ends. */
async function listen(
  id: string,
  url: string,
  { args = [], settings = {} }: { args?: string[]; settings?: Record<string, string> } = {},
) {
  const command = startFormhost(['webhooks', 'listen', id, '--forward-to', url, ...args], {
    settings: { ...account, ...settings },
  });
  const lines = (): string[] => command.written.out.split('\n').slice(0, -1);
  await wait(() => expect(command.written.err).toContain('new submissions follow'));
  return { ...command, lines, secret: lines()[0] ?? '' };
}

const stop = async ({ child, result }: Awaited<ReturnType<typeof listen>>): Promise<unknown> => {
  child.kill('SIGINT');
  return (await result).code;
};

describe('formhost webhooks listen', () => {
  it('posts each submission as a webhook would, signed with the secret that it prints', async () => {
    const page = await owner.deploy();
    await service.submit(page.id, '{"n":0}');
    const program = await startProgram(200, 302, 500);
    const command = await listen(page.id, program.url);
    expect(command.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const text = '{ "b": 1.10, "a":"\\u00e9", "10":1, "b":12345678901234567890 }';
    const ids: string[] = [];
    for (const status of ['200', '302', '500', '204']) {
      ids.push(await service.submit(page.id, text));
      await wait(() => expect(command.lines().at(-1)).toBe(`${ids.at(-1)}  ${status}`));
    }
    expect(command.lines()).toHaveLength(1 + ids.length);
    const { body: stored } = await owner.get(`/submissions/${page.id}/${ids[0]}`);
    const [first] = program.received;
    expect(first).toMatchObject({
      method: 'POST',
      path: '/hook?from=here',
      body: `{"event":"submission","deployment_id":"${page.id}","data":${text},"timestamp":"${stored.created_at}"}`,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'formhost',
        'formhost-submission-id': ids[0],
        'formhost-slug': page.slug,
        'formhost-page-url': page.url,
        'webhook-id': ids[0]?.replace('sub_', 'dl_'),
        'formhost-delivery': ids[0]?.replace('sub_', 'dl_'),
      },
    });
    const signature = new Webhook(command.secret);
    for (const { body, headers } of program.received)
      expect(() => signature.verify(body, textsOf(headers))).not.toThrow();
    expect(await stop(command)).toBe(130);
  });

  it.each([
    { format: 'default', args: [] },
    { format: 'standard', args: ['--format', 'standard'] },
  ])('has the body and the headers that a webhook gets: $format', async ({ format, args }) => {
    const { id } = await owner.deploy();
    const [hook, program] = [await startProgram(), await startProgram()];
    const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url: hook.url, format }).expect(201);
    const { body: secret } = await owner.get(`/webhooks/${id}/${webhook.id}/secret`).expect(200);
    const command = await listen(id, program.url, { args: ['--secret', secret.secret, ...args] });
    expect(command.secret).toBe(secret.secret);
    await service.submit(id, '{"name":"Ada"}');
    await wait(() => expect([hook.received.length, program.received.length]).toEqual([1, 1]));
    const compared = (received: readonly Received[]) =>
      received.map(({ headers: { host: _host, connection: _connection, ...headers }, ...rest }) => ({
        ...rest,
        headers: Object.keys(headers).toSorted(),
      }));
    expect(compared(program.received)).toEqual(compared(hook.received));
    await stop(command);
  });

  it('goes on when the program is not there, and when the connection to the service breaks', async () => {
    const { id } = await owner.deploy();
    const proxy = await startBreakingProxy(service.url);
    const gone = await startProgram();
    await gone.close();
    const before = await service.submit(id, '{"n":1}');
    const args = ['--json', '--after', '0'];
    const command = await listen(id, gone.url, { args, settings: { FORMHOST_URL: proxy.url } });
    const outcomes = () => command.lines().map((line) => JSON.parse(line));
    await wait(() =>
      expect(outcomes()).toEqual([
        { secret: expect.stringMatching(/^whsec_/) },
        {
          submission_id: before,
          webhook_id: before.replace('sub_', 'dl_'),
          status: null,
          error: expect.stringContaining('ECONNREFUSED'),
        },
      ]),
    );
    proxy.breakNow();
    const after = await service.submit(id, '{"n":2}');
    await wait(() => expect(outcomes().map(({ submission_id }) => submission_id)).toEqual([undefined, before, after]));
    expect(await stop(command)).toBe(130);
  });

  it('goes past a proxy of the environment to a program on this machine', async () => {
    const { id } = await owner.deploy();
    const program = await startProgram();
    const settings = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: new URL(service.url).host };
    const command = await listen(id, program.url, { settings });
    await service.submit(id, '{"n":1}');
    await wait(() => expect(command.lines().at(-1)).toMatch(/ {2}204$/));
    await stop(command);
  });

  it.each([
    [['--forward-to', 'ftp://localhost/x'], '--forward-to is no address'],
    [['--forward-to', 'localhost:8080'], '--forward-to is no address'],
    [['--forward-to', 'http://localhost:8080', '--secret', 'hush'], '--secret is no secret of a webhook'],
    [[], '--forward-to'],
  ])('refuses %j', async (args, message) => {
    expect(await run(['webhooks', 'listen', 'contact', ...args])).toEqual(misusedFor(message));
  });
});
