import { expect, it } from 'vitest';
import { asOwner, type Owner, testService } from '../support/service.ts';

/** Owners whose kept count is not the number of their live deployments. */
const WRONG = `
  SELECT owners.id, live FROM owners LEFT JOIN live_deployments ON owner_id = owners.id
   WHERE live IS DISTINCT FROM (SELECT count(*) FROM deployments WHERE owner_id = owners.id AND deleted_at IS NULL)`;

const service = await testService();
const other = await service.another();

const totals = async (owner: Owner): Promise<unknown[]> => {
  const answers = await Promise.all(['/deploy', '/deploy?page=9&limit=1', '/overview'].map((path) => owner.get(path)));
  return answers.map(({ body }) => body.total);
};
const wrong = async (): Promise<unknown> => (await service.db.raw(WRONG)).rows;

it('the count of live deployments is exact after each creation, deletion, restoration and purge', async () => {
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

it('the count of live deployments is exact after many at once in two processes, of which some are refused', async () => {
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
