import { describe, expect, it } from 'vitest';
import { makeKey } from '../../../src/db/account/owner-queries.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { asOwner, BASE_URL, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const ID = expect.stringMatching(/^feed_[0-9A-Za-z]{24}$/);
const URL_OF_FEED = expect.stringMatching(new RegExp(`^${BASE_URL}/feeds/[0-9A-Za-z]{43}\\.csv$`));

const make = (id: string, name: string, who = owner) => who.post(`/deploy/${id}/feeds`).send({ name });
const listed = async (id: string, who = owner) => (await who.get(`/deploy/${id}/feeds`).expect(200)).body.feeds;

/** The owner with another key, which may only read. */
async function reader() {
  const { body } = await owner.post('/keys').send({ name: 'reader', scope: 'read' }).expect(201);
  return asOwner(service.url, body.key);
}

describe('POST /deploy/:id/feeds', () => {
  it('makes a feed with a secret address, and lists it, oldest first', async () => {
    const { id } = await owner.deploy();
    const first = await make(id, 'Sheet of the team').expect(201);
    expect(first.body).toEqual({
      id: ID,
      name: 'Sheet of the team',
      url: URL_OF_FEED,
      created_at: aTime,
      last_read_at: null,
    });
    expect(first.headers.location).toBe(`/deploy/${id}/feeds/${first.body.id}`);
    const second = await make(id, 'Büro ☂').expect(201);
    expect(second.body.url).not.toBe(first.body.url);
    expect(await listed(id)).toEqual([first.body, second.body]);
  });

  it('takes names of 1 to 100 characters in one line', async () => {
    const { id } = await owner.deploy();
    const longest = 'n'.repeat(SIZES.feed.maxNameChars);
    expect((await make(id, longest).expect(201)).body.name).toBe(longest);
    for (const body of [
      {},
      { name: '' },
      { name: '  ' },
      { name: `${longest}n` },
      { name: 7 },
      { name: 'a\nb' },
      { name: null },
    ]) {
      expect(answer(await owner.post(`/deploy/${id}/feeds`).send(body))).toEqual(refused(400));
    }
    expect(await listed(id)).toHaveLength(1);
  });

  it('answers 409 for the eleventh, also when they come at once', async () => {
    const { id } = await owner.deploy();
    const { maxPerDeployment } = SIZES.feed;
    const answers = await Promise.all(Array.from({ length: maxPerDeployment + 2 }, (_, n) => make(id, `Feed ${n}`)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(maxPerDeployment).fill(201), 409, 409]);
    const [{ id: feedId }] = await listed(id);
    await owner.delete(`/deploy/${id}/feeds/${feedId}`).expect(200);
    await make(id, 'There is room again').expect(201);
  });

  it('makes one for one Idempotency-Key', async () => {
    const { id } = await owner.deploy();
    const send = (name: string) => make(id, name).set('Idempotency-Key', 'sheet-1');
    const first = await send('Sheet').expect(201);
    expect((await send('Sheet').expect(201)).body).toEqual(first.body);
    expect(answer(await send('Another sheet'))).toEqual(refused(422));
    expect(await listed(id)).toEqual([first.body]);
  });
});

it('a key that may only read lists feeds without their addresses, and changes none', async () => {
  const { id } = await owner.deploy();
  const { body: feed } = await make(id, 'Sheet').expect(201);
  const { url, ...rest } = feed;
  const who = await reader();
  expect(await listed(id, who)).toEqual([rest]);
  for (const refusal of [
    await make(id, 'Mine', who),
    await who.post(`/deploy/${id}/feeds/${feed.id}/rotate`),
    await who.delete(`/deploy/${id}/feeds/${feed.id}`),
  ]) {
    expect(answer(refusal)).toEqual(refused(403));
  }
  expect(await listed(id)).toEqual([feed]);
});

it('POST …/rotate gives a new address, and keeps the rest', async () => {
  const { id } = await owner.deploy();
  const { body: feed } = await make(id, 'Sheet').expect(201);
  const { body: rotated } = await owner.post(`/deploy/${id}/feeds/${feed.id}/rotate`).expect(200);
  expect(rotated).toEqual({ ...feed, url: URL_OF_FEED });
  expect(rotated.url).not.toBe(feed.url);
  expect(await listed(id)).toEqual([rotated]);
});

it('DELETE …/feeds/:feedId ends a feed, once', async () => {
  const { id } = await owner.deploy();
  const { body: feed } = await make(id, 'Sheet').expect(201);
  const path = `/deploy/${id}/feeds/${feed.id}`;
  expect(answer(await owner.delete(path))).toEqual({ status: 200, body: { message: 'Feed deleted', id: feed.id } });
  expect(answer(await owner.delete(path))).toEqual(refused(404));
  expect(answer(await owner.post(`${path}/rotate`))).toEqual(refused(404));
  expect(await listed(id)).toEqual([]);
});

it('feeds of others, and of other pages, are not found', async () => {
  const { id } = await owner.deploy();
  const { id: other } = await owner.deploy();
  const { body: feed } = await make(id, 'Sheet').expect(201);
  const { key } = await makeKey(service.db, {
    email: 'stranger@test.example',
    plan: undefined,
    defaultPlan: 'unlimited',
  });
  const stranger = asOwner(service.url, key);
  for (const [who, page] of [
    [stranger, id],
    [owner, other],
  ] as const) {
    expect(answer(await who.post(`/deploy/${page}/feeds/${feed.id}/rotate`))).toEqual(refused(404));
    expect(answer(await who.delete(`/deploy/${page}/feeds/${feed.id}`))).toEqual(refused(404));
  }
  expect(answer(await stranger.get(`/deploy/${id}/feeds`))).toEqual(refused(404));
  expect(answer(await make(id, 'Mine', stranger))).toEqual(refused(404));
  expect(await listed(id)).toEqual([feed]);
});

it('a page that is removed for good takes its feeds with it', async () => {
  const { id } = await owner.deploy();
  await make(id, 'Sheet').expect(201);
  await owner.delete(`/deploy/${id}`).expect(200);
  await owner.delete(`/trash/${id}`).expect(200);
  await expect.poll(() => service.db('feeds').where({ deployment_id: id })).toEqual([]);
});
