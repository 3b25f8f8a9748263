import { describe, expect, it } from 'vitest';
import { answer, refused } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { asOwner, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const there = asOwner((await service.another()).url, owner.key);

/** A deployment with submissions, oldest first, a minute between them. */
async function deployWith(count: number): Promise<{ id: string; ids: string[] }> {
  const { id } = await owner.deploy();
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const times = numbers.map((n) => new Date(Date.UTC(2026, 0, 1) + n * 60_000));
  const texts = numbers.map((n) => `{"guests":"${n}","x":1.10}`);
  await storeTexts(service.db, id, texts, { times });
  return { id, ids: numbers.map((n) => storedId(id, n)) };
}

const idsIn = ({ body }: { body: { submissions: { id: string }[] } }): string[] => body.submissions.map(({ id }) => id);
const listed = async (id: string): Promise<string[]> => idsIn(await owner.get(`/submissions/${id}`).expect(200));
const spamOf = async (id: string): Promise<string[]> => idsIn(await owner.get(`/deploy/${id}/spam`).expect(200));
const restore = (id: string, one = '', who = owner) => who.post(`/deploy/${id}/spam/${one}/restore`);
const release = (id: string, one = '', who = owner) => who.post(`/deploy/${id}/spam/${one}/release`);
const countOf = async (id: string): Promise<number> => (await owner.get(`/deploy/${id}`)).body.submission_count;
const rows = (table: string, id: string) => service.db(table).where({ deployment_id: id }).orderBy('number');
/** A deployment with a word that is spam, and how to submit it; the id of what was kept. */
async function deployWithSpam(count: number, settings: object = {}): Promise<{ id: string; ids: string[] }> {
  const { id } = await owner.deploy();
  await owner.change(id, { spam: { blocklist: ['casino'] }, submissions_per_minute: 100, ...settings }).expect(200);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await service.submit(id, '{"a":"casino"}'));
  return { id, ids };
}

describe('POST /deploy/:id/spam/:submissionId/restore', () => {
  it('brings what was marked back as it was: id, number, data, time, marks, note and status', async () => {
    const { id, ids } = await deployWith(4);
    await owner.patch(`/submissions/${id}/${ids[1]}`).send({ starred: true, note: 'Ä\n', status: 'done' });
    await owner.patch(`/submissions/${id}/${ids[2]}`).send({ read: true });
    const before = [await rows('submissions', id), await rows('submission_marks', id)];
    const search = (await owner.get(`/submissions/${id}/search`)).text;
    await owner.mark(id, 'spam', ids).expect(200);
    const fifth = await service.submit(id);
    expect(answer(await restore(id, ids[1]))).toEqual({
      status: 200,
      body: { message: 'Submission restored', id: ids[1] },
    });
    expect([await listed(id), await countOf(id)]).toEqual([[fifth, ids[1]], 2]);
    for (const n of [3, 0, 2]) await restore(id, ids[n]).expect(200);
    expect(idsIn(await owner.get(`/submissions/${id}/after/4`))).toEqual([fifth]);
    await owner.delete(`/submissions/${id}/${fifth}?permanent=1`).expect(200);
    expect([await rows('submissions', id), await rows('submission_marks', id)]).toEqual(before);
    expect((await owner.get(`/submissions/${id}/search`)).text).toBe(search);
    expect([await spamOf(id), (await owner.get(`/overview/${id}`)).body.unread]).toEqual([[], 3]);
    expect((await owner.get(`/deploy/${id}/stats?from=2026-01-01&to=2026-01-02`)).body.total).toBe(4);
    for (const gone of [ids[1], fifth, 'x', 'sub_000000000000000000000000']) {
      expect(answer(await restore(id, gone))).toEqual(refused(404));
    }
  });

  it('is a 409 for what came as spam, also once it was released and deleted from there', async () => {
    const { id, ids } = await deployWithSpam(2);
    const refusal = await restore(id, ids[0]);
    expect([refusal.status, refusal.headers['error-code']]).toEqual([409, 'never-accepted']);
    expect(await spamOf(id)).toEqual(ids.toReversed());
    // Once it was accepted, there is something to bring back.
    await release(id, ids[0]).expect(200);
    await owner.mark(id, 'spam', [ids[0] ?? '']).expect(200);
    await restore(id, ids[0]).expect(200);
    await owner.delete(`/deploy/${id}/spam/${ids[1]}`).expect(200);
    expect(answer(await restore(id, ids[1]))).toEqual(refused(404));
  });

  it('is for the owner of a live deployment, with a key that may change', async () => {
    const { id, ids } = await deployWith(1);
    await owner.mark(id, 'spam', ids).expect(200);
    const other = await service.owner();
    const reader = asOwner(service.url, (await owner.post('/keys').send({ name: 'r', scope: 'read' })).body.key);
    expect(answer(await restore(id, ids[0], other))).toEqual(refused(404));
    expect(answer(await restore(UNKNOWN_ID, ids[0]))).toEqual(refused(404));
    expect((await reader.post(`/deploy/${id}/spam/${ids[0]}/restore`)).status).toBe(403);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(answer(await restore(id, ids[0]))).toEqual(refused(404));
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    await restore(id, ids[0]).expect(200);
  });

  it('delivers nothing again, and ends what was to be sent, where a release delivers', async () => {
    const received: unknown[] = [];
    const receiver = await startReceiver((response, { headers }) => {
      received.push(headers['formhost-submission-id']);
      response.writeHead(500).end();
    });
    const { id } = await owner.deploy();
    const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    const log = async () => (await owner.get(`/webhooks/${id}/${webhook.id}/deliveries`)).body.deliveries;
    const [restored, released] = [await service.submit(id), await service.submit(id)];
    await expect.poll(async () => (await log()).map((one: { attempts: number }) => one.attempts)).toEqual([1, 1]);
    await owner.mark(id, 'spam', [restored, released]).expect(200);
    await restore(id, restored).expect(200);
    expect(await log()).toEqual([]);
    await release(id, released).expect(200);
    await expect.poll(() => received.length).toBe(3);
    expect(received[2]).toBe(released);
    expect(await listed(id)).toEqual([released, restored]);
  });

  it('brings its files back', async () => {
    const { id } = await owner.deploy();
    await service.anonymous.post(`/submit/${id}`).attach('upload', Buffer.from('content'), 'a.txt').expect(200);
    const [{ id: one, data }] = (await owner.get(`/submissions/${id}`)).body.submissions;
    await owner.mark(id, 'spam', [one]).expect(200);
    await restore(id, one).expect(200);
    expect((await owner.get(data.upload.url).expect(200)).text).toBe('content');
  });

  it('loses no mark that was acknowledged, and restores once, over two processes', async () => {
    const { id, ids } = await deployWith(8);
    const marked = await Promise.all([
      ...ids.map((one) => there.patch(`/submissions/${id}/${one}`).send({ note: one })),
      ...ids.map((one) => owner.mark(id, 'spam', [one])),
    ]);
    const noted = ids.filter((_, n) => marked[n]?.status === 200);
    const answers = await Promise.all(
      ids.flatMap((one) => [restore(id, one), restore(id, one, there), owner.mark(id, 'read', [one])]),
    );
    const restored = ids.map((_, n) => answers.slice(3 * n, 3 * n + 2).map(({ status }) => status));
    expect(restored.map((statuses) => statuses.toSorted())).toEqual(ids.map(() => [200, 404]));
    const { body } = await owner.get(`/submissions/${id}/search`);
    expect(body.submissions.map((one: { id: string }) => one.id)).toEqual(ids.toReversed());
    const notes: [string, string][] = body.submissions.map((one: { id: string; note: string }) => [one.id, one.note]);
    // One that was moved between its change and its answer is a 404, and has its note.
    expect(notes.filter(([one, note]) => (noted.includes(one) ? note !== one : ![one, ''].includes(note)))).toEqual([]);
    expect([await countOf(id), await spamOf(id)]).toEqual([8, []]);
  });
});

