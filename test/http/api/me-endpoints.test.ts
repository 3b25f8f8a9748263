import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restore, takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { NOTICE } from '../../../src/http/response/notice-header.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer } from '../../support/answers.ts';
import { PROJECT } from '../../support/process.ts';
import { asOwner, type Owner, testService } from '../../support/test-service.ts';

const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));

const service = await testService({
  PLAN_LIMITS: 'free:3,closed:0,unlimited:none',
  STORAGE_LIMITS: 'free:5MB,closed:0,unlimited:none',
});

const noticeTo = async (owner: Owner): Promise<unknown> => (await owner.get('/me')).headers[NOTICE];

describe('GET /me', () => {
  it.each([
    ['free', 3, 5_000_000],
    ['closed', 0, 0],
    ['unlimited', null, null],
    ['gone-from-the-settings', 0, null],
  ])('answers 200 with who the owner is, and what the plan %s allows', async (plan, limit, storage) => {
    const email = `${plan}@me.example`;
    const owner = await service.owner({ email, plan });
    expect(answer(await owner.get('/me'))).toEqual({
      status: 200,
      body: {
        ...{ email, plan, deployment_limit: limit, deployments: 0 },
        ...{ storage_limit: storage, storage_used: 0, mail: false, version, time_zone: null },
      },
    });
    expect(await noticeTo(owner)).toBeUndefined();
  });

  it.each(['full', 'read'])('says in a header that the key has the scope %s', async (scope) => {
    const owner = await service.owner();
    const { body } = await owner.post('/keys').send({ name: 'Other', scope });
    const { status, headers } = await asOwner(service.url, body.key).get('/me');
    expect({ status, scope: headers['formhost-scope'] }).toEqual({ status: 200, scope });
  });

  it('counts live deployments, of this owner alone', async () => {
    const [owner, other] = [await service.owner(), await service.owner()];
    await other.deploy();
    const [first] = [await owner.deploy(), await owner.deploy()];
    expect((await owner.get('/me')).body.deployments).toBe(2);
    await owner.delete(`/deploy/${first.id}`);
    expect((await owner.get('/me')).body.deployments).toBe(1);
  });

  it('says whether the service can send mail', async () => {
    const { key } = await service.owner();
    const { url } = await service.another({ SMTP_URL: 'smtp://127.0.0.1:1' });
    expect((await asOwner(url, key).get('/me')).body.mail).toBe(true);
  });
});

describe(`${NOTICE} of GET /me`, () => {
  const ASK = 'To ask why, contact the operator';

  it('names the pages that were taken down, newest first, until they are restored', async () => {
    const owner = await service.owner();
    const [first, second] = [await owner.deploy(), await owner.deploy()];
    await takeDown(service.db, first.id, 'a "reason"');
    expect(await noticeTo(owner)).toBe(`The operator has taken down 1 of your pages: ${first.id}. ${ASK}`);
    await takeDown(service.db, second.id, 'another');
    expect(await noticeTo(owner)).toBe(
      `The operator has taken down 2 of your pages: ${second.id}, ${first.id}. ${ASK}`,
    );
    expect(await noticeTo(await service.owner())).toBeUndefined();
    await owner.delete(`/deploy/${second.id}`);
    expect(await noticeTo(owner)).toBe(`The operator has taken down 1 of your pages: ${first.id}. ${ASK}`);
    await restore(service.db, first.id);
    expect(await noticeTo(owner)).toBeUndefined();
  });

  it(`names ${SIZES.notice.maxNamedPages} at most, and how many more there are`, async () => {
    const owner = await service.owner();
    const ids: string[] = [];
    for (let count = 0; count < SIZES.notice.maxNamedPages + 2; count += 1) ids.unshift((await owner.deploy()).id);
    for (const id of ids) await takeDown(service.db, id, 'x');
    expect(await noticeTo(owner)).toBe(
      `The operator has taken down 7 of your pages: ${ids.slice(0, SIZES.notice.maxNamedPages).join(', ')} and 2 more. ${ASK}`,
    );
  });

  it('names ABUSE_CONTACT', async () => {
    const contact = 'abuse@e.example';
    const owner = await service.owner();
    const { id } = await owner.deploy();
    await takeDown(service.db, id, 'x');
    const { url } = await service.another({ ABUSE_CONTACT: contact });
    expect(await noticeTo(asOwner(url, owner.key))).toBe(
      `The operator has taken down 1 of your pages: ${id}. To ask why, contact ${contact}`,
    );
  });
});
