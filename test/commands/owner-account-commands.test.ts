import { describe, expect, it } from 'vitest';
import { aTime } from '../support/answers.ts';
import { done, operatorOf, printed, refusedFor } from '../support/run-command.ts';
import { testService } from '../support/test-service.ts';

const SETTINGS = { PLAN_LIMITS: 'none-at-all:0,one:1,unlimited:none' };

const service = await testService(SETTINGS);
const run = operatorOf(service, 'owners', SETTINGS);

const listed = async (...emails: string[]) => {
  const { stdout } = await run('list');
  const lines = stdout.split('\n').slice(0, -1);
  return lines.map((line) => line.split('\t')).filter(([email = '']) => emails.includes(email));
};

describe('owners list', () => {
  it('prints a line each, oldest first: e-mail, plan, created, live deployments', async () => {
    const first = await service.owner({ email: 'first@owners.example', plan: 'one' });
    await service.owner({ email: 'a-second@owners.example' });
    const { id } = await first.deploy();
    await first.delete(`/deploy/${id}`).expect(200);
    await first.deploy();
    expect(await listed('first@owners.example', 'a-second@owners.example')).toEqual([
      ['first@owners.example', 'one', aTime, '1'],
      ['a-second@owners.example', 'unlimited', aTime, '0'],
    ]);
  });
});

describe('owners set-plan', () => {
  it('holds from the next request on', async () => {
    const owner = await service.owner({ email: 'plan@owners.example', plan: 'none-at-all' });
    const deploy = async () => (await owner.post('/deploy').send({ html: 'x' })).status;
    expect(await deploy()).toBe(403);
    expect(await run('set-plan', ' Plan@Owners.example', 'one')).toEqual(
      done('plan@owners.example is on the plan one\n'),
    );
    expect([await deploy(), await deploy()]).toEqual([201, 403]);
  });

  it('refuses a plan that PLAN_LIMITS does not name, and an owner that is not there', async () => {
    await service.owner({ email: 'same@owners.example', plan: 'one' });
    expect(await run('set-plan', 'same@owners.example', 'gold')).toEqual(refusedFor('none-at-all, one, unlimited'));
    expect(await run('set-plan', 'nobody@owners.example', 'one')).toEqual(refusedFor('nobody@owners.example'));
    expect(await listed('same@owners.example')).toEqual([['same@owners.example', 'one', aTime, '0']]);
  });
});

describe('owners set-email', () => {
  it('gives an owner another address, with keys and deployments as they were', async () => {
    const owner = await service.owner({ email: 'old@owners.example' });
    const { id } = await owner.deploy();
    expect(await run('set-email', 'OLD@owners.example', 'New@Owners.example')).toEqual(
      done('old@owners.example is new@owners.example now\n'),
    );
    expect((await owner.get(`/deploy/${id}`)).status).toBe(200);
    expect((await (await service.owner({ email: 'new@owners.example' })).get(`/deploy/${id}`)).status).toBe(200);
    expect(await listed('old@owners.example', 'new@owners.example')).toEqual([
      ['new@owners.example', 'unlimited', aTime, '1'],
    ]);
  });

  it('refuses an address that another owner has or that is none, and an owner that is not there', async () => {
    await service.owner({ email: 'one@owners.example' });
    await service.owner({ email: 'two@owners.example' });
    expect(await run('set-email', 'one@owners.example', 'Two@owners.example')).toEqual(
      refusedFor('two@owners.example'),
    );
    expect(await run('set-email', 'one@owners.example', 'two')).toEqual(refusedFor('two is not an e-mail address'));
    expect(await run('set-email', 'nobody@owners.example', 'x@owners.example')).toEqual(
      refusedFor('nobody@owners.example'),
    );
    expect(await listed('one@owners.example', 'two@owners.example')).toHaveLength(2);
  });
});

describe('owners', () => {
  it('prints JSON with --json', async () => {
    await service.owner({ email: 'json@owners.example', plan: 'one' });
    const answer = async (...args: string[]) => JSON.parse(await printed(run(...args, '--json')));
    expect(await answer('set-plan', 'json@owners.example', 'none-at-all')).toEqual({
      message: 'json@owners.example is on the plan none-at-all',
      email: 'json@owners.example',
      plan: 'none-at-all',
    });
    expect(await answer('set-email', 'json@owners.example', 'json2@owners.example')).toEqual({
      message: 'json@owners.example is json2@owners.example now',
      email: 'json2@owners.example',
    });
    const all: { email: string }[] = await answer('list');
    expect(all.filter(({ email }) => email.startsWith('json'))).toEqual([
      { email: 'json2@owners.example', plan: 'none-at-all', created_at: aTime, deployments: 0 },
    ]);
  });
});

describe('owners suspend, resume and delete', () => {
  it('take everything of an owner offline, bring it back, and remove it', async () => {
    const owner = await service.owner({ email: 'eve@owners.example' });
    const { id } = await owner.deploy();
    const status = async () => (await owner.get('/me')).status;
    expect(await run('suspend', 'Eve@owners.example')).toEqual(done('eve@owners.example is suspended\n'));
    expect(await status()).toBe(401);
    expect(await run('resume', 'eve@owners.example')).toEqual(done('eve@owners.example is not suspended any more\n'));
    expect(await status()).toBe(200);
    expect(await run('delete', 'eve@owners.example')).toEqual(refusedFor('add --yes to delete eve@owners.example'));
    expect(await run('delete', 'eve@owners.example', '--yes')).toEqual(done('eve@owners.example is deleted\n'));
    expect(await status()).toBe(401);
    expect(await service.db('deployments').where({ id })).toEqual([]);
    expect(await listed('eve@owners.example')).toEqual([]);
    const entries = await service
      .db('audit_entries')
      .where({ actor: 'operator' })
      .orderBy('id')
      .select('action', 'via');
    expect(entries.slice(-3)).toEqual(
      ['owner.suspend', 'owner.resume', 'owner.delete'].map((action) => ({ action, via: 'command' })),
    );
    expect(await run('suspend', 'eve@owners.example')).toEqual(refusedFor('there is no owner eve@owners.example'));
  });
});
