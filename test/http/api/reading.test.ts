import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, aTime, refused } from '../../support/answers.ts';
import { inParallel } from '../../support/figures.ts';
import { asOwner, type Owner, startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

/** Submits this text; the submission's id. */
async function submit(id: string, text = '{}'): Promise<string> {
  await service.db('deployments').where({ id }).update({ recent_submissions: [] });
  const { status, body } = await owner.send('POST', `/submit/${id}`, text);
  expect([status, body]).toEqual([200, { message: expect.any(String), id: expect.any(String) }]);
  return (await service.db('submissions').where({ deployment_id: id }).orderBy('number', 'desc').first('id')).id;
}

/** A deployment and the ids of its submissions, oldest first. */
async function filled(count: number): Promise<{ id: string; ids: string[] }> {
  const { id } = await owner.deploy();
  const ids: string[] = [];
  while (ids.length < count) ids.push(await submit(id, JSON.stringify({ n: ids.length + 1 })));
  return { id, ids };
}

describe('GET /deploy', () => {
  it('answers a page of live deployments, newest first, each as its status', async () => {
    const who = await service.owner();
    const deployed = [await who.deploy(), await who.deploy(), await who.deploy(), await who.deploy()];
    await owner.deploy();
    await who.delete(`/deploy/${deployed[1]?.id}`).expect(200);
    await submit(deployed[2]?.id ?? '');
    const statuses = await Promise.all(
      [3, 2, 0].map(async (index) => (await who.get(`/deploy/${deployed[index]?.id}`).expect(200)).body),
    );
    const response = await who.get('/deploy');
    expect([response.status, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(response.body).toStrictEqual({ deployments: statuses, total: 3, page: 1, limit: 50 });
    expect((await who.get('/deploy?page=2&limit=2')).body).toStrictEqual({
      deployments: statuses.slice(2),
      total: 3,
      page: 2,
      limit: 2,
    });
    expect((await who.get('/deploy?page=2147483647&limit=500')).body).toStrictEqual({
      deployments: [],
      total: 3,
      page: 2_147_483_647,
      limit: 100,
    });
  });
});

it('GET /deploy/:id/html answers the HTML as it was given', async () => {
  const html = '\ufeff<form action="{{FORM_ACTION}}">a\0b\r\nc\rd\ne\u2028"\\u0041"ä€😀\u{10ffff}\uffff</form>';
  const { id } = await owner.deploy({ html });
  expect(answer(await owner.get(`/deploy/${id}/html`))).toStrictEqual({ status: 200, body: { html } });
});

describe('GET /submissions/:deployId/:submissionId', () => {
  it('answers the submission with the fields of the list and its text', async () => {
    const text = '{ "b" : 1.10, "b":12345678901234567890,\n"\\u0000":"\\ud800", "__proto__":[ ],"10":1,"2":2}';
    const { id } = await owner.deploy();
    const submissionId = await submit(id, text);
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
    const next = await submit(id);
    const rows = await service.db('submissions').where({ deployment_id: id }).orderBy('number').select('id', 'number');
    expect(rows).toEqual([
      { id: ids[0], number: 1 },
      { id: ids[1], number: 2 },
      { id: next, number: 4 },
    ]);
  });

  it('frees no place under the rate limit', async () => {
    const { id } = await owner.deploy();
    const post = () => owner.send('POST', `/submit/${id}`, '{}');
    for (let n = 0; n < 10; n += 1) expect((await post()).status).toBe(200);
    for (const { id: submissionId } of (await owner.get(`/submissions/${id}`)).body.submissions) {
      await owner.delete(`/submissions/${id}/${submissionId}`).expect(200);
    }
    expect(await post()).toEqual(refused(429));
  });

  it('ends its pending deliveries', async () => {
    const { id } = await owner.deploy();
    await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/' }).expect(201);
    const submissionId = await submit(id);
    const deliveries = () => service.db('deliveries').where({ submission_id: submissionId });
    expect(await deliveries()).toHaveLength(1);
    await owner.delete(`/submissions/${id}/${submissionId}`).expect(200);
    await expect.poll(deliveries).toEqual([]);
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
