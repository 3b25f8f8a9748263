import { randomInt } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { removeExpired } from '../../src/db/submissions/expired-submissions.ts';
import { median, ms, timed } from '../support/figures.ts';
import { startTestService } from '../support/service.ts';

it('refuses no submission to a form of which very many are deleted', async () => {
  const service = await startTestService();
  onTestFinished(service.close);
  const owner = await service.owner();
  const now = new Date();
  const { id } = await owner.deploy();
  await owner.patch(`/deploy/${id}`).send({ retention_days: 2 }).expect(200);
  const many = 100_000;
  // In pieces: a statement has less than two seconds, also on a slow machine.
  for (let from = 1; from <= many; from += 10_000) {
    await service.db.raw(
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT :id, n, 'sub_' || substr(:id, 3, 18) || lpad(n::text, 7, '0'), json_build_object('a', repeat('b', 300)),
              '192.0.2.1', now() - interval '10 days'
         FROM generate_series(CAST(:from AS int), CAST(:to AS int)) AS n`,
      { id, from, to: from + 9_999 },
    );
  }
  await service.db('deployments').where({ id }).update({ submission_count: many, last_submission_number: many });
  let sent = 0;
  const submitUntil = async (isOver: () => boolean): Promise<number> => {
    const took: number[] = [];
    while (!isOver()) {
      await service.db('deployments').where({ id }).update({ recent_submissions: [] });
      const { ms: one } = await timed(async () => {
        const body = new URLSearchParams({ n: String(randomInt(1_000)) });
        const { status } = await fetch(`${service.url}/submit/${id}`, { method: 'POST', body });
        expect(status).toBe(200);
      });
      took.push(one);
      sent += 1;
    }
    return median(took);
  };
  const start = performance.now();
  const quiet = await submitUntil(() => performance.now() - start > 3_000);
  let isOver = false;
  const loaded = submitUntil(() => isOver);
  let count = 0;
  const onRemoved = (some: number): void => {
    count += some;
  };
  const removed = await timed(() =>
    removeExpired(service.db, id, { now, signal: new AbortController().signal, onRemoved }),
  );
  isOver = true;
  console.log(
    `retention: ${count} submissions in ${ms(removed.ms)}; a submission's median ${ms(quiet)} without, ${ms(await loaded)} with`,
  );
  expect(count).toBe(many);
  expect(await service.db('submissions').where({ deployment_id: id })).toHaveLength(sent);
});
