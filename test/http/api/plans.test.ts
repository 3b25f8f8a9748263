import { describe, expect, it } from 'vitest';
import { answer, refused } from '../../support/answers.ts';
import { asOwner, type Owner, testService } from '../../support/test-service.ts';

const LIMIT = 3;

const limitReached = refused(403);

const service = await testService({ PLAN_LIMITS: `free:${LIMIT},crowd:8,single:1,none-at-all:0,unlimited:none` });
/** Another process. */
const second = await service.another();

/** Sends it again while too many of the owner's requests wait, as clients do. */
async function create(owner: Owner, body: object = {}) {
  for (;;) {
    const answer = await owner.post('/deploy').send({ html: 'x', ...body });
    if (answer.status !== 503) return answer;
  }
}

const deploy = async (owner: Owner, count: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await owner.deploy()).id);
  return ids;
};

/** The statuses of requests made at the same time, in order of size. */
const statuses = async (requests: PromiseLike<{ status: number }>[]) =>
  (await Promise.all(requests)).map(({ status }) => status).toSorted((a, b) => a - b);

const times = <T>(count: number, task: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => task(index));

const live = (email: string) =>
  service
    .db('deployments')
    .join('owners', 'owners.id', 'deployments.owner_id')
    .where({ email, deleted_at: null })
    .then((rows) => rows.length);

describe('POST /deploy', () => {
  it.each([
    ['none-at-all', 0, 'allows no pages: ask the operator for a larger plan.'],
    ['single', 1, 'allows 1 page: delete one, or ask the operator for a larger plan.'],
    ['free', LIMIT, `allows ${LIMIT} pages: delete one, or ask the operator for a larger plan.`],
  ])('names the plan %s and its limit, %i', async (plan, limit, sentence) => {
    const owner = await service.owner({ plan });
    for (let count = 0; count < limit; count += 1) await owner.deploy();
    expect(answer(await create(owner))).toEqual({ status: 403, body: { error: `Your plan (${plan}) ${sentence}` } });
  });

  it('follows a change of the plan, and leaves what is live', async () => {
    const email = 'changing@test.example';
    const owner = await service.owner({ email, plan: 'unlimited' });
    const ids = await deploy(owner, LIMIT + 1);
    await service.owner({ email, plan: 'free' });
    expect(answer(await create(owner))).toEqual(limitReached);
    for (const id of ids) expect((await owner.put(`/deploy/${id}`).send({ html: 'y' })).status).toBe(200);

    await owner.delete(`/deploy/${ids[0]}`);
    expect(answer(await create(owner))).toEqual(limitReached);
    await owner.delete(`/deploy/${ids[1]}`);
    expect((await create(owner)).status).toBe(201);

    await service.owner({ email, plan: 'unlimited' });
    expect((await create(owner)).status).toBe(201);
  });

  it('answers 400 before 403, and 403 before 409', async () => {
    const owner = await service.owner({ plan: 'free' });
    await owner.deploy({ slug: 'mine' });
    await deploy(owner, LIMIT - 1);
    expect([
      answer(await create(owner, { slug: 'A' })),
      answer(await create(owner, { html: null })),
      answer(await create(owner, { slug: 'mine' })),
    ]).toEqual([400, 400, 403].map(refused));
  });
});

describe('the limit under concurrent requests', () => {
  it('lets exactly so many through of 20 at once, over two processes and two keys; another owner is unaffected', async () => {
    const email = 'crowd@test.example';
    const here = await service.owner({ email, plan: 'crowd' });
    const there = asOwner(second.url, (await service.owner({ email })).key);
    const other = await service.owner({ plan: 'free' });
    const race = statuses(
      times(20, (index) => create(index % 2 ? here : there, index % 4 < 2 ? { slug: `race-${slugOf(index)}` } : {})),
    );
    const others = statuses(times(LIMIT, () => create(other)));
    expect(await race).toEqual([...times(8, () => 201), ...times(12, () => 403)]);
    expect(await others).toEqual(times(LIMIT, () => 201));
    expect(await live(email)).toBe(8);
  });
});

/** Letters for a number. */
function slugOf(index: number): string {
  return [...String(index)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
}
