import { expect, it, vi } from 'vitest';
import { ChangeFeed, type DeploymentChange } from '../../src/db/deployments/change-feed.ts';
import { testLimits } from '../support/test-limits.ts';
import { testService } from '../support/test-service.ts';

const service = await testService();

/** A feed that reads when the test says so, after its first read. */
async function startFeed(gapMs?: number) {
  const changes: DeploymentChange[] = [];
  const onGap = vi.fn<() => Promise<void>>();
  const onChanges = vi.fn(async (more: readonly DeploymentChange[]) => void changes.push(...more));
  const limits = testLimits({ changeFeed: gapMs === undefined ? {} : { gapMs } });
  const feed = new ChangeFeed(service.db, limits.changeFeed.gapMs, { onChanges, onGap });
  const read = async (): Promise<DeploymentChange[]> => {
    await feed.read();
    return changes.splice(0);
  };
  await feed.read();
  expect([onGap.mock.calls.length, changes]).toEqual([1, []]);
  onGap.mockClear();
  return { feed, read, onGap, onChanges };
}

it('tells each change of a deployment once, and nothing of submissions', async () => {
  const { read, onGap } = await startFeed();
  const owner = await service.owner();
  const { id, slug } = await owner.deploy();
  const change = { deploymentId: id, slug };
  expect([await read(), await read()]).toEqual([[change], []]);
  await owner.put(`/deploy/${id}`).send({ html: 'other' }).expect(200);
  expect([await read(), await read()]).toEqual([[change], []]);
  const sent = await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) });
  expect(sent.status).toBe(200);
  expect(await read()).toEqual([]);
  await owner.change(id, { redirect_url: 'https://example.com/' });
  await owner.delete(`/deploy/${id}`).expect(200);
  expect(await read()).toEqual([change, change]);
  await owner
    .post(`/trash/${id}/restore`)
    .send({ slug: `${slug}-again` })
    .expect(200);
  expect((await read()).map((one) => one.slug).toSorted()).toEqual([slug, `${slug}-again`]);
  expect(onGap).not.toHaveBeenCalled();
});

it.each([
  ['there was no read for too long', -1, () => undefined],
  ['the connections lead to another server', undefined, (feed: ChangeFeed) => feed.reset()],
])('says that changes may have been missed when %s', async (_when, gapMs, happens) => {
  const { feed, read, onGap } = await startFeed(gapMs);
  happens(feed);
  await read();
  expect(onGap).toHaveBeenCalledOnce();
});

it('says so after changes that could not be handled', async () => {
  const { feed, read, onGap, onChanges } = await startFeed();
  const owner = await service.owner();
  await owner.deploy();
  onChanges.mockRejectedValueOnce(new Error('The database is out of reach.'));
  await expect(feed.read()).rejects.toThrow('The database is out of reach.');
  expect(onGap).not.toHaveBeenCalled();
  await read();
  expect(onGap).toHaveBeenCalledOnce();
});
