import { describe, expect, it } from 'vitest';
import { removeExpiredTrash, removeOldTrash } from '../../../src/db/submissions/trashed-submission-queries.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { asOwner, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const { signal } = new AbortController();

/** A deployment with submissions, oldest first, a minute between them. */
async function deployWith(count: number, first = Date.UTC(2026, 0, 1)): Promise<{ id: string; ids: string[] }> {
  const { id } = await owner.deploy();
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const times = numbers.map((n) => new Date(first + n * 60_000));
  await storeTexts(
    service.db,
    id,
    numbers.map((n) => `{"n":${n},"x":1.10}`),
    { times },
  );
  return { id, ids: numbers.map((n) => storedId(id, n)) };
}

const idsIn = ({ body }: { body: { submissions: { id: string }[] } }): string[] => body.submissions.map(({ id }) => id);
const listed = async (id: string): Promise<string[]> => idsIn(await owner.get(`/submissions/${id}`).expect(200));
const trashed = async (id: string): Promise<string[]> => idsIn(await owner.get(`/submissions/${id}/trash`).expect(200));
const remove = (id: string, one = '') => owner.delete(`/submissions/${id}/${one}`);
const restore = (id: string, one = '') => owner.post(`/submissions/${id}/trash/${one}/restore`);
const erase = (id: string, one = '') => owner.delete(`/submissions/${id}/trash/${one}`);
const countOf = async (id: string): Promise<number> => (await owner.get(`/deploy/${id}`)).body.submission_count;
const rows = (table: string, id: string) => service.db(table).where({ deployment_id: id }).orderBy('number');

/** A deployment with a submission that has a file; the path of the file. */
async function deployWithFile(): Promise<{ id: string; submission: string; file: string }> {
  const { id } = await owner.deploy();
  await service.anonymous.post(`/submit/${id}`).attach('upload', Buffer.from('content'), 'a.txt').expect(200);
  const [{ id: submission, data }] = (await owner.get(`/submissions/${id}`)).body.submissions;
  return { id, submission, file: data.upload.url };
}

const filesOf = (id: string) => service.db('submission_files').where({ deployment_id: id }).select('id');

