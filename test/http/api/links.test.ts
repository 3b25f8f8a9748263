import { expect, it } from 'vitest';
import { testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

/** The paths to which the header Link leads, by their relations. */
async function linksOf(path: string): Promise<Record<string, string>> {
  const { headers } = await owner.get(path).expect(200);
  const links = String(headers.link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries(Array.from(links, ([, target = '', rel = '']) => [rel, target]));
}

const { id } = await owner.deploy();
for (let count = 0; count < 5; count += 1) await owner.post(`/submit/${id}`).send({ count }).expect(200);
for (let count = 0; count < 2; count += 1) await owner.deploy();

it('leads from each page of a list to its neighbours, with the other parameters', async () => {
  const list = `/submissions/${id}`;
  expect(await linksOf(`${list}?limit=2&x=%C3%A9%3E`)).toEqual({ next: `${list}?limit=2&x=%C3%A9%3E&page=2` });
  expect(await linksOf(`${list}?page=2&limit=2`)).toEqual({
    next: `${list}?page=3&limit=2`,
    prev: `${list}?page=1&limit=2`,
  });
  expect(await linksOf(`${list}?page=3&limit=2`)).toEqual({ prev: `${list}?page=2&limit=2` });
  expect(await linksOf(`${list}?page=9&limit=2`)).toEqual({ prev: `${list}?page=3&limit=2` });
  expect(await linksOf(list)).toEqual({});
  // An empty list.
  expect(await linksOf(`/deploy/${id}/spam?page=2`)).toEqual({ prev: `/deploy/${id}/spam?page=1` });
});

it.each(['/deploy', '/overview', '/keys'])('leads to the second page of %s', async (path) => {
  await owner.post('/keys').send({ name: 'Another' }).expect(201);
  expect(await linksOf(`${path}?limit=1`)).toEqual({ next: `${path}?limit=1&page=2` });
});

it('leads from cursor to cursor through a search, and through what is new', async () => {
  for (const first of [`/submissions/${id}/search?limit=2`, `/submissions/${id}/after/0?limit=2&wait=0`]) {
    const found: number[] = [];
    let pages = 0;
    for (let next: string | undefined = first; next !== undefined; pages += 1) {
      const { body } = await owner.get(next).expect(200);
      found.push(...body.submissions.map(({ data }: { data: { count: number } }) => data.count));
      next = (await linksOf(next)).next;
      if (next !== undefined) expect(next).toMatch(/limit=2/);
    }
    expect([found.toSorted(), pages]).toEqual([[0, 1, 2, 3, 4], 3]);
  }
});
