import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { undeleteDeployment } from '../../src/db/deployments/deleted-deployments.ts';
import { takeDown } from '../../src/db/deployments/take-downs.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { answer, aTime } from '../support/answers.ts';
import { formhost } from '../support/command.ts';
import { getPage, testService, UNKNOWN_ID } from '../support/service.ts';

const SETTINGS = { PLAN_LIMITS: 'one:1,unlimited:none', RESERVED_SLUGS: 'billing' };

const service = await testService(SETTINGS);
const [other, owner] = await Promise.all([service.another(), service.owner({ email: 'ada@command.example' })]);

const run = (...args: string[]) =>
  formhost(['deployments', ...args], { settings: { DATABASE_URL: service.databaseUrl, ...SETTINGS } });

/** What a command prints that succeeds. */
async function print(...args: string[]): Promise<string> {
  const { stdout, ...rest } = await run(...args);
  expect(rest).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** A refusal in one line that has these words. */
const refusedFor = (...words: string[]) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^formhost: ${words.map((word) => `(?=.*${word})`).join('')}.*\\n$`)),
});

const listed = async (...args: string[]) =>
  (await print('list', ...args))
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));

const remove = async (id: string): Promise<void> => void (await owner.delete(`/deploy/${id}`).expect(200));
const deployDeleted = async (body: { html?: string; slug?: string } = {}) => {
  const deployment = await owner.deploy(body);
  await remove(deployment.id);
  return deployment;
};

/** Gives a deployment submissions with these texts, past the rate limit. */
async function addSubmissions(id: string, texts: readonly string[]): Promise<void> {
  const rows = texts.map((data, index) => ({
    deployment_id: id,
    number: index + 1,
    id: newSubmissionId(),
    data,
    ip_address: '192.0.2.1',
    created_at: new Date(index),
  }));
  await service.db.batchInsert('submissions', rows, 500);
  await service.db('deployments').where({ id }).update({
    submission_count: texts.length,
    last_submission_number: texts.length,
  });
}

/** The tables that have rows of a deployment, beside its own. */
const TABLES = [
  'deliveries',
  'digests',
  'form_rules',
  'honeypot_hits',
  'idempotency_keys',
  'mail_recipients',
  'page_versions',
  'pages',
  'read_up_to',
  'removed_submissions',
  'spam_submissions',
  'submission_files',
  'submission_marks',
  'submissions',
  'webhooks',
];

/** How many rows of a deployment each table has, its own at the end. */
async function rowsOf(id: string): Promise<number[]> {
  const tables = TABLES.map((table) => ({
    table,
    where: { deployment_id: id },
  }));
  return Promise.all(
    [...tables, { table: 'deployments', where: { id } }].map(
      async ({ table, where }) => (await service.db(table).where(where)).length,
    ),
  );
}

describe('deployments list', () => {
  it('prints a line each, oldest first: id, slug, owner, status, created, submissions; all of them, or some', async () => {
    const bea = await service.owner({ email: 'bea@command.example' });
    const active = await bea.deploy({ slug: 'bea-active' });
    const down = await bea.deploy({ slug: 'bea-down' });
    await addSubmissions(active.id, ['{}', '{}', '{}']);
    await takeDown(service.db, down.id, 'spam');
    const both = await bea.deploy({ slug: 'bea-gone' });
    await takeDown(service.db, both.id, 'spam');
    await bea.delete(`/deploy/${both.id}`).expect(200);
    const others = await owner.deploy();

    const lines = [
      [active.id, 'bea-active', 'bea@command.example', 'active', aTime, '3'],
      [down.id, 'bea-down', 'bea@command.example', 'taken down', aTime, '0'],
      [both.id, 'bea-gone', 'bea@command.example', 'deleted', aTime, '0'],
    ];
    const [all, ofBea, takenDown, deleted] = await Promise.all([
      listed(),
      listed('--owner', 'Bea@Command.example'),
      listed('--taken-down', '--owner', 'bea@command.example'),
      listed('--deleted'),
    ]);
    expect(all.filter(([, , email]) => email === 'bea@command.example')).toEqual(lines);
    expect(all.map(([id]) => id)).toContain(others.id);
    expect(ofBea).toEqual(lines);
    expect(takenDown).toEqual([lines[1]]);
    expect(deleted).toEqual([lines[2]]);
  });

  it('prints many', async () => {
    const { rows } = await service.db.raw("SELECT id FROM owners WHERE email = 'ada@command.example'");
    await service.db.raw(
      `INSERT INTO deployments (id, owner_id, slug, deleted_at)
       SELECT 'd_' || lpad(n::text, 24, '0'), ?, 'many', now() FROM generate_series(1, 2500) AS n`,
      [rows[0].id],
    );
    onTestFinished(async () => void (await service.db('deployments').where({ slug: 'many' }).delete()));
    const ids = (await listed('--deleted')).filter(([, slug]) => slug === 'many').map(([id]) => id);
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, index) => `d_${String(index + 1).padStart(24, '0')}`));
  });
});

describe('deployments take-down and restore', () => {
  it('take a page down and put it up again in every process, by its slug or its id', async () => {
    const { id, slug } = await owner.deploy();
    const shows = (status: number) =>
      vi.waitFor(async () => {
        const pages = await Promise.all([service.url, other.url].map((url) => getPage(url, slug)));
        expect(pages.map((page) => page.status)).toEqual([status, status]);
      }, 10_000);
    await shows(200);
    expect(await print('take-down', slug, '--reason', ' phishing, reported by mail ')).toBe(
      `took down ${id} (${slug}) of ada@command.example\n`,
    );
    await shows(451);
    expect(await run('take-down', id, '--reason', 'again')).toEqual(refusedFor(id, 'phishing, reported by mail'));
    expect(await print('restore', id)).toBe(`restored ${id} (${slug}) of ada@command.example\n`);
    await shows(200);
    expect(await run('restore', slug)).toEqual(refusedFor(id, 'not taken down'));
  });

  it('refuse what is not there, and what is deleted', async () => {
    const { id, slug } = await deployDeleted();
    const names = [UNKNOWN_ID, slug, 'No Slug', id];
    expect(await Promise.all(names.map((name) => run('take-down', name, '--reason', 'x')))).toEqual([
      ...names.slice(0, 3).map((name) => refusedFor('no deployment', name)),
      refusedFor(id, 'deleted', 'undelete'),
    ]);
    expect(await run('restore', id)).toEqual(refusedFor(id, 'deleted', 'undelete'));
  });
});

describe('deployments export', () => {
  const TEXTS = ['{"a": 1.10, "a":"\\u0000", "b":12345678901234567890}', '{"10":1,\r\n"2":"\\n",\n"ü":"😀"}', '{}'];
  const WRITTEN = [TEXTS[0], '{"10":1,"2":"\\n","ü":"😀"}', '{}'];

  /** What the lines of an export are, but for ids and times. */
  const lines = (id: string, slug: string, more: object) => [
    JSON.stringify({
      deployment: {
        id,
        slug,
        owner: 'ada@command.example',
        status: 'active',
        email_notifications: false,
        submission_count: 3,
        created_at: 'TIME',
        updated_at: 'TIME',
        deleted_at: null,
        taken_down_at: null,
        take_down_reason: null,
        ...more,
      },
    }),
    '{"settings":{"email_notifications":false,"notify_every":"submission","notify_owner":true,"language":null,"retention_days":null,"recipients":[],"redirect_url":null,"allowed_origins":[],"spam":{"blocklist":[],"captcha":null}}}',
    JSON.stringify({ html: '\uFEFF<p>{{FORM_ACTION}}\n\u0000' }),
    '{"webhook":{"id":"ID","url":"https://e.example/","type":"slack","events":["submission"],"active":true,"created_at":"TIME"}}',
    ...WRITTEN.map((data) => `{"submission":{"id":"ID","data":${data},"ip_address":"192.0.2.1","created_at":"TIME"}}`),
    `{"spam":{"id":"ID","data":${WRITTEN[1]},"ip_address":"192.0.2.1","created_at":"TIME","reason":"blocklist"}}`,
    '',
  ];
  const masked = (text: string): string[] =>
    text
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
      .replaceAll(/"(?:sub|wh)_\w+"/g, '"ID"')
      .split('\n');

  async function deployWhole() {
    const deployment = await owner.deploy({ html: '\uFEFF<p>{{FORM_ACTION}}\n\u0000' });
    await owner.post(`/webhooks/${deployment.id}`).send({ url: 'https://e.example/', type: 'slack' }).expect(201);
    await addSubmissions(deployment.id, TEXTS);
    await service.db('spam_submissions').insert({
      ...{ deployment_id: deployment.id, id: newSubmissionId(), data: TEXTS[1], ip_address: '192.0.2.1' },
      ...{ created_at: new Date(), kept_at: new Date(), reason: 'blocklist' },
    });
    return deployment;
  }

  it('prints everything, a JSON object a line, what was submitted exactly as it was, and no secret', async () => {
    const { id, slug } = await deployWhole();
    const text = await print('export', id);
    expect(masked(text)).toEqual(lines(id, slug, {}));
    for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    expect(text).not.toContain('whsec_');
  });

  it('has what a deletion and a take-down kept, and writes to a file that was not there, for nobody else', async () => {
    const { id, slug } = await deployWhole();
    await takeDown(service.db, id, 'because "x"');
    await remove(id);
    const folder = await mkdtemp(join(tmpdir(), 'formhost-export-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'export.ndjson');
    expect(await print('export', id, file)).toBe(`exported ${id} (${slug}) to ${file}\n`);
    expect(masked(await readFile(file, 'utf8'))).toEqual(
      lines(id, slug, {
        status: 'deleted',
        deleted_at: 'TIME',
        taken_down_at: 'TIME',
        take_down_reason: 'because "x"',
      }),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    await writeFile(file, 'kept');
    const nowhere = join(folder, 'nowhere', 'file');
    expect(await Promise.all([run('export', id, file), run('export', id, nowhere), run('export', UNKNOWN_ID)])).toEqual(
      [refusedFor(file, 'already'), refusedFor(nowhere, 'cannot be written'), refusedFor('no deployment', UNKNOWN_ID)],
    );
    expect(await readFile(file, 'utf8')).toBe('kept');
  });

  it("has the files of a deletion's submissions, in pieces that make them whole", async () => {
    const { id } = await owner.deploy();
    const photo = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));
    const { body } = await service.anonymous
      .post(`/submit/${id}`)
      .attach('photo', photo, { filename: 'ä "1".png', contentType: 'image/png' })
      .attach('nothing', Buffer.alloc(0), 'empty.txt')
      .expect(200);
    await remove(id);
    const objects = (await print('export', id))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    // Of one moment, they come in any order.
    const files = objects.flatMap(({ file }) => file ?? []).toSorted((a, b) => a.size - b.size);
    const common = { id: expect.stringMatching(/^file_/), submission_id: body.id };
    expect(files).toEqual([
      { ...common, filename: 'empty.txt', content_type: 'text/plain', size: 0 },
      { ...common, filename: 'ä "1".png', content_type: 'image/png', size: 600_000 },
    ]);
    const pieces = objects.flatMap(({ file_piece }) => file_piece ?? []);
    const read = files.map((file) =>
      Buffer.concat(
        pieces.filter(({ file_id }) => file_id === file.id).map(({ base64 }) => Buffer.from(base64, 'base64')),
      ),
    );
    expect(read).toEqual([Buffer.alloc(0), photo]);
  });
});

describe('deployments undelete', () => {
  it('brings a deployment back with its page, its submissions and its webhooks, in every process', async () => {
    const { id, slug } = await owner.deploy({ html: 'back again' });
    await service.anonymous.post(`/submit/${id}`).send({ a: 1 }).expect(200);
    await owner.post(`/webhooks/${id}`).send({ url: 'https://e.example/' }).expect(201);
    const views = [`/deploy/${id}`, `/submissions/${id}`, `/webhooks/${id}`];
    const look = () => Promise.all(views.map(async (path) => answer(await owner.get(path))));
    const before = await look();
    await remove(id);
    await vi.waitFor(async () => expect((await getPage(other.url, slug)).status).toBe(404), 60_000);

    expect(await print('undelete', id)).toBe(`brought back ${id} (${slug}) of ada@command.example\n`);
    expect(await look()).toEqual(before);
    for (const url of [service.url, other.url]) {
      await vi.waitFor(async () => expect((await getPage(url, slug)).text).toBe('back again'), 60_000);
    }
    await service.anonymous.post(`/submit/${id}`).send({ a: 2 }).expect(200);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(2);
    expect(await run('undelete', id)).toEqual(refusedFor(id, 'not deleted'));
  });

  it('takes another slug when its own is taken, and none that is taken or cannot be one', async () => {
    const { id, slug } = await deployDeleted();
    await owner.deploy({ slug });
    const { slug: taken } = await owner.deploy();
    expect(await run('undelete', id)).toEqual(refusedFor(slug, 'taken', '--slug'));
    const bad = [taken, 'Not-a-slug', 'billing'];
    expect(await Promise.all(bad.map((other) => run('undelete', id, '--slug', other)))).toEqual(
      bad.map((other) => refusedFor(other, '--slug')),
    );
    expect((await owner.get(`/deploy/${id}`)).status).toBe(404);
    expect(await print('undelete', id, '--slug', 'second-home')).toBe(
      `brought back ${id} (second-home) of ada@command.example\n`,
    );
    expect((await owner.get(`/deploy/${id}`)).body).toMatchObject({ slug: 'second-home' });
    expect((await getPage(service.url, 'second-home')).status).toBe(200);
  });

  it('goes over the limit of the plan and says so; what was taken down still is', async () => {
    const email = 'small@command.example';
    const small = await service.owner({ email, plan: 'one' });
    const { id, slug } = await small.deploy();
    await takeDown(service.db, id, 'x');
    await small.delete(`/deploy/${id}`).expect(200);
    await small.deploy();
    const [first, second, third, ...more] = (await print('undelete', id)).split('\n');
    expect([first, more]).toEqual([`brought back ${id} (${slug}) of ${email}`, ['']]);
    expect(second).toMatch(/\b2\b.*\bone\b.*\b1\b/);
    expect(third).toMatch(/taken down.*restore/);
    expect((await getPage(service.url, slug)).status).toBe(451);
    expect((await small.get(`/deploy/${id}`)).body).toMatchObject({ status: 'active' });
    expect((await small.post('/deploy').send({ html: 'x' })).status).toBe(403);
  });

  it('leaves a slug to one deployment, however it meets a new one', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, slug } = await deployDeleted();
      const bringBack = () => undeleteDeployment(service.db, id, { slug: undefined });
      const create = () => owner.post('/deploy').send({ html: 'x', slug });
      const [undeleted, created] =
        round % 2
          ? await Promise.all([bringBack(), create()])
          : (await Promise.all([create(), bringBack()])).toReversed();
      const isBack = undeleted !== 'slug-taken';
      expect(created).toMatchObject({ status: isBack ? 409 : 201 });
      expect((await owner.get(`/deploy/${id}`)).status).toBe(isBack ? 200 : 404);
      const { rows } = await service.db.raw('SELECT count(*) FROM deployments WHERE slug = ? AND deleted_at IS NULL', [
        slug,
      ]);
      expect(rows[0].count).toBe(1);
    }
  });
});

describe('deployments purge', () => {
  /** A deployment with some of everything. */
  async function deployMuch() {
    const deployment = await owner.deploy();
    const { body } = await owner.post(`/webhooks/${deployment.id}`).send({ url: 'https://e.example/' }).expect(201);
    await owner.put(`/deploy/${deployment.id}`).send({ html: '<h1>Another</h1>' }).expect(200);
    await addSubmissions(
      deployment.id,
      Array.from({ length: 1_203 }, () => '{"a":1}'),
    );
    await service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, submission_id, webhook_id, status, next_attempt_at, created_at, updated_at)
       SELECT 'dl_00' || md5(id), deployment_id, id, CASE number % 2 WHEN 0 THEN ? END, 'failed', now(), now(), now()
         FROM submissions WHERE deployment_id = ?`,
      [body.id, deployment.id],
    );
    await service.db.raw(
      `WITH file AS (
         INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
         SELECT 'file_' || md5(id || part), deployment_id, id, 'a', 'text/plain', 1
           FROM submissions, generate_series(1, 2) AS part WHERE deployment_id = ? AND number <= 5 RETURNING id
       )
       INSERT INTO submission_file_chunks (file_id, position, content) SELECT id, 0, 'x' FROM file`,
      [deployment.id],
    );
    await service.db.raw(
      `INSERT INTO idempotency_keys (deployment_id, key_hash, body_hash, submission_id, created_at)
       SELECT deployment_id, sha256(id::bytea), sha256('{}'), id, now() FROM submissions WHERE deployment_id = ? AND number <= 3`,
      [deployment.id],
    );
    await service
      .db('submission_marks')
      .insert([1, 2].map((number) => ({ deployment_id: deployment.id, number, read: true, starred: false })));
    await service.db('read_up_to').insert({ deployment_id: deployment.id, number: 2 });
    await service.db('honeypot_hits').insert({ deployment_id: deployment.id, day: '2026-11-21', count: 3 });
    const mail = { notify_every: 'day', recipients: ['bea@command.example', 'cyd@command.example'] };
    await owner.patch(`/deploy/${deployment.id}`).send(mail).expect(200);
    await service
      .db('removed_submissions')
      .insert([1_204, 1_205].map((number) => ({ deployment_id: deployment.id, number })));
    await owner
      .patch(`/deploy/${deployment.id}`)
      .send({ spam: { blocklist: ['casino'] } })
      .expect(200);
    await service.db.raw(
      `INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
       SELECT :id, 'sub_' || md5(:id || n), '{}', '192.0.2.1', now(), now(), 'blocklist' FROM generate_series(1, 600) AS n`,
      { id: deployment.id },
    );
    return deployment;
  }

  it('removes everything of a deleted deployment for good, and nothing of another', async () => {
    const [gone, kept, live] = [await deployMuch(), await deployMuch(), await deployMuch()];
    await Promise.all([gone, kept].map(({ id }) => remove(id)));
    const whole = [1_203, 1, 1, 1, 3, 2, 1, 1, 1, 2, 600, 10, 2, 1_203, 1, 1];
    const nothing = whole.map(() => 0);
    expect(await rowsOf(gone.id)).toEqual(whole);
    expect(await print('purge', gone.id)).toBe(
      `purged ${gone.id} (${gone.slug}) of ada@command.example, and its 1203 submissions\n`,
    );
    expect(await Promise.all([gone, kept, live].map(({ id }) => rowsOf(id)))).toEqual([nothing, whole, whole]);
    expect(await service.db('submission_file_chunks').where({ content: Buffer.from('x') })).toHaveLength(20);
    expect(await run('undelete', gone.id)).toEqual(refusedFor('no deployment', gone.id));
    expect(await run('purge', live.id)).toEqual(refusedFor(live.id, 'not deleted'));
    expect(await rowsOf(live.id)).toEqual(whole);
  });

  it('is tried here with every table that has rows of a deployment', async () => {
    const { rows } = await service.db.raw(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'deployment_id' AND table_name <> 'deployment_changes'
        ORDER BY name`,
    );
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(TABLES);
  });

  it('that was stopped in the middle goes on when it is run again, and its deployment never comes back', async () => {
    const { id } = await deployMuch();
    await remove(id);
    // As far as it comes before the first of many.
    await service.db('pages').where({ deployment_id: id }).delete();
    expect(await run('undelete', id)).toEqual(refusedFor(id, 'purge'));
    await print('export', id);
    await print('purge', id);
    expect(await rowsOf(id)).toEqual([...TABLES, 'deployments'].map(() => 0));
  });
});

describe('deployments', () => {
  it('print JSON with --json', async () => {
    const cyd = await service.owner({ email: 'cyd@command.example' });
    const { id } = await cyd.deploy({ slug: 'cyd-json' });
    const one = { id, slug: 'cyd-json', owner: 'cyd@command.example' };
    expect(JSON.parse(await print('list', '--owner', 'cyd@command.example', '--json'))).toEqual([
      { ...one, status: 'active', created_at: aTime, submission_count: 0 },
    ]);
    expect(JSON.parse(await print('list', '--deleted', '--owner', 'cyd@command.example', '--json'))).toEqual([]);
    expect(JSON.parse(await print('take-down', id, '--reason', 'spam', '--json'))).toEqual({
      message: `took down ${id} (cyd-json) of cyd@command.example`,
      ...one,
    });
  });

  it('want a reason for a take-down, and the e-mail of an owner for a list', async () => {
    expect(await run('take-down', 'a', '--reason', ' ')).toEqual(refusedFor('--reason'));
    expect(await run('take-down', 'a', '--reason', 'x'.repeat(1_001))).toEqual(refusedFor('--reason'));
    expect(await run('list', '--owner', 'nobody@command.example')).toEqual(refusedFor('nobody@command.example'));
  });
});
