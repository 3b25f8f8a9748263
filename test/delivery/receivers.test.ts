import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, PROJECT, startProgram } from '../support/process.ts';
import { sendRaw, testService } from '../support/service.ts';

/*
 * The receivers of docs/receivers, run as they are there, behind webhooks of a real service: each in the language that this machine
 * has, with its library of Standard Webhooks.
 */

const FOLDER = join(PROJECT, 'docs/receivers');
const MODULE = 'github.com/standard-webhooks/standard-webhooks/libraries/go';

type Language = {
  file: string;
  /** Whether this machine can run it; makes what it needs in a folder. */
  prepare(folder: string): boolean;
  command: [program: string, ...args: string[]];
};

const succeeds = (program: string, args: string[], cwd = PROJECT): boolean =>
  spawnSync(program, args, { cwd, timeout: 120_000 }).status === 0;

const LANGUAGES: readonly Language[] = [
  { file: 'receiver.mjs', prepare: () => true, command: [process.execPath, join(FOLDER, 'receiver.mjs')] },
  {
    file: 'receiver.py',
    prepare: () => succeeds('python3', ['-c', 'import standardwebhooks']),
    command: ['python3', join(FOLDER, 'receiver.py')],
  },
  {
    file: 'receiver.go',
    prepare: (folder) =>
      succeeds('go', ['mod', 'init', 'receiver'], folder) &&
      succeeds('go', ['get', MODULE], folder) &&
      succeeds('go', ['build', '-o', 'receiver', 'receiver.go'], folder),
    command: ['./receiver'],
  },
];

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();

it('are in Node, Python and Go', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(LANGUAGES.map(({ file }) => file).toSorted());
});

describe.each(LANGUAGES)('$file', { timeout: 180_000 }, ({ file, prepare, command: [program, ...args] }) => {
  it('stores what is genuine once, and refuses everything else', async ({ skip }) => {
    const folder = await mkdtemp(join(tmpdir(), 'formhost-receiver-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(join(FOLDER, file), join(folder, file));
    if (!prepare(folder)) skip(`this machine has no ${program}, or not its library of Standard Webhooks`);

    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const page = await owner.deploy();
    const { body: webhook } = await owner.post(`/webhooks/${page.id}`).send({ url: address }).expect(201);
    const { body: secret } = await owner.get(`/webhooks/${page.id}/${webhook.id}/secret`).expect(200);
    const stored = join(folder, 'stored');
    const { PATH = '', PYTHONPATH = '' } = process.env;
    const settings = { PORT: String(port), FOLDER: stored, WEBHOOK_SECRET: secret.secret, HOST: '127.0.0.1' };
    const { child, result } = startProgram(program, args, { ...settings, PATH, PYTHONPATH }, folder);
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await result;
    });
    const get = () => fetch(address).then(({ status }) => status);
    await expect.poll(() => get().catch(() => 0), { timeout: 60_000 }).toBeGreaterThan(399);

    // A submission arrives, with its bytes.
    const text = '{"n":1.10,"é":"\\u0000 🚀"}';
    await owner.send('POST', `/submit/${page.id}`, text);
    const log = async () => (await owner.get(`/webhooks/${page.id}/${webhook.id}/deliveries`)).body.deliveries[0];
    await expect.poll(log, { timeout: 60_000 }).toMatchObject({ status: 'succeeded', attempts: 1, last_status: 204 });
    const { id } = await log();
    expect(await readdir(stored)).toEqual([`${id}.json`]);
    const body = await readFile(join(stored, `${id}.json`), 'utf8');
    expect(body).toContain(`"data":${text}`);

    // The same delivery once more is not stored again.
    await owner.post(`/webhooks/${page.id}/${webhook.id}/deliveries/${id}/retry`).expect(202);
    await expect.poll(log, { timeout: 60_000 }).toMatchObject({ status: 'succeeded', attempts: 2, last_status: 204 });
    expect(await readdir(stored)).toEqual([`${id}.json`]);

    // What else may come.
    const signed = (key: string, name: string, minutesAgo = 0, content = body): Record<string, string> => {
      const at = new Date(Date.now() - minutesAgo * 60_000);
      const seconds = String(Math.floor(at.getTime() / 1_000));
      const signature = new Webhook(key).sign(name, at, content);
      return { 'webhook-id': name, 'webhook-timestamp': seconds, 'webhook-signature': signature };
    };
    const post = async (headers: Record<string, string>, content: string = body): Promise<number> =>
      (await fetch(address, { method: 'POST', headers, body: content })).status;
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    const genuine = signed(secret.secret, 'dl_new');
    expect({
      unsigned: await post({}),
      otherKey: await post(signed(other, 'dl_forged')),
      otherBody: await post(genuine, `${body} `),
      otherId: await post({ ...genuine, 'webhook-id': 'dl_other' }),
      otherTime: await post({ ...genuine, 'webhook-timestamp': String(Number(genuine['webhook-timestamp']) + 1) }),
      noTime: await post({ ...genuine, 'webhook-timestamp': 'now' }),
      noSignature: await post({ ...genuine, 'webhook-signature': 'v1' }),
      noBase64: await post({ ...genuine, 'webhook-signature': 'v1,=' }),
      old: await post(signed(secret.secret, 'dl_old', 6)),
      early: await post(signed(secret.secret, 'dl_early', -6)),
      elsewhere: await post(signed(secret.secret, '../dl_elsewhere')),
      twoKeys: await post({ ...genuine, 'webhook-signature': `v1,AAAA ${genuine['webhook-signature']}` }),
    }).toEqual({
      ...{ unsigned: 401, otherKey: 401, otherBody: 401, otherId: 401, otherTime: 401, noTime: 401 },
      ...{ noSignature: 401, noBase64: 401, old: 401, early: 401, elsewhere: 400, twoKeys: 204 },
    });
    const large = 'x'.repeat(5 * 1024 * 1024);
    const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${large.length}\r\n\r\n`;
    expect(await sendRaw(address, `${head}${large}`).catch(() => 'reset')).toMatch(/^HTTP\/1\.[01] 413 |^reset$/);
    expect((await readdir(stored)).toSorted()).toEqual([`${id}.json`, 'dl_new.json'].toSorted());
    expect(await readdir(folder)).not.toContain('dl_elsewhere.json');
  });
});

it.runIf(succeeds('python3', ['--version']))('receiver.py is Python', () => {
  expect(
    succeeds('python3', ['-c', `import ast; ast.parse(open(${JSON.stringify(join(FOLDER, 'receiver.py'))}).read())`]),
  ).toBe(true);
});