describe('the places of what leaves the spam folder', () => {
  it('have to be free: a release and a restoring are 403s where they are not, and change nothing', async () => {
    const { id, ids } = await deployWithSpam(2, { max_submissions: 2 });
    const [first, second] = [await service.submit(id), await service.submit(id)];
    const refusal = await release(id, ids[0]);
    expect([refusal.status, refusal.headers['error-code']]).toEqual([403, 'no-free-place']);
    expect([await listed(id), await spamOf(id)]).toEqual([[second, first], ids.toReversed()]);
    await owner.mark(id, 'spam', [first]).expect(200);
    await release(id, ids[0]).expect(200);
    expect(answer(await restore(id, first))).toEqual(refused(403));
    expect(answer(await release(id, first))).toEqual(refused(403));
    await owner.delete(`/submissions/${id}/${second}`).expect(200);
    // Neither a form that is closed nor its limit of a minute refuses.
    await owner.change(id, { closes_at: '2020-01-01T00:00:00Z', submissions_per_minute: 1 }).expect(200);
    await restore(id, first).expect(200);
    await owner.change(id, { max_submissions: null }).expect(200);
    await release(id, ids[1]).expect(200);
    expect(await listed(id)).toEqual([ids[1], ids[0], first]);
  });

  it('are as many as the field for them says', async () => {
    const { id, ids } = await deployWith(5);
    await owner.change(id, { max_submissions: 9, places_field: 'guests' }).expect(200);
    await owner.mark(id, 'spam', [ids[3] ?? '', ids[4] ?? '']).expect(200);
    expect((await owner.get(`/overview/${id}`)).body.places).toEqual({ taken: 6, of: 9 });
    for (const one of [ids[3], ids[4]]) expect(answer(await restore(id, one))).toEqual(refused(403));
    for (const one of [ids[3], ids[4]]) expect(answer(await release(id, one))).toEqual(refused(403));
    await owner.delete(`/submissions/${id}/${ids[0]}`).expect(200);
    await restore(id, ids[3]).expect(200);
    expect((await owner.get(`/overview/${id}`)).body).toMatchObject({ places: { taken: 9, of: 9 }, state: 'full' });
  });

  it('are exact over all processes, while others are submitted', async () => {
    const { id, ids } = await deployWithSpam(12, { max_submissions: 7 });
    const answers = await Promise.all([
      ...ids.map((one, n) => release(id, one, n % 2 === 0 ? owner : there)),
      ...ids.map(() => service.anonymous.post(`/submit/${id}`).send({ a: 1 })),
    ]);
    expect(answers.filter(({ status }) => status === 200).length).toBe(7);
    expect(answers.filter(({ status }) => ![200, 403].includes(status))).toEqual([]);
    const released = answers.slice(0, 12).filter(({ status }) => status === 200).length;
    expect([await countOf(id), (await listed(id)).length, (await spamOf(id)).length]).toEqual([7, 7, 12 - released]);
  });
});