describe('GET /submissions/:deployId/trash', () => {
  it('has what was deleted, the last first, in pages, with its data as it was sent', async () => {
    const { id, ids } = await deployWith(5);
    expect((await owner.get(`/submissions/${id}/trash`)).body).toEqual({
      ...{ submissions: [], total: 0, page: 1, limit: 50 },
    });
    for (const n of [1, 3, 0]) await remove(id, ids[n]).expect(200);
    await owner.mark(id, 'delete', [ids[2], ids[4], ids[4], ids[3]]).expect(200);
    const { text, body } = await owner.get(`/submissions/${id}/trash?limit=2`);
    expect(body).toEqual({
      submissions: [4, 2].map((n) => ({
        ...{ id: ids[n], data: { n: n + 1, x: 1.1 }, ip_address: '192.0.2.1' },
        ...{ created_at: new Date(Date.UTC(2026, 0, 1, 0, n + 1)).toISOString(), deleted_at: aTime },
      })),
      ...{ total: 5, page: 1, limit: 2 },
    });
    expect(text).toContain('"data":{"n":5,"x":1.10}');
    expect(idsIn(await owner.get(`/submissions/${id}/trash?limit=2&page=2`))).toEqual([ids[0], ids[3]]);
    expect(await trashed(id)).toEqual([4, 2, 0, 3, 1].map((n) => ids[n]));
    expect([await listed(id), await countOf(id)]).toEqual([[], 0]);
    expect((await owner.get(`/submissions/${id}/trash?page=0`)).status).toBe(400);
  });

  it('is one of the owner, of a live deployment', async () => {
    const { id, ids } = await deployWith(1);
    await remove(id, ids[0]).expect(200);
    const other = await service.owner();
    const { body: reading } = await owner.post('/keys').send({ name: 'r', scope: 'read' });
    const reader = asOwner(service.url, reading.key);
    const paths = (of: string): string[] => [`/submissions/${of}/trash`, `/submissions/${of}/trash/${ids[0]}/restore`];
    const [list = '', restoring = ''] = paths(id);
    expect(answer(await other.get(list))).toEqual(refused(404));
    expect(answer(await other.post(restoring))).toEqual(refused(404));
    expect(answer(await other.delete(`${list}/${ids[0]}`))).toEqual(refused(404));
    expect(answer(await owner.get(`/submissions/${UNKNOWN_ID}/trash`))).toEqual(refused(404));
    expect([(await reader.get(list)).status, (await reader.post(restoring)).status]).toEqual([200, 403]);
    expect((await reader.delete(`${list}/${ids[0]}`)).status).toBe(403);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(answer(await owner.get(list))).toEqual(refused(404));
    expect(answer(await owner.post(restoring))).toEqual(refused(404));
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    expect(await trashed(id)).toEqual(ids);
  });

  it('is in no list, search, export, stream, count or statistic of submissions', async () => {
    const { id, ids } = await deployWith(3, Date.now() - 3_600_000);
    await remove(id, ids[1]).expect(200);
    const left = [ids[2], ids[0]];
    expect(idsIn(await owner.get(`/submissions/${id}/search`))).toEqual(left);
    expect(idsIn(await owner.get(`/submissions/${id}/after/0`))).toEqual(left.toReversed());
    for (const format of ['csv', 'ndjson']) {
      expect((await owner.get(`/submissions/${id}/export.${format}`)).text).not.toContain(ids[1]);
    }
    expect((await owner.get(`/deploy/${id}/stats`)).body.total).toBe(2);
    const { body } = await owner.get(`/overview/${id}`);
    expect([body.submission_count, body.unread]).toEqual([2, 2]);
    for (const path of ['', '/deliveries']) {
      expect((await owner.get(`/submissions/${id}/${ids[1]}${path}`)).status).toBe(404);
    }
    expect((await owner.patch(`/submissions/${id}/${ids[1]}`).send({ read: true })).status).toBe(404);
    expect((await owner.mark(id, 'read', [ids[1]])).body).toEqual({ done: 0 });
  });
});

