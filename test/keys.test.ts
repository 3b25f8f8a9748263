import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { aTime } from './support/answers.ts';
import { emptyDatabase } from './support/fresh-database.ts';
import { isAlive, serverPid } from './support/postmaster.ts';
import { startProgram, startServiceProcess } from './support/process.ts';
import { asOwner, startTestService, type TestService } from './support/service.ts';

const aKeyAlone = expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}\n$/);
const aWord = expect.stringMatching(/^\S+$/);
const aLine = expect.stringMatching(/^\S.*\n$/);
const made = { code: 0, stdout: aKeyAlone, stderr: '' };
const refused = { code: 1, stdout: '', stderr: aLine };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ PLAN_LIMITS: 'free:1,pro:2,unlimited:none' });
});
afterAll(() => service.close());

const keys = (args: string[], settings: Record<string, string> = { DATABASE_URL: service.databaseUrl }) =>
  startProgram(process.execPath, ['src/commands/keys.ts', ...args], {
    PLAN_LIMITS: 'free:1,pro:2,unlimited:none',
    ...settings,
  }).result;

async function create(email: string, ...more: string[]): Promise<string> {
  const result = await keys(['create', '--email', email, ...more]);
  expect(result).toEqual(made);
  return result.stdout.trim();
}

/** What the list says of an owner's keys: the id, and what follows it. */
async function listed(email: string, settings?: Record<string, string>) {
  const { code, stdout, stderr } = await keys(['list'], settings);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n');
  expect(lines.pop()).toBe('');
  return lines
    .map((line) => line.split('\t'))
    .filter(([, address]) => address === email)
    .map(([id = '', ...columns]) => ({ id, columns }));
}

const deployWith = async (key: string, url = service.url) =>
  (await asOwner(url, key).post('/deploy').send({ html: 'x' })).status;

describe('keys create', () => {
  it('prints the key alone, which works in a service that runs', async () => {
    expect(await deployWith(await create("o'neil+forms@mail.keys.example"))).toBe(201);
  });

  it('does so through npm', { tags: 'slow' }, async () => {
    const args = ['run', '--silent', 'keys', '--', 'create', '--email', 'npm@keys.example'];
    const { result } = startProgram('npm', args, { DATABASE_URL: service.databaseUrl });
    expect(await result).toEqual(made);
  });

  it('adds a key for the same owner when the e-mail is one that is known, in whatever case', async () => {
    const emails = ['Ada.Lovelace@Keys.Example', 'ada.lovelace@KEYS.example'];
    const [first = '', second = ''] = await Promise.all(emails.map((email) => create(email)));
    expect(first).not.toBe(second);
    const { id } = await asOwner(service.url, first).deploy();
    expect((await asOwner(service.url, second).get(`/deploy/${id}`)).status).toBe(200);
    expect((await listed('ada.lovelace@keys.example')).map(({ columns }) => columns.slice(0, 2))).toEqual(
      emails.map(() => ['ada.lovelace@keys.example', 'unlimited']),
    );
  });

  it('puts the owner on the plan that --plan names, and changes no plan without it', async () => {
    const email = 'plan@keys.example';
    const key = await create(email, '--plan', 'free');
    expect([await deployWith(key), await deployWith(key)]).toEqual([201, 403]);
    const second = await create(email);
    expect([await deployWith(key), await deployWith(second)]).toEqual([403, 403]);
    await create(email, '--plan', 'pro');
    expect([await deployWith(key), await deployWith(second)]).toEqual([201, 403]);
  });

  it('refuses what is no e-mail address, in a line', { tags: 'slow' }, async () => {
    const bad = ['nobody', 'a@keys.example,b@keys.example', 'a@keys.example\nBcc: b@c.example'];
    const results = await Promise.all([
      keys(['create']),
      ...bad.map((email) => keys(['create', '--email', email, '--plan', 'free'])),
    ]);
    expect(results).toEqual(results.map(() => refused));
  });

  it('refuses a plan that PLAN_LIMITS does not name, in a line', { tags: 'slow' }, async () => {
    const email = 'gold@keys.example';
    const results = ['gold', 'constructor'].map((plan) => keys(['create', '--email', email, '--plan', plan]));
    expect(await Promise.all(results)).toEqual([refused, refused]);
    expect(await service.db('owners').where({ email })).toEqual([]);
  });

  it('brings an empty database up to date by itself, two at once too', { tags: 'slow' }, async () => {
    const { url, drop } = await emptyDatabase();
    onTestFinished(drop);
    const settings = { DATABASE_URL: url };
    const email = 'empty@keys.example';
    const results = await Promise.all([1, 2].map(() => keys(['create', '--email', email], settings)));
    expect(results).toEqual([made, made]);
    expect(await listed(email, settings)).toHaveLength(2);
  });
});

