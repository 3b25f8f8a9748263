import { describe, expect, it } from 'vitest';
import { KEYS_BATCH } from '../../src/db/account/api-key-queries.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { aTime } from '../support/answers.ts';
import { runSql } from '../support/database.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { done, formhost, printed, refusedFor, startCommand } from '../support/run-command.ts';
import { asOwner, testService } from '../support/test-service.ts';

const aKeyAlone = expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}\n$/);
const aWord = expect.stringMatching(/^\S+$/);
const made = done(aKeyAlone);
const refused = refusedFor();

const PLANS = { PLAN_LIMITS: 'free:1,pro:2,unlimited:none' };
const service = await testService(PLANS);
const keys = (args: string[], settings: Record<string, string> = { DATABASE_URL: service.databaseUrl }) =>
  formhost(['admin', 'keys', ...args], { settings: { ...PLANS, ...settings } });

async function create(email: string, ...more: string[]): Promise<string> {
  const { stderr: _note, ...result } = await keys(['create', '--email', email, ...more]);
  expect(result).toEqual({ code: 0, stdout: aKeyAlone });
  return result.stdout.trim();
}

/** The lines of the list for an owner's keys: the id, and what follows it. */
async function listed(email: string, settings?: Record<string, string>) {
  const lines = (await printed(keys(['list'], settings))).split('\n').slice(0, -1);
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

  it('adds a key for the same owner when the e-mail is one that is known, in whatever case', async () => {
    const emails = ['Ada.Lovelace@Kéys.Example', '\u00a0ada.lovelace@xn--kys-bma.example'];
    const [first = '', second = ''] = await Promise.all(emails.map((email) => create(email)));
    expect(first).not.toBe(second);
    const { id } = await asOwner(service.url, first).deploy();
    expect((await asOwner(service.url, second).get(`/deploy/${id}`)).status).toBe(200);
    expect((await listed('ada.lovelace@xn--kys-bma.example')).map(({ columns }) => columns.slice(0, 2))).toEqual(
      emails.map(() => ['ada.lovelace@xn--kys-bma.example', 'unlimited']),
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

  it('refuses what is no e-mail address, in a line', async () => {
    const bad = ['nobody', 'a@keys.example,b@keys.example', 'a@keys.example\nBcc: b@c.example'];
    const results = await Promise.all(bad.map((email) => keys(['create', '--email', email, '--plan', 'free'])));
    expect(results).toEqual(results.map(() => refused));
  });

  it('says on standard error that --plan changes the plan of keys that there are, and only then', async () => {
    const email = 'change@keys.example';
    for (const end of ['none', 'none', 'revoked_at', 'expires_at']) {
      await service.owner({ email, plan: 'pro' });
      if (end === 'none') continue;
      await service.db.raw('UPDATE api_keys SET ?? = now() WHERE id = (SELECT max(id) FROM api_keys)', [end]);
    }
    const said = async (...more: string[]) =>
      (await keys(['create', '--email', 'Change@Keys.example', ...more])).stderr;
    expect(await said('--plan', 'pro')).toBe('');
    expect(await said('--plan', 'free')).toBe(
      `formhost: ${email} was on the plan pro and is on the plan free now, with the 3 valid keys made before as well\n`,
    );
    expect(await said()).toBe('');
  });

  it('gives the key a name of 1 to 100 characters', async () => {
    const email = 'name@keys.example';
    const name = `Ada's "laptop" ${'é'.repeat(85)}`;
    expect(name).toHaveLength(100);
    const key = await create(email, '--name', name);
    expect((await listed(email)).map(({ columns }) => columns.slice(5))).toEqual([
      [key.slice(0, 8), name, 'full', '-'],
    ]);
    const bad = [' ', 'x'.repeat(101), 'a\nb'];
    const results = await Promise.all(bad.map((wrong) => keys(['create', '--email', email, '--name', wrong])));
    expect(results).toEqual(bad.map(() => refused));
    expect(await listed(email)).toHaveLength(1);
  });

  it('gives the key a scope and an end', async () => {
    const email = 'scope@keys.example';
    const expires = '2099-01-01T00:00:00.000Z';
    const key = await create(email, '--scope', 'read', '--expires', '2099-01-01');
    expect((await listed(email)).map(({ columns }) => columns.slice(7))).toEqual([['read', expires]]);
    expect(await deployWith(key)).toBe(403);
    const bad = [
      ['--expires', '2020-01-01'],
      ['--expires', 'never'],
    ];
    const results = await Promise.all(bad.map((wrong) => keys(['create', '--email', email, ...wrong])));
    expect(results).toEqual(bad.map(() => refused));
    expect(await listed(email)).toHaveLength(1);
  });

  it('prints JSON with --json', async () => {
    const email = 'json@keys.example';
    const answer = async (...args: string[]) => JSON.parse(await printed(keys([...args, '--json'])));
    const owner = { email, plan: 'pro' };
    const first = await answer('create', '--email', email, '--plan', 'pro', '--name', 'CI');
    expect(first).toEqual({
      id: aWord,
      name: 'CI',
      prefix: first.key.slice(0, 8),
      scope: 'full',
      created_at: aTime,
      expires_at: null,
      key: expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}$/),
      ...owner,
    });
    expect(await deployWith(first.key)).toBe(201);
    const second = await answer('create', '--email', email);
    expect(second).toEqual({ ...first, id: aWord, name: null, prefix: aWord, created_at: aTime, key: aWord });
    expect(await answer('revoke', second.id)).toEqual({ message: `revoked ${second.id}`, id: second.id });
    const all: { email: string }[] = await answer('list');
    expect(all.filter((one) => one.email === email)).toEqual([
      ...[first, second].map(({ id, created_at, prefix, name, scope, expires_at }) => ({
        id,
        ...owner,
        created_at,
        last_used_at: id === first.id ? aTime : null,
        revoked_at: id === second.id ? aTime : null,
        prefix,
        scope,
        expires_at,
        name,
      })),
    ]);
  });

  it('refuses a plan that PLAN_LIMITS does not name, in a line', async () => {
    const email = 'gold@keys.example';
    const results = ['gold', 'constructor'].map((plan) => keys(['create', '--email', email, '--plan', plan]));
    expect(await Promise.all(results)).toEqual([refused, refused]);
    expect(await service.db('owners').where({ email })).toEqual([]);
  });

  it('brings a database that an older version has made up to date', async () => {
    const { url } = await testDatabase(emptyDatabase);
    await migrate({ connectionString: url }, { only: ['0001-owners-and-pages'] });
    const settings = { DATABASE_URL: url };
    expect(await keys(['create', '--email', 'old@keys.example'], settings)).toEqual(made);
    expect(await listed('old@keys.example', settings)).toHaveLength(1);
    await runSql(url, 'SELECT secret FROM link_secret');
  });
});

