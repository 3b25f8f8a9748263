import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { answer, aTime } from '../../support/answers.ts';
import { inParallel } from '../../support/figures.ts';
import { asOwner, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

/** A deployment and the ids of its submissions, oldest first. */
async function filled(count: number): Promise<{ id: string; ids: string[] }> {
  const { id } = await owner.deploy();
  const ids: string[] = [];
  while (ids.length < count) ids.push(await service.submit(id, JSON.stringify({ n: ids.length + 1 })));
  return { id, ids };
}

describe('ip_address', () => {
  /** The listed address of a submission with this X-Forwarded-For, at a service with these settings. */
  async function addressOf(url: string, forwarded: string, more: Record<string, string> = {}): Promise<string> {
    const { id } = await owner.deploy();
    await request(url)
      .post(`/submit/${id}`)
      .set({ 'X-Forwarded-For': forwarded, ...more })
      .send({})
      .expect(200);
    return (await owner.get(`/submissions/${id}`)).body.submissions[0]?.ip_address ?? '';
  }

  it('is what a proxy says only where TRUST_PROXY says so', async () => {
    const forwarded = '198.51.100.1, 203.0.113.7';
    expect(await addressOf(service.url, forwarded, { Forwarded: 'for=203.0.113.1', 'X-Real-IP': '203.0.113.1' })).toBe(
      '127.0.0.1',
    );
    const { url } = await service.another({ TRUST_PROXY: '127.0.0.0/8' });
    expect(await addressOf(url, forwarded)).toBe('203.0.113.7');
  });
});

describe('GET /submissions/:deployId/:submissionId', () => {
  it('answers the submission with the fields of the list and its text', async () => {
    const text = '{ "b" : 1.10, "b":12345678901234567890,\n"\\u0000":"\\ud800", "__proto__":[ ],"10":1,"2":2}';
    const { id } = await owner.deploy();
    const submissionId = await service.submit(id, text);
    const response = await owner.get(`/submissions/${id}/${submissionId}`);
    const listed = (await owner.get(`/submissions/${id}`)).text;
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(listed).toBe(`{"submissions":[${response.text}],"total":1,"page":1,"limit":50}`);
    expect(response.text).toContain(`"data":${text},`);
    expect(response.body).toStrictEqual({
      id: submissionId,
      data: JSON.parse(text),
      ip_address: '127.0.0.1',
      created_at: aTime,
    });
  });
});

describe('DELETE /submissions/:deployId/:submissionId', () => {
  it('removes the submission from the list, the count and the database; the others stay as they were', async () => {
    const { id, ids } = await filled(5);
    const before = (await owner.get(`/submissions/${id}`)).body.submissions;
    expect(answer(await owner.delete(`/submissions/${id}/${ids[2]}`))).toStrictEqual({
      status: 200,
      body: { message: 'Submission deleted', id: ids[2] },
    });
    expect((await owner.get(`/submissions/${id}`)).body).toStrictEqual({
      submissions: before.toSpliced(2, 1),
      total: 4,
      page: 1,
      limit: 50,
    });
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(4);
    expect(await service.db('submissions').where({ id: ids[2] })).toEqual([]);
    expect((await owner.delete(`/submissions/${id}/${ids[2]}`)).status).toBe(404);
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(4);
  });

  it('gives no number twice, also when the last is deleted', async () => {
    const { id, ids } = await filled(3);
    await owner.delete(`/submissions/${id}/${ids[2]}`).expect(200);
    const next = await service.submit(id);
    const rows = await service.db('submissions').where({ deployment_id: id }).orderBy('number').select('id', 'number');
    expect(rows).toEqual([
      { id: ids[0], number: 1 },
      { id: ids[1], number: 2 },
      { id: next, number: 4 },
    ]);
  });

  it('counts right among submissions and other deletions, over two processes', async () => {
    const { id, ids } = await filled(10);
    const there = asOwner((await service.another()).url, owner.key);
    await service.db('deployments').where({ id }).update({ recent_submissions: [] });
    const statuses: number[] = [];
    const tasks = [
      ...ids.flatMap((submissionId) =>
        [owner, there].map((who) => () => who.delete(`/submissions/${id}/${submissionId}`)),
      ),
      ...Array.from({ length: 10 }, () => () => owner.send('POST', `/submit/${id}`, '{}')),
    ];
    await inParallel(
      tasks.toSorted(() => Math.random() - 0.5),
      8,
      async (task) => {
        statuses.push((await task()).status);
      },
    );
    expect(statuses.toSorted()).toEqual([...Array(20).fill(200), ...Array(10).fill(404)]);
    const { submissions, total } = (await owner.get(`/submissions/${id}`)).body;
    expect([submissions.length, total]).toEqual([10, 10]);
    expect(await service.db('deployments').where({ id }).first('submission_count', 'last_submission_number')).toEqual({
      submission_count: 10,
      last_submission_number: 20,
    });
  });
});

it('the list of submissions has pages without gaps where some were deleted', async () => {
  const { id, ids } = await filled(12);
  const left = ids.filter((_, index) => ![0, 3, 4, 5, 9, 11].includes(index)).toReversed();
  for (const deleted of ids.filter((one) => !left.includes(one))) {
    await owner.delete(`/submissions/${id}/${deleted}`).expect(200);
  }
  for (const limit of [1, 4, 6, 100]) {
    for (let page = 1; (page - 1) * limit <= left.length; page += 1) {
      const { body } = await owner.get(`/submissions/${id}?page=${page}&limit=${limit}`);
      expect([body.total, body.submissions.map((submission: { id: string }) => submission.id)]).toEqual([
        left.length,
        left.slice((page - 1) * limit, page * limit),
      ]);
    }
  }
});