describe('keys list and revoke', () => {
  it('show a line a key (id, e-mail, plan, created, last used, revoked), and end one key, and no other', async () => {
    const email = 'revoke@keys.example';
    const revoked = await create(email, '--plan', 'unlimited');
    expect(await deployWith(revoked)).toBe(201);
    const before = await listed(email);
    expect(before).toEqual([{ id: aWord, columns: [email, 'unlimited', aTime, aTime, '-'] }]);

    const id = before[0]?.id ?? '';
    const kept = await create(email);
    expect(await keys(['revoke', id])).toEqual({ code: 0, stdout: expect.any(String), stderr: '' });
    expect([await deployWith(revoked), await deployWith(kept)]).toEqual([401, 201]);
    const after = await listed(email);
    expect(after.toSorted((a, b) => Number(b.id === id) - Number(a.id === id))).toEqual([
      { id, columns: [...(before[0]?.columns.slice(0, 4) ?? []), aTime] },
      { id: aWord, columns: [email, 'unlimited', aTime, aTime, '-'] },
    ]);
  });

  it('say in a line that an id is unknown', { tags: 'slow' }, async () => {
    expect(await keys(['revoke', 'key_000000000000000000000000'])).toEqual(refused);
  });

  it('show `-` for what has not been', { tags: 'slow' }, async () => {
    const email = 'unused@keys.example';
    await service.owner({ email, plan: 'pro' });
    expect(await listed(email)).toEqual([{ id: aWord, columns: [email, 'pro', aTime, '-', '-'] }]);
  });
});

describe('keys', () => {
  it('says how it is used when it is used otherwise', { tags: 'slow' }, async () => {
    const wrong = [[], ['remove'], ['create', '--mail', 'a@keys.example'], ['revoke']];
    const results = await Promise.all(wrong.map((args) => keys(args)));
    expect(results).toEqual(wrong.map(() => ({ code: 1, stdout: '', stderr: expect.stringMatching(/usage/i) })));
  });

  it('says in a line that the database is out of reach, and no password', { tags: 'slow' }, async () => {
    const settings = { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/nothing' };
    const { stderr, ...result } = await keys(['list'], settings);
    expect(result).toEqual({ code: 1, stdout: '' });
    expect(stderr).toEqual(expect.stringMatching(/^(?!.*secret)\S.*\n$/));
  });
});

describe('an embedded database', { tags: 'slow' }, () => {
  /** The process id of the server in DATA_DIR; undefined where none runs. */
  async function serverOf(dataDir: string): Promise<number | undefined> {
    const pid = await serverPid(dataDir);
    return pid !== undefined && isAlive(pid) ? pid : undefined;
  }

  it('takes the command during the very first start of the service, beside it and after it, and stops with the last', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'formhost-keys-'));
    const { url, child, ready, stop } = await startServiceProcess({ DATA_DIR: dataDir });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      const server = await serverOf(dataDir);
      if (server !== undefined) process.kill(server, 'SIGQUIT');
      await vi.waitFor(() => rm(dataDir, { recursive: true }), { timeout: 10_000, interval: 50 });
    });

    const early = await keys(['create', '--email', 'early@keys.example'], { DATA_DIR: dataDir });
    expect(early).toEqual(made);
    await ready();
    const beside = await keys(['create', '--email', 'beside@keys.example'], { DATA_DIR: dataDir });
    expect(beside).toEqual(made);
    for (const { stdout } of [early, beside]) expect(await deployWith(stdout.trim(), url)).toBe(201);

    const server = await serverOf(dataDir);
    expect((await stop()).code).toBe(0);
    expect([server, await serverOf(dataDir)]).toEqual([expect.any(Number), undefined]);

    expect(await listed('early@keys.example', { DATA_DIR: dataDir })).toHaveLength(1);
    expect(await serverOf(dataDir)).toBeUndefined();
  });
});