describe('keys list and revoke', () => {
  it('show a line a key (id, e-mail, plan, created, last used, revoked, prefix, name, scope, expires), and end one key, and no other', async () => {
    const email = 'revoke@keys.example';
    const revoked = await create(email, '--plan', 'unlimited');
    expect(await deployWith(revoked)).toBe(201);
    const before = await listed(email);
    expect(before).toEqual([
      { id: aWord, columns: [email, 'unlimited', aTime, aTime, '-', revoked.slice(0, 8), '-', 'full', '-'] },
    ]);

    const id = before[0]?.id ?? '';
    const kept = await create(email);
    expect(await keys(['revoke', id])).toEqual(done(`revoked ${id}\n`));
    expect([await deployWith(revoked), await deployWith(kept)]).toEqual([401, 201]);
    const after = await listed(email);
    expect(after.toSorted((a, b) => Number(b.id === id) - Number(a.id === id))).toEqual([
      { id, columns: [...(before[0]?.columns.slice(0, 4) ?? []), aTime, revoked.slice(0, 8), '-', 'full', '-'] },
      { id: aWord, columns: [email, 'unlimited', aTime, aTime, '-', kept.slice(0, 8), '-', 'full', '-'] },
    ]);
  });

  it('list every key once, however many there are', async () => {
    const { url } = await testDatabase();
    const count = 2 * KEYS_BATCH + 1;
    await runSql(
      url,
      `INSERT INTO owners (email, plan) VALUES ('many@keys.example', 'pro');
       INSERT INTO api_keys (id, owner_id, hash, prefix)
         SELECT 'key_' || lpad(i::text, 20, '0'), owners.id, sha256(i::text::bytea), 'fh_' FROM owners, generate_series(1, ${count}) AS i`,
    );
    const ids = (await listed('many@keys.example', { DATABASE_URL: url })).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => `key_${String(index + 1).padStart(20, '0')}`));
  });

  it('show headers above columns on a terminal', async () => {
    const email = 'terminal@keys.example';
    const key = await create(email, '--name', 'Laptop');
    const settings = { DATABASE_URL: service.databaseUrl, NO_COLOR: '1' };
    const { stdout } = await startCommand(['admin', 'keys', 'list'], { settings, terminal: true }).result;
    const [header = '', ...lines] = stdout.trimEnd().split('\n');
    expect(header.split(/ {2,}/)).toEqual([
      ...['ID', 'EMAIL', 'PLAN', 'CREATED AT', 'LAST USED AT', 'REVOKED AT', 'PREFIX', 'NAME', 'SCOPE', 'EXPIRES AT'],
    ]);
    const line = lines.find((text) => text.includes(email)) ?? '';
    const at = (title: string) => line.slice(header.indexOf(title)).split('  ')[0];
    expect([at('EMAIL'), at('PLAN'), at('REVOKED AT'), at('PREFIX'), at('NAME')]).toEqual([
      ...[email, 'unlimited', '-', key.slice(0, 8), 'Laptop'],
    ]);
  });

  it('say in a line that an id is unknown', async () => {
    expect(await keys(['revoke', 'key_000000000000000000000000'])).toEqual(refused);
  });
});

describe('keys', () => {
  it('says in a line that the database is out of reach, and no password', async () => {
    const settings = { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/nothing' };
    const { stderr, ...result } = await keys(['list'], settings);
    expect(result).toEqual({ code: 1, stdout: '' });
    expect(stderr).toEqual(expect.stringMatching(/^(?!.*secret)\S.*\n$/));
  });
});
