import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/service.ts';
import { asOwner, JSON_TYPE, type Owner, startTestService, type TestService } from '../support/service.ts';

/** Owners whose kept count is not the number of their live deployments. */
const WRONG = `
  SELECT owners.id, live FROM owners LEFT JOIN live_deployments ON owner_id = owners.id
   WHERE live IS DISTINCT FROM (SELECT count(*) FROM deployments WHERE owner_id = owners.id AND deleted_at IS NULL)`;

describe('the count of live deployments', { timeout: 60_000 }, () => {
  let service: TestService;
  let other: Service;
  beforeAll(async () => {
    service = await startTestService();
    other = await service.another();
  });
  afterAll(() => service.close());

  const totals = async (owner: Owner): Promise<unknown[]> => {
    const answers = await Promise.all(
      ['/deploy', '/deploy?page=9&limit=1', '/overview'].map((path) => owner.get(path)),
    );
    return answers.map(({ body }) => body.total);
  };
  const wrong = async (): Promise<unknown> => (await service.db.raw(WRONG)).rows;

  it('is exact after each creation, deletion, restoration and purge', async () => {
    const owner = await service.owner();
    expect(await totals(owner)).toEqual([0, 0, 0]);
    const made = [await owner.deploy(), await owner.deploy(), await owner.deploy()];
    expect(await totals(owner)).toEqual([3, 3, 3]);
    const [first, second] = made.map(({ id }) => id);
    await owner.delete(`/deploy/${first}`).expect(200);
    await owner.delete(`/deploy/${second}`).expect(200);
    expect(await totals(owner)).toEqual([1, 1, 1]);
    await owner.post(`/trash/${first}/restore`).send({}).expect(200);
    expect(await totals(owner)).toEqual([2, 2, 2]);
    await owner.delete(`/trash/${second}`);
    expect(await totals(owner)).toEqual([2, 2, 2]);
    expect((await owner.get('/deploy')).body).toMatchObject({ total: 2, page: 1, deployments: [{}, {}] });
    expect(await wrong()).toEqual([]);
  });

  it('is exact after many at once in two processes, of which some are refused', async () => {
    const owner = await service.owner({ plan: 'pro' });
    const same = asOwner(other.url, owner.key);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_none, at) =>
        (at % 2 ? owner : same).post('/deploy').send({ html: 'a', slug: at % 3 ? undefined : 'once' }),
      ),
    );
    const ids = made.flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
    await Promise.all(
      ids.flatMap((id, at) => [
        (at % 2 ? owner : same).delete(`/deploy/${id}`),
        (at % 2 ? same : owner).post('/deploy').send({ html: 'b' }),
      ]),
    );
    expect(await wrong()).toEqual([]);
  });

  it('bounds a plan', async () => {
    const owner = await service.owner({ plan: 'free' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.post('/deploy').send({ html: 'a' })));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeLessThanOrEqual(3);
    for (let more = made.length; more < 3; more += 1) await owner.deploy();
    await owner.post('/deploy').send({ html: 'a' }).expect(403);
    expect(await totals(owner)).toEqual([3, 3, 3]);
  });

  it('is not touched by a submission', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    const versions = async (): Promise<unknown> =>
      (await service.db.raw('SELECT owner_id, CAST(xmin AS text) AS version FROM live_deployments ORDER BY owner_id'))
        .rows;
    const before = await versions();
    await owner.send('POST', `/submit/${id}`, '{"a":1}', JSON_TYPE);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
    expect(await versions()).toEqual(before);
  });
});
