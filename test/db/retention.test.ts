import { describe, expect, it } from 'vitest';
import { removeExpired } from '../../src/db/submissions/expired-submission-queries.ts';
import { startReceiver } from '../support/receivers.ts';
import { storeTexts } from '../support/stored-submissions.ts';
import { testService } from '../support/test-service.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();

/** A deployment with submissions that were received at these times, which rise. */
async function deployWith(times: readonly Date[], settings: object = {}): Promise<string> {
  const { id } = await owner.deploy();
  await owner.change(id, settings);
  await storeTexts(
    service.db,
    id,
    times.map(() => '{}'),
    { times },
  );
  return id;
}

const daysBefore = (now: Date, days: number, more = 0): Date => new Date(now.getTime() - days * DAY_MS + more);

const numbersOf = async (id: string): Promise<number[]> =>
  (await service.db('submissions').where({ deployment_id: id }).orderBy('number').select('number')).map(
    ({ number }) => number,
  );

/** Removes what has expired by a time; how many that were. */
async function expire(id: string, now: Date): Promise<number> {
  let removed = 0;
  await removeExpired(service.db, id, {
    now,
    signal: new AbortController().signal,
    onRemoved(count) {
      removed += count;
    },
  });
  return removed;
}

describe('retention_days', () => {
  it('keeps what is exactly so many days old, also over a change of the clocks, and nothing older', async () => {
    for (const now of [new Date('2026-03-30T01:30:00Z'), new Date('2026-10-26T01:30:00Z')]) {
      const times = [daysBefore(now, 9), daysBefore(now, 7, -1), daysBefore(now, 7), daysBefore(now, 7, 1), now];
      const id = await deployWith(times, { retention_days: 7 });
      await service.db.raw("SET TIME ZONE 'Europe/Berlin'");
      expect([await expire(id, now), await numbersOf(id)]).toEqual([2, [3, 4, 5]]);
      expect([await expire(id, new Date(now.getTime() + 1)), await numbersOf(id)]).toEqual([1, [4, 5]]);
      expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(2);
    }
  });

  it('keeps everything when it is null, also when it becomes so before the statement that deletes', async () => {
    const now = new Date();
    const id = await deployWith([daysBefore(now, 4_000)]);
    expect([await expire(id, now), await numbersOf(id)]).toEqual([0, [1]]);
    await owner.change(id, { retention_days: 1 });
    await service.db.transaction(async (transaction) => {
      await transaction('deployments').where({ id }).update({ retention_days: null });
      const expiring = expire(id, now);
      const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await expect.poll(async () => (await service.db.raw(waiting)).rows).toHaveLength(1);
      await transaction.commit();
      expect(await expiring).toBe(0);
    });
    expect(await numbersOf(id)).toEqual([1]);
  });

  it('deletes within a day what is older, with files, marks and pending deliveries, of deleted deployments too', async () => {
    // Deployments of the tests before have a retention, too.
    await service.db('deployments').update({ retention_days: null });
    const receiver = await startReceiver((response) => void response.writeHead(500).end());
    const { id } = await owner.deploy();
    await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    const submit = async (content: string): Promise<string> => {
      const form = service.anonymous.post(`/submit/${id}`).attach('upload', Buffer.from(content), 'a.bin');
      return (await form.expect(200)).body.id;
    };
    const [old, kept] = [await submit('old'), await submit('kept')];
    await owner.mark(id, 'star', [old, kept]);
    const waiting = () => service.db('deliveries').where({ status: 'pending', leased: false });
    await expect.poll(waiting).toHaveLength(2);
    const now = new Date();
    await service
      .db('submissions')
      .where({ id: old })
      .update({ created_at: daysBefore(now, 31) });
    await owner.change(id, { retention_days: 30 });
    const deleted = await deployWith([daysBefore(now, 31), now], { retention_days: 30 });
    await owner.delete(`/deploy/${deleted}`).expect(200);
    const others = await deployWith([daysBefore(now, 31), now]);
    const { body: file } = await owner.get(`/submissions/${id}/${kept}`);

    const other = await service.another();
    await expect.poll(async () => [await numbersOf(id), await numbersOf(deleted)]).toEqual([[2], [2]]);
    expect(await numbersOf(others)).toEqual([1, 2]);
    await service.db('deliveries').where({ deployment_id: id }).update({ next_attempt_at: now });
    const left = () => service.db('deliveries').where({ deployment_id: id }).pluck('submission_id');
    await expect.poll(left).toEqual([kept]);
    expect((await owner.get(`/submissions/${id}`)).body).toMatchObject({ total: 1, submissions: [{ id: kept }] });
    expect(await service.db('submission_files').where({ deployment_id: id })).toMatchObject([{ submission_id: kept }]);
    expect(await service.db('submission_marks').where({ deployment_id: id })).toMatchObject([{ number: 2 }]);
    expect((await owner.get(file.data.upload.url).expect(200)).body.toString()).toBe('kept');
    expect((await owner.get('/trash')).body.deployments).toMatchObject([{ id: deleted, submission_count: 1 }]);
    const metrics = await other.exposeMetrics().metrics();
    expect(metrics).toMatch(/^formhost_expired_submissions_total 2$/m);
  });

  it('is harmless where two processes delete at once, beside the owner and new submissions', async () => {
    const now = new Date();
    const id = await deployWith(Array.from({ length: 500 }, (_, n) => daysBefore(now, 10, n)).concat(now), {
      retention_days: 2,
    });
    const ids = (await service.db('submissions').where({ deployment_id: id }).limit(100).offset(200).select('id')).map(
      (row) => row.id,
    );
    const [first, second, { body }] = await Promise.all([
      expire(id, now),
      expire(id, now),
      owner.post(`/submissions/${id}/bulk`).send({ action: 'delete', ids }),
      fetch(`${service.url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) }),
    ]);
    expect(first + second + body.done).toBe(500);
    expect(await numbersOf(id)).toEqual([501, 502]);
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(2);
  });
});
