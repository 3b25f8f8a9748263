import { expect, it } from 'vitest';
import { ChangeFeed, type DeploymentChange } from '../../src/db/deployments/change-feed.ts';
import { findProven, listProven } from '../../src/db/domains/proven-domain-queries.ts';
import { testService } from '../support/test-service.ts';

const { db, owner } = await testService();
const someone = await owner({ plan: 'pro' });

/** A deployment with domains of a status each, as look-ups would leave them. */
async function deployWith(domains: Record<string, 'pending' | 'live' | 'broken'>) {
  const { id, slug } = await someone.deploy();
  const rows = Object.entries(domains).map(([domain, status]) => ({ deployment_id: id, domain, status }));
  await db('domains').insert(rows);
  return { id, slug };
}

it('lists proven domains in pages, each once, with the page that is served there', async () => {
  const first = await deployWith({ 'a.example': 'live', 'b.example': 'pending', 'c.example': 'broken' });
  const second = await deployWith({ 'b.example': 'live', 'c.example': 'live', 'd.example': 'broken' });
  const deleted = await deployWith({ 'a.example': 'pending', 'e.example': 'live' });
  await someone.delete(`/deploy/${deleted.id}`).expect(200);
  const proven = [
    { domain: 'a.example', deploymentId: first.id, slug: first.slug },
    { domain: 'b.example', deploymentId: second.id, slug: second.slug },
    { domain: 'c.example', deploymentId: second.id, slug: second.slug },
    { domain: 'd.example', deploymentId: second.id, slug: null },
    { domain: 'e.example', deploymentId: deleted.id, slug: null },
  ];
  expect(await listProven(db, '', 3)).toEqual(proven.slice(0, 3));
  expect(await listProven(db, 'c.example', 3)).toEqual(proven.slice(3));
  expect(await findProven(db, [first.id], ['e.example', 'gone.example'])).toEqual([...proven.slice(0, 3), proven[4]]);
  expect(await findProven(db, [deleted.id], [])).toEqual([proven[0], proven[4]]);
});

it('tells each change of proven domains, and none of pending ones', async () => {
  const deployment = await deployWith({ 'pending.example': 'pending' });
  const changes: string[] = [];
  const onChanges = async (told: readonly DeploymentChange[]) =>
    void changes.push(...told.map(({ deploymentId }) => deploymentId));
  const feed = new ChangeFeed(db, 1_000_000, { onChanges, onGap: async () => undefined });
  await feed.read();
  const row = { deployment_id: deployment.id, domain: 'pending.example' };
  const told = async (change: PromiseLike<unknown>): Promise<string[]> => {
    changes.splice(0);
    await change;
    await feed.read();
    return [...changes];
  };
  expect(await told(db('domains').where(row).update({ problem: 'There is none.', status: 'pending' }))).toEqual([]);
  expect(await told(db('domains').where(row).update({ status: 'live' }))).toEqual([deployment.id]);
  expect(await told(db('domains').where(row).delete())).toEqual([deployment.id]);
  expect(await told(db('domains').insert(row))).toEqual([]);
  expect(await told(db('domains').where(row).delete())).toEqual([]);
  expect(await told(db('domains').insert({ ...row, status: 'broken' }))).toEqual([deployment.id]);
});
