import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { freePort, PROJECT, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { sendRaw, testService } from '../support/test-service.ts';

/*
 * The receivers of examples/receivers, behind webhooks of a real service: each whose language this machine has. The library of
 * Standard Webhooks signs the other requests.
 */

const FOLDER = join(PROJECT, 'examples/receivers');

type Language = { file: string; program: string; command: string };

const LANGUAGES: readonly Language[] = [
  { file: 'receiver.go', program: 'go', command: 'go build receiver.go && exec ./receiver' },
  { file: 'receiver.php', program: 'php', command: 'exec php -S "$HOST:$PORT" receiver.php' },
  { file: 'receiver.py', program: 'python3', command: 'exec python3 receiver.py' },
  { file: 'receiver.ts', program: process.execPath, command: `exec ${process.execPath} receiver.ts` },
];
const RUNNABLE = LANGUAGES.filter(({ file, program }) => isInstalled(program, `the tests of ${file}`));

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();

/** A folder with a copy of a receiver. */
async function copyOf(file: string): Promise<string> {
  const folder = await emptyFolder();
  await cp(join(FOLDER, file), join(folder, file));
  return folder;
}

/** Starts a receiver with a webhook that leads to it. */
async function startReceiver({ file, command }: Language) {
  const folder = await copyOf(file);
  await mkdir(join(folder, 'stored'));
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { id } = await owner.deploy();
  const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url }).expect(201);
  const { body } = await owner.get(`/webhooks/${id}/${webhook.id}/secret`).expect(200);
  const settings = { HOST: '127.0.0.1', PORT: port, FOLDER: 'stored', WEBHOOK_SECRET: body.secret };
  const { child, result } = startProgram('sh', ['-c', command], settings, folder);
  await vi.waitFor(() => fetch(url), { timeout: 110_000, interval: 50 });
  return {
    url,
    secret: String(body.secret),
    deploymentId: id,
    deliveries: `/webhooks/${id}/${webhook.id}/deliveries`,
    folder,
    async stop() {
      child.kill('SIGKILL');
      await result;
      await rm(folder, { recursive: true });
    },
  };
}

it('are in these languages', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(LANGUAGES.map(({ file }) => file));
});

describe.each(RUNNABLE)('$file', (language) => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver(language);
  });
  afterAll(() => receiver?.stop());

  it('stores a submission as it was sent, and once though it is delivered again', async () => {
    const { deploymentId, deliveries, folder } = receiver;
    const text = '{"n":1.10,"é":"\\u0000 🚀"}';
    await owner.send('POST', `/submit/${deploymentId}`, text);
    const log = async () => (await owner.get(deliveries)).body.deliveries[0];
    await expect.poll(log).toMatchObject({ status: 'succeeded', attempts: 1, last_status: 204 });
    const { id } = await log();
    expect(await readFile(join(folder, 'stored', `${id}.json`), 'utf8')).toContain(`"data":${text}`);

    const before = await readdir(join(folder, 'stored'));
    await owner.post(`${deliveries}/${id}/retry`).expect(202);
    await expect.poll(log).toMatchObject({ status: 'succeeded', attempts: 2, last_status: 204 });
    expect(await readdir(join(folder, 'stored'))).toEqual(before);
  });

  it('refuses everything else', async () => {
    const { url, secret, folder } = receiver;
    const before = await readdir(folder, { recursive: true });
    const body = '{"event":"submission","data":{}}';
    const signed = (key: string, name: string, minutesAgo = 0): Record<string, string> => {
      const at = new Date(Date.now() - minutesAgo * 60_000);
      const seconds = String(Math.floor(at.getTime() / 1_000));
      const signature = new Webhook(key).sign(name, at, body);
      return { 'webhook-id': name, 'webhook-timestamp': seconds, 'webhook-signature': signature };
    };
    const post = async (headers: Record<string, string>, content = body): Promise<number> =>
      (await fetch(url, { method: 'POST', headers, body: content })).status;
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    const genuine = signed(secret, 'dl_new');
    expect({
      unsigned: await post({}),
      otherKey: await post(signed(other, 'dl_forged')),
      otherBody: await post(genuine, `${body} `),
      otherId: await post({ ...genuine, 'webhook-id': 'dl_other' }),
      otherTime: await post({ ...genuine, 'webhook-timestamp': String(Number(genuine['webhook-timestamp']) + 1) }),
      noTime: await post({ ...genuine, 'webhook-timestamp': 'now' }),
      noSignature: await post({ ...genuine, 'webhook-signature': 'v1' }),
      noBase64: await post({ ...genuine, 'webhook-signature': 'v1,=' }),
      old: await post(signed(secret, 'dl_old', 6)),
      early: await post(signed(secret, 'dl_early', -6)),
      elsewhere: await post(signed(secret, '../dl_elsewhere')),
      twoKeys: await post({ ...genuine, 'webhook-signature': `v1,AAAA ${genuine['webhook-signature']}` }),
    }).toEqual({
      ...{ unsigned: 401, otherKey: 401, otherBody: 401, otherId: 401, otherTime: 401, noTime: 401 },
      ...{ noSignature: 401, noBase64: 401, old: 401, early: 401, elsewhere: 400, twoKeys: 204 },
    });
    const large = 'x'.repeat(5 * 1024 * 1024);
    const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${large.length}\r\n\r\n`;
    expect(await sendRaw(url, `${head}${large}`).catch(() => 'reset')).toMatch(/^HTTP\/1\.[01] 413 |^reset$/);
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(
      [...before, 'stored/dl_new.json'].toSorted(),
    );
  });
});

// The web server that runs a file of PHP starts without it.
it.each(RUNNABLE.filter(({ program }) => program !== 'php'))(
  '$file does not start without a secret',
  async ({ file, command }) => {
    const folder = await copyOf(file);
    onTestFinished(() => rm(folder, { recursive: true }));
    const { code, stderr } = await startProgram('sh', ['-c', command], {}, folder).result;
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain('Set WEBHOOK_SECRET to the secret of the webhook: whsec_…');
  },
);
