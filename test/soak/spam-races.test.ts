import request from 'supertest';
import { expect, it } from 'vitest';
import { solve } from '../support/solve-altcha.ts';
import { testService } from '../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

/** Counts what may never be wrong in a deployment: its counts, its numbers, and things in two places or nowhere. */
async function stateOf(id: string) {
  const { rows } = await service.db.raw(
    `SELECT submission_count - (SELECT count(*) FROM submissions WHERE deployment_id = :id) AS miscounted,
            last_submission_number - submission_count AS lost_numbers,
            (SELECT count(*) FROM submissions JOIN spam_submissions USING (id)) AS twice,
            (SELECT count(*) FROM submission_files WHERE deployment_id = :id AND submission_id NOT IN (
               SELECT id FROM submissions UNION ALL SELECT id FROM spam_submissions)) AS orphaned,
            (SELECT count(*) FROM submissions AS one JOIN submissions AS next
                 ON next.deployment_id = one.deployment_id AND next.number > one.number AND next.created_at < one.created_at
              WHERE one.deployment_id = :id) AS out_of_order
       FROM deployments WHERE id = :id`,
    { id },
  );
  return rows[0];
}

it('counts and keeps everything once, whatever happens at the same time', async () => {
  const { url } = await service.another();
  const { id } = await owner.deploy();
  await owner.change(id, { spam: { blocklist: ['casino'], captcha: { provider: 'altcha' } } });
  const known = new Set<string>();
  const any = (): string => [...known][Math.floor(Math.random() * known.size)] ?? 'sub_000000000000000000000000';
  const statuses = new Map<string, number>();
  const note = (what: string, status: number): void => {
    const name = `${what} ${status}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
  };
  const submit = async (fields: Record<string, string>, withFile: boolean): Promise<void> => {
    const form = request(Math.random() < 0.5 ? service.url : url)
      .post(`/submit/${id}`)
      .field(fields);
    const { status, body } = await (withFile ? form.attach('file', Buffer.from('content'), 'a.txt') : form);
    note('submit', status);
    if (status === 200) known.add(body.id);
  };
  const actions: (() => Promise<void>)[] = [
    () => submit({ text: 'casino' }, Math.random() < 0.5),
    () => submit({ text: 'robot' }, Math.random() < 0.5),
    () => submit({ text: 'Ada' }, Math.random() < 0.5),
    async () => submit({ text: 'Ada', ...(Math.random() < 0.3 && { altcha: await solve(service.url, id) }) }, false),
    async () => note('release', (await owner.post(`/deploy/${id}/spam/${any()}/release`)).status),
    async () => note('release', (await owner.post(`/deploy/${id}/spam/${any()}/release`)).status),
    async () => note('remove', (await owner.delete(`/deploy/${id}/spam/${any()}`)).status),
    async () => note('delete', (await owner.delete(`/submissions/${id}/${any()}`)).status),
    async () =>
      note(
        'bulk',
        (await owner.post(`/submissions/${id}/bulk`).send({ action: 'spam', ids: [any(), any(), any()] })).status,
      ),
    async () => {
      if (Math.random() < 0.05) note('empty', (await owner.delete(`/deploy/${id}/spam`)).status);
    },
    async () => {
      const blocklist = Math.random() < 0.2 ? [] : ['casino'];
      const captcha = Math.random() < 0.6 ? null : { provider: 'altcha' };
      note('change', (await owner.patch(`/deploy/${id}`).send({ spam: { blocklist, captcha } })).status);
    },
  ];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let n = 0; n < 60; n += 1) {
        await actions[Math.floor(Math.random() * actions.length)]?.();
        await service.db('deployments').where({ id }).update({ recent_submissions: [] });
      }
    }),
  );
  console.log(`spam and people: ${JSON.stringify([...statuses].toSorted())}`);
  expect([...statuses.keys()].filter((name) => !/ (200|404|429|503)$/.test(name))).toEqual([]);
  expect(statuses.get('release 200')).toBeGreaterThan(0);
  expect(statuses.get('bulk 200')).toBeGreaterThan(0);
  const nothing = { miscounted: 0, lost_numbers: 0, twice: 0, orphaned: 0, out_of_order: 0 };
  await expect.poll(() => stateOf(id)).toEqual(nothing);
  const { submissions, total } = (await owner.get(`/submissions/${id}?limit=100`)).body;
  expect(submissions.length).toBe(Math.min(total, 100));
});
