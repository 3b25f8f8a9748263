import { describe, expect, it } from 'vitest';
import { removeOldTests } from '../../../src/db/submissions/test-submission-queries.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { type Owner, testService } from '../../support/test-service.ts';

const smtp = await testSmtpServer();
const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', SMTP_URL: smtp.url }, undefined, {
  limits: { owners: { testsPerMinute: 1_000 } },
});
const owner = await service.owner();

const test = async (id: string, fields: object = {}): Promise<string> =>
  (await owner.post(`/submissions/${id}/test`).send({ fields }).expect(200)).body.id;

type Found = { submissions: { id: string; test: boolean; [name: string]: unknown }[]; next_cursor: string | null };
const search = async (id: string, query: Record<string, string> = {}): Promise<Found> =>
  (await owner.get(`/submissions/${id}/search?${new URLSearchParams(query)}`).expect(200)).body;
const idsIn = ({ submissions }: Found): string[] => submissions.map((one) => one.id);

/** All ids that a search finds, so many at a time. */
async function all(path: string, limit: number, as: Owner = owner): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: { body: Found } = await as.get(`${path}limit=${limit}${cursor && `&cursor=${cursor}`}`).expect(200);
    found.push(...idsIn(body));
    cursor = body.next_cursor;
  }
  return found;
}

describe('POST /submissions/:deployId/test', () => {
  it('stores a test, whose data is as it was sent, and which only a search lists', async () => {
    const { id } = await owner.deploy();
    const sent = await owner.post(`/submissions/${id}/test`).send({ fields: { name: 'Ada', test: 'no' } });
    const testId = expect.stringMatching(/^sub_[0-9A-Za-z]{24}$/);
    expect(answer(sent)).toEqual({ status: 200, body: { message: 'Test submission received', id: testId } });
    const submission = await service.submit(id, '{"a":"b"}');
    expect(await search(id)).toEqual({
      submissions: [
        expect.objectContaining({ id: submission, test: false }),
        {
          ...{ id: sent.body.id, data: { name: 'Ada', test: 'no' }, ip_address: '127.0.0.1', created_at: aTime },
          ...{ read: false, starred: false, note: '', status: 'open', test: true, form: null, page_version: 1 },
        },
      ],
      ...{ next_cursor: null, searched: 2, total: 1 },
    });
    const { body: inbox } = await owner.get('/inbox');
    expect(inbox.submissions.map((one: { test: boolean }) => one.test)).toEqual([false, true]);
    expect((await owner.get(`/submissions/${id}`)).body).toMatchObject({ submissions: [{ id: submission }], total: 1 });
    expect(idsIn((await owner.get(`/submissions/${id}/after/0`)).body)).toEqual([submission]);
    for (const format of ['csv', 'ndjson'])
      expect((await owner.get(`/submissions/${id}/export.${format}`)).text).not.toContain('Ada');
    expect((await owner.get(`/deploy/${id}/stats`)).body.total).toBe(1);
    expect((await owner.get(`/overview/${id}`)).body).toMatchObject({ submission_count: 1, unread: 1 });
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(1);
  });

  it('works while the form is closed or full, and takes no place, and none of a minute', async () => {
    const { id } = await owner.deploy();
    await owner.change(id, { max_submissions: 1, opens_at: '2099-01-01T00:00:00Z' });
    await test(id);
    await owner.change(id, { opens_at: null });
    for (let n = 0; n < SIZES.submissionRate.max + 1; n += 1) await test(id);
    const post = () => service.anonymous.post(`/submit/${id}`).send({ a: 1 });
    expect((await post()).status).toBe(200);
    expect((await post()).headers['error-code']).toBe('form-full');
    await test(id);
    await owner.change(id, { closes_at: '2020-01-01T00:00:00Z', spam: { captcha: { provider: 'altcha' } } });
    await test(id);
    expect((await search(id)).submissions.filter((one) => one.test)).toHaveLength(SIZES.submissionRate.max + 4);
  });

  it('is delivered as a submission is, with the header formhost-test', async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = [];
    const receiver = await startReceiver((response, request) => {
      received.push({ headers: request.headers, body: String(request.body) });
      response.writeHead(204).end();
    });
    const { id } = await owner.deploy();
    for (const type of ['generic', 'slack'])
      await owner.post(`/webhooks/${id}`).send({ url: receiver.url, type }).expect(201);
    const confirmation = { field: 'email', subject: 'Thanks', text: 'We have it.' };
    await owner.change(id, { email_notifications: true, confirmation });
    const testId = await test(id, { email: 'ada@example.org' });
    await expect.poll(() => received.length).toBe(2);
    await service.submit(id, '{"email":"eve@example.org"}');
    await expect.poll(() => received.length).toBe(4);
    expect(received.map(({ headers }) => headers['formhost-test'])).toEqual(['true', 'true', undefined, undefined]);
    const generic = received.find(({ headers }) => headers['formhost-submission-id'] === testId);
    expect(JSON.parse(generic?.body ?? '')).toEqual({
      ...{ event: 'submission', deployment_id: id, data: { email: 'ada@example.org' }, timestamp: aTime },
    });
    // The submission alone has a confirmation besides.
    await expect.poll(() => smtp.received.length).toBe(3);
    const isTest = smtp.received.map(({ raw, to }) => [
      to.join(),
      readMail(raw)
        .headers.filter(([name]) => name.toLowerCase() === 'formhost-test')
        .map(([, value]) => value),
    ]);
    expect(isTest).toEqual(
      expect.arrayContaining([
        [expect.stringContaining('owner'), ['true']],
        [expect.stringContaining('owner'), []],
        ['eve@example.org', []],
      ]),
    );
    await expect
      .poll(async () => (await service.db('deliveries').where({ submission_id: testId })).map((one) => one.status))
      .toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('refuses values that are no strings, and too many fields', async () => {
    const { id } = await owner.deploy();
    const send = async (fields: unknown) => answer(await owner.post(`/submissions/${id}/test`).send({ fields }));
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '']));
    expect((await send(many(SIZES.submission.maxFields))).status).toBe(200);
    for (const fields of [many(SIZES.submission.maxFields + 1), { n: 1 }, [], 'x'])
      expect(await send(fields)).toEqual(refused(400));
  });

  it('is one of the tests that an owner may send in a minute', async () => {
    const bounded = await testService({}, undefined, { limits: { owners: { testsPerMinute: 3 } } });
    const who = await bounded.owner();
    const { id } = await who.deploy();
    for (let n = 0; n < 3; n += 1) await who.post(`/submissions/${id}/test`).expect(200);
    const { status, headers } = await who.post(`/submissions/${id}/test`);
    expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect((await bounded.anonymous.post(`/submit/${id}`).send({ a: 1 })).status).toBe(200);
  });
});