describe('POST /submissions/:deployId/trash/:submissionId/restore', () => {
  it('brings it back as it was: id, number, data, time, marks, note and status', async () => {
    const { id, ids } = await deployWith(4);
    await owner.patch(`/submissions/${id}/${ids[1]}`).send({ starred: true, note: 'Ä\n', status: 'done' });
    await owner.patch(`/submissions/${id}/${ids[2]}`).send({ read: true });
    const before = [await rows('submissions', id), await rows('submission_marks', id)];
    const search = (await owner.get(`/submissions/${id}/search`)).text;
    await owner.mark(id, 'delete', ids).expect(200);
    const fifth = await service.submit(id);
    expect(answer(await restore(id, ids[1]))).toEqual({
      status: 200,
      body: { message: 'Submission restored', id: ids[1] },
    });
    expect([await listed(id), await countOf(id)]).toEqual([[fifth, ids[1]], 2]);
    for (const n of [3, 0, 2]) await restore(id, ids[n]).expect(200);
    await owner.delete(`/submissions/${id}/${fifth}?permanent=1`).expect(200);
    expect([await rows('submissions', id), await rows('submission_marks', id)]).toEqual(before);
    expect((await owner.get(`/submissions/${id}/search`)).text).toBe(search);
    expect([await trashed(id), (await owner.get(`/overview/${id}`)).body.unread]).toEqual([[], 3]);
    for (const gone of [ids[1], fifth, 'x', 'sub_000000000000000000000000']) {
      expect(answer(await restore(id, gone))).toEqual(refused(404));
    }
    expect((await service.db('deployments').where({ id }).first()).last_submission_number).toBe(5);
  });

  it('needs a free place, which the deletion frees at once, and no open form', async () => {
    const { id } = await owner.deploy();
    await owner.change(id, { max_submissions: 1 });
    const first = await service.submit(id);
    await remove(id, first).expect(200);
    const second = await service.submit(id);
    expect(answer(await restore(id, first))).toEqual(refused(403));
    expect([await listed(id), await trashed(id)]).toEqual([[second], [first]]);
    await remove(id, second).expect(200);
    await owner.change(id, { closes_at: '2020-01-01T00:00:00Z' });
    await restore(id, first).expect(200);
    expect(answer(await restore(id, second))).toEqual(refused(403));
    await owner.change(id, { max_submissions: null, opens_at: '2019-01-01T00:00:00Z' });
    await restore(id, second).expect(200);
    expect(await listed(id)).toEqual([second, first]);
  });

  it('delivers nothing again, and ends what was to be sent', async () => {
    const received: unknown[] = [];
    const receiver = await startReceiver((response, { headers }) => {
      received.push(headers['formhost-submission-id']);
      response.writeHead(500).end();
    });
    const { id } = await owner.deploy();
    const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    const log = async () => (await owner.get(`/webhooks/${id}/${webhook.id}/deliveries`)).body.deliveries;
    const [kept, gone] = [await service.submit(id), await service.submit(id)];
    await expect.poll(() => received.length).toBe(2);
    await expect.poll(async () => (await log()).map((one: { attempts: number }) => one.attempts)).toEqual([1, 1]);
    await remove(id, gone).expect(200);
    await restore(id, gone).expect(200);
    expect((await log()).map((one: { submission_id: string }) => one.submission_id)).toEqual([kept]);
    // The retry of the one that stays shows that the other would have had its turn.
    await service
      .db('deliveries')
      .where({ deployment_id: id })
      .update({ next_attempt_at: new Date(0) });
    await expect.poll(() => received.length).toBe(3);
    expect(received[2]).toBe(kept);
  });

  it('brings its files back, which cannot be read while it is in the trash', async () => {
    const { id, submission, file } = await deployWithFile();
    await remove(id, submission).expect(200);
    expect([(await owner.get(file)).status, await filesOf(id)]).toEqual([404, [{ id: expect.any(String) }]]);
    await restore(id, submission).expect(200);
    expect((await owner.get(file).expect(200)).text).toBe('content');
  });

  it('is safe among others of its kind, deletions, erasures and submissions, over two processes', async () => {
    const { id, ids } = await deployWith(12);
    const there = asOwner((await service.another()).url, owner.key);
    await owner.mark(id, 'delete', ids.slice(0, 8)).expect(200);
    const both = [owner, there];
    const requests = [
      ...ids.slice(0, 8).flatMap((one) => both.map((who) => who.post(`/submissions/${id}/trash/${one}/restore`))),
      ...ids.slice(4, 8).map((one) => there.delete(`/submissions/${id}/trash/${one}`)),
      ...ids.flatMap((one) => owner.delete(`/submissions/${id}/${one}`)),
      ...ids.slice(8).map((one) => there.delete(`/submissions/${id}/${one}`)),
      ...ids.slice(8).map((one) => there.patch(`/submissions/${id}/${one}`).send({ note: one })),
    ];
    const answers = await Promise.all(requests);
    expect(answers.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    const restored = ids.slice(0, 8).map((_, n) => answers.slice(2 * n, 2 * n + 2).filter((one) => one.status === 200));
    // One of two restores it, unless it was erased; after a deletion the second may restore it again.
    expect(restored.slice(0, 4).every((some) => some.length > 0)).toBe(true);
    const [live, gone] = [await listed(id), await trashed(id)];
    expect([await countOf(id), new Set([...live, ...gone]).size]).toEqual([live.length, live.length + gone.length]);
    const erased = answers.slice(16, 20).filter(({ status }) => status === 200).length;
    expect(live.length + gone.length).toBe(12 - erased);
    for (const one of gone) await restore(id, one).expect(200);
    // No acknowledged note is lost.
    const noted = answers.slice(-4).flatMap((one, n) => (one.status === 200 ? [ids[8 + n]] : []));
    const { body } = await owner.get(`/submissions/${id}/search`);
    const notes = body.submissions.flatMap((one: { note: string }) => (one.note === '' ? [] : [one.note]));
    expect(notes.toSorted()).toEqual(noted.toSorted());
  });
});

describe('erasing', () => {
  it('DELETE …/trash/:submissionId takes it from the trash, with its files', async () => {
    const { id, submission } = await deployWithFile();
    expect(answer(await erase(id, submission))).toEqual(refused(404));
    await remove(id, submission).expect(200);
    expect(answer(await erase(id, submission))).toEqual({
      status: 200,
      body: { message: 'Submission deleted for good', id: submission },
    });
    expect([await trashed(id), await filesOf(id), await rows('trashed_submissions', id)]).toEqual([[], [], []]);
    expect([(await erase(id, submission)).status, (await restore(id, submission)).status]).toEqual([404, 404]);
  });

  it('DELETE …?permanent=1 passes the trash over', async () => {
    const { id, submission } = await deployWithFile();
    for (const wrong of ['0', 'true', '', '1&permanent=1']) {
      expect(answer(await owner.delete(`/submissions/${id}/${submission}?permanent=${wrong}`))).toEqual(refused(400));
    }
    expect(answer(await owner.delete(`/submissions/${id}/${submission}?permanent=1`))).toEqual({
      status: 200,
      body: { message: 'Submission deleted', id: submission },
    });
    expect([await trashed(id), await filesOf(id), await listed(id)]).toEqual([[], [], []]);
  });

  it('comes after seven days, at which it can no longer be restored', async () => {
    const { id, submission, file } = await deployWithFile();
    const { id: other, ids } = await deployWith(250);
    await remove(id, submission).expect(200);
    await owner.mark(other, 'delete', ids).expect(200);
    const age = (of: string, interval: string) =>
      service.db.raw(
        'UPDATE trashed_submissions SET deleted_at = now() - CAST(? AS interval) WHERE deployment_id = ?',
        [interval, of],
      );
    await age(id, '6 days 23 hours');
    await removeOldTrash(service.db, signal);
    expect(await trashed(id)).toEqual([submission]);
    await age(id, '7 days');
    await age(other, '8 days');
    expect([await trashed(id), (await restore(id, submission)).status]).toEqual([[], 404]);
    await age(id, '7 days 2 minutes');
    await removeOldTrash(service.db, signal);
    expect([await rows('trashed_submissions', id), await filesOf(id)]).toEqual([[], []]);
    expect([await rows('trashed_submissions', other), (await owner.get(file)).status]).toEqual([[], 404]);
  });

  it('is what retention_days does, in the list as in the trash', async () => {
    const now = new Date();
    const { id, ids } = await deployWith(230, now.getTime() - 2 * 24 * 3_600_000);
    const { id: kept, ids: keptIds } = await deployWith(2, now.getTime() - 9 * 24 * 3_600_000);
    await owner.mark(kept, 'delete', keptIds).expect(200);
    const young = await service.submit(id);
    await owner.mark(id, 'delete', [...ids.slice(0, 210), young]).expect(200);
    await owner.change(id, { retention_days: 1 });
    await removeExpiredTrash(service.db, now, signal);
    expect([await trashed(id), (await listed(id)).length, await trashed(kept)]).toEqual([
      [young],
      20,
      keptIds.toReversed(),
    ]);
  });

  it('comes with the deployment', async () => {
    const { id, submission } = await deployWithFile();
    await remove(id, submission).expect(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.delete(`/trash/${id}`).expect(200);
    await expect.poll(() => service.db('deployments').where({ id })).toEqual([]);
    expect([await rows('trashed_submissions', id), await filesOf(id)]).toEqual([[], []]);
  });
});
