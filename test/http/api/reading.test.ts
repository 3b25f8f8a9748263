import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteSubmissions } from '../../../src/db/submissions/submissions.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { inParallel } from '../../support/figures.ts';
import { startReceiver } from '../../support/receivers.ts';
import { asOwner, type Owner, startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService({ DELIVERY_RETRY_DELAYS: '0.3,0.3,0.3', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
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

  it('answers each page of a list of any length, from either end of it', async () => {
    const who = await service.owner();
    const ids: string[] = [];
    for (let count = 1; count <= 7; count += 1) {
      ids.unshift((await who.deploy()).id);
      for (const limit of [1, 2, 3, count, 100]) {
        for (let page = 1; (page - 1) * limit <= count + limit; page += 1) {
          const { body } = await who.get(`/deploy?page=${page}&limit=${limit}`);
          expect([body.total, body.deployments.map(({ id }: { id: string }) => id)]).toEqual([
            count,
            ids.slice((page - 1) * limit, page * limit),
          ]);
          const seen = await who.get(`/overview?page=${page}&limit=${limit}`);
          expect(seen.body.deployments.map(({ id }: { id: string }) => id)).toEqual(
            body.deployments.map(({ id }: { id: string }) => id),
          );
        }
      }
    }
  });

  it('answers an empty page to who has none', async () => {
    expect(answer(await (await service.owner()).get('/deploy'))).toStrictEqual({
      status: 200,
      body: { deployments: [], total: 0, page: 1, limit: 50 },
    });
  });
});

describe('GET /deploy/:id/html', () => {
  it.each<[string, string]>([
    ['a placeholder, which stays', '<form action="{{FORM_ACTION}}">'],
    ['NUL, and line ends of all kinds', 'a\0b\r\nc\rd\ne\u2028'],
    ['a byte order mark', '\ufeff<p>'],
    ['characters of all planes', '<p>ä€😀\u{10ffff}\uffff</p>'],
    ['what looks like JSON', '"\\u0041"'],
  ])('answers the HTML as it was given: %s', async (_what, html) => {
    const { id } = await owner.deploy({ html });
    const response = await owner.get(`/deploy/${id}/html`);
    expect(answer(response)).toStrictEqual({ status: 200, body: { html } });
    const next = `${html}!`;
    await owner.put(`/deploy/${id}`).send({ html: next }).expect(200);
    expect((await owner.get(`/deploy/${id}/html`)).body).toStrictEqual({ html: next });
  });
});

describe('GET /submissions/:deployId/:submissionId', () => {
  it.each(['{ "b" : 1.10, "b":12345678901234567890,\n"\\u0000":"\\ud800", "__proto__":[ ] }', '{}', '{"10":1,"2":2}'])(
    'answers the submission with the fields of the list and its text: %s',
    async (text) => {
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
    },
  );
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
    const receiver = await startReceiver((response) => {
      response.statusCode = 500;
      response.end();
    });
    const webhook = (await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201)).body.id;
    const submissionId = await submit(id);
    const deliveries = async () =>
      (await owner.get(`/webhooks/${id}/${webhook}/deliveries`)).body.deliveries.map(
        (each: { attempts: number }) => each.attempts,
      );
    await expect.poll(deliveries, { timeout: 60_000 }).toEqual([expect.toSatisfy((attempts) => attempts > 0)]);
    await owner.delete(`/submissions/${id}/${submissionId}`).expect(200);
    await expect.poll(deliveries, { timeout: 60_000 }).toEqual([]);
  });

  it('counts right among submissions and other deletions, over two processes', async () => {
    const { id, ids } = await filled(30);
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
    expect(statuses.toSorted()).toEqual([...Array(40).fill(200), ...Array(30).fill(404)]);
    const { submissions, total } = (await owner.get(`/submissions/${id}`)).body;
    expect([submissions.length, total]).toEqual([10, 10]);
    expect(await service.db('deployments').where({ id }).first('submission_count', 'last_submission_number')).toEqual({
      submission_count: 10,
      last_submission_number: 40,
    });
  });
});

describe('pages of the list, with deletions', () => {
  const COUNT = 40;

  /** Which numbers are deleted: patterns that a rule about holes could be wrong about, and some at random. */
  const patterns: [string, (n: number) => boolean][] = [
    ['the newest', (n) => n > COUNT - 7],
    ['the oldest', (n) => n <= 7],
    ['every other', (n) => n % 2 === 0],
    ['all but every fifth', (n) => n % 5 !== 0],
    ['a run in the middle', (n) => n > 11 && n < 30],
    ['all but one', (n) => n !== 17],
    ['all', () => true],
    ...Array.from({ length: 12 }, (_, index): [string, (n: number) => boolean] => {
      const part = (index + 1) / 13;
      return [`${Math.round(part * 100)} % at random`, () => Math.random() < part];
    }),
  ];

  it.each(patterns)('are those of a plain list: %s', async (_what, isDeleted) => {
    const { id } = await owner.deploy();
    const [{ owner_id: ownerId }] = await service.db('deployments').where({ id }).select('owner_id');
    const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
    await service.db('submissions').insert(
      numbers.map((number) => ({
        deployment_id: id,
        number,
        id: `sub_${id.slice(2)}${number}`,
        data: '{}',
        ip_address: '127.0.0.1',
        created_at: new Date(),
      })),
    );
    await service.db('deployments').where({ id }).update({ submission_count: COUNT, last_submission_number: COUNT });
    const deleted = numbers.filter(isDeleted);
    for (const number of deleted.toSorted(() => Math.random() - 0.5)) {
      expect(await deleteSubmissions(service.db, ownerId, id, [`sub_${id.slice(2)}${number}`])).toBe(1);
    }
    const left = numbers.filter((number) => !deleted.includes(number)).toReversed();
    for (const limit of [1, 2, 3, 7, 10, 39, 100]) {
      for (let page = 1; page <= COUNT / limit + 2; page += 1) {
        const { body } = await owner.get(`/submissions/${id}?page=${page}&limit=${limit}`);
        const shown = { total: body.total, ids: body.submissions.map((submission: { id: string }) => submission.id) };
        const expected = left.slice((page - 1) * limit, page * limit).map((number) => `sub_${id.slice(2)}${number}`);
        expect(shown, `without ${deleted}, page ${page} of ${limit}`).toEqual({ total: left.length, ids: expected });
      }
    }
  });
});
