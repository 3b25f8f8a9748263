import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { takeDown } from '../../src/db/deployments/take-down-queries.ts';
import { answer, aTime } from '../support/answers.ts';
import { operatorOf, printed, refusedFor } from '../support/run-command.ts';
import { storeTexts } from '../support/stored-submissions.ts';
import { getPage, testService, UNKNOWN_ID } from '../support/test-service.ts';

const SETTINGS = { PLAN_LIMITS: 'one:1,unlimited:none', RESERVED_SLUGS: 'billing' };

const service = await testService(SETTINGS);
const run = operatorOf(service, 'deployments', SETTINGS);
const other = await service.another();
const owner = await service.owner({ email: 'ada@command.example' });

const print = (...args: string[]): Promise<string> => printed(run(...args));

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

describe('deployments list', () => {
  it('prints a line each, oldest first: id, slug, owner, status, created, submissions; all of them, or some', async () => {
    const bea = await service.owner({ email: 'bea@command.example' });
    const active = await bea.deploy({ slug: 'bea-active' });
    const down = await bea.deploy({ slug: 'bea-down' });
    await storeTexts(service.db, active.id, ['{}', '{}', '{}']);
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
      }, 60_000);
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

describe('deployments undelete', () => {
  it('brings a deployment back with its page, its submissions and its webhooks, in every process', async () => {
    const { id, slug } = await owner.deploy({ html: 'back again' });
    await service.anonymous.post(`/submit/${id}`).send({ a: 1 }).expect(200);
    await owner.post(`/webhooks/${id}`).send({ url: 'https://e.example/' }).expect(201);
    const views = [`/deploy/${id}`, `/submissions/${id}`, `/webhooks/${id}`];
    const look = () => Promise.all(views.map(async (path) => answer(await owner.get(path))));
    const before = await look();
    await remove(id);
    await expect.poll(async () => (await getPage(other.url, slug)).status).toBe(404);

    expect(await print('undelete', id)).toBe(`brought back ${id} (${slug}) of ada@command.example\n`);
    expect(await look()).toEqual(before);
    for (const url of [service.url, other.url]) {
      await expect.poll(async () => (await getPage(url, slug)).text).toBe('back again');
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