describe('a test', () => {
  it('is read, marked and deleted by its id, and by many', async () => {
    const { id } = await owner.deploy();
    const [one, two] = [await test(id, { a: 'b' }), await test(id)];
    const submission = await service.submit(id);
    const path = `/submissions/${id}/${one}`;
    expect((await owner.get(path)).body).toEqual({
      ...{ id: one, data: { a: 'b' }, ip_address: '127.0.0.1', created_at: aTime },
    });
    const marks = { note: 'Ä', status: 'done', starred: true };
    const { body } = await owner.patch(path).send(marks).expect(200);
    expect(body).toEqual((await search(id)).submissions.find((shown) => shown.id === one));
    expect(body).toMatchObject({ ...marks, read: false, test: true });
    expect((await owner.mark(id, 'read', [one, two, submission])).body).toEqual({ done: 3 });
    expect((await owner.mark(id, 'read', [one, two, submission])).body).toEqual({ done: 0 });
    await owner.mark(id, 'unread', [two]);
    expect(idsIn(await search(id, { unread: 'true' }))).toEqual([two]);
    expect(idsIn(await search(id, { starred: 'true' }))).toEqual([one]);
    expect(idsIn(await search(id, { status: 'done' }))).toEqual([one]);
    expect(idsIn(await search(id, { status: 'open' }))).toEqual([submission, two]);
    expect(idsIn(await search(id, { q: 'B' }))).toEqual([one]);
    expect((await owner.mark(id, 'spam', [one])).body).toEqual({ done: 0 });
    const other = await service.owner();
    for (const method of ['get', 'delete'] as const) expect(answer(await other[method](path))).toEqual(refused(404));
    expect(answer(await other.patch(path).send({ read: true }))).toEqual(refused(404));
    expect(answer(await owner.delete(path))).toEqual({ status: 200, body: { message: 'Submission deleted', id: one } });
    expect(answer(await owner.delete(path))).toEqual(refused(404));
    expect((await owner.get(`/submissions/${id}/trash`)).body.total).toBe(0);
    expect((await owner.mark(id, 'delete', [two])).body).toEqual({ done: 1 });
    expect(idsIn(await search(id))).toEqual([submission]);
  });

  it('is searched among submissions by its time, page after page, also between deleted ones', async () => {
    const who = await service.owner();
    const [{ id }, { id: other }] = [await who.deploy(), await who.deploy()];
    const sent: { id: string; page: string }[] = [];
    const send = (page: string, isTest: boolean) =>
      isTest ? who.post(`/submissions/${page}/test`).then(({ body }) => body.id) : service.submit(page, '{}');
    // Tests come first, last, and several behind one submission.
    for (const [n, kind] of [...'ttstsssttst'].entries()) {
      sent.push({ id: await send(id, kind === 't'), page: id });
      if (n % 3 === 0) sent.push({ id: await send(other, n % 2 === 0), page: other });
    }
    sent.reverse();
    const expected = (page: string) => sent.filter((one) => one.page === page).map((one) => one.id);
    for (const limit of [1, 2, 3, 100]) {
      for (const page of [id, other]) {
        expect(await all(`/submissions/${page}/search?`, limit, who)).toEqual(expected(page));
      }
      expect(await all('/inbox?', limit, who)).toEqual(sent.map((one) => one.id));
    }
    const shown = (await who.get('/inbox?limit=100')).body.submissions;
    const times = new Map<string, string>(
      shown.map((one: { id: string; created_at: string }) => [one.id, one.created_at]),
    );
    const [from, to] = [sent.at(-5), sent.at(3)].map((one) => times.get(one?.id ?? '') ?? '');
    const inRange = (one: { id: string }): boolean => {
      const at = times.get(one.id) ?? '';
      return at >= (from ?? '') && at < (to ?? '');
    };
    for (const limit of [1, 100]) {
      expect(await all(`/inbox?from=${from}&to=${to}&`, limit, who)).toEqual(sent.filter(inRange).map((one) => one.id));
      expect(await all(`/submissions/${id}/search?from=${from}&to=${to}&`, limit, who)).toEqual(
        sent.filter((one) => one.page === id && inRange(one)).map((one) => one.id),
      );
    }
    const gone = shown
      .filter((one: { test: boolean }, n: number) => !one.test && n % 2 === 0)
      .map((one: { id: string }) => one.id);
    for (const page of [id, other]) await who.mark(page, 'delete', gone);
    const left = sent.map((one) => one.id).filter((one) => !gone.includes(one));
    for (const limit of [1, 4]) expect(await all('/inbox?', limit, who)).toEqual(left);
    expect((await who.get(`/submissions/${id}/search?cursor=0.0`)).status).toBe(400);
  });

  it('is removed after a day, and with its deployment', async () => {
    const { id } = await owner.deploy();
    const [old, young] = [await test(id), await test(id)];
    const age = (one: string, interval: string) =>
      service.db.raw('UPDATE test_submissions SET created_at = now() - CAST(? AS interval) WHERE id = ?', [
        interval,
        one,
      ]);
    await age(old, '24 hours');
    await age(young, '23 hours 59 minutes');
    await removeOldTests(service.db);
    expect(idsIn(await search(id))).toEqual([young]);
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.delete(`/trash/${id}`).expect(200);
    await expect.poll(() => service.db('deployments').where({ id })).toEqual([]);
    expect(await service.db('test_submissions').where({ deployment_id: id })).toEqual([]);
  });
});
