import { describe, expect, it, onTestFinished } from 'vitest';
import { SubmissionWatch } from '../../../src/http/api/submissions/submission-watch.ts';
import { answer, refused } from '../../support/answers.ts';
import { storeTexts } from '../../support/stored-submissions.ts';
import { testLimits } from '../../support/test-limits.ts';
import { asOwner, testService } from '../../support/test-service.ts';
import { untilWaiting } from '../../support/waiting.ts';

const service = await testService({}, undefined, { limits: { reads: { watchIntervalMs: 50, streamCommentMs: 200 } } });
const owner = await service.owner();

type Answer = { submissions: { id: string; data: { n: number } }[]; cursor: string };

async function newAfter(id: string, cursor: string, query = '', by = owner): Promise<Answer> {
  const { status, body } = await by.get(`/submissions/${id}/after/${cursor}${query}`);
  expect(status).toBe(200);
  return body;
}

const numbersOf = ({ submissions }: Answer): number[] => submissions.map(({ data }) => data.n);

describe('GET /submissions/:deployId/after/:cursor', () => {
  it('answers what was accepted after the cursor, oldest first, and where to go on', async () => {
    const { id } = await owner.deploy();
    expect(await newAfter(id, '0')).toEqual({ submissions: [], cursor: '0' });
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) ids.push(await service.submit(id, `{"n":${n}}`));
    const first = await newAfter(id, '0', '?limit=2');
    expect(numbersOf(first)).toEqual([1, 2]);
    const listed = await owner.get(`/submissions/${id}`);
    expect(first.submissions).toEqual(listed.body.submissions.slice(-2).toReversed());
    const second = await newAfter(id, first.cursor, '?limit=2');
    expect(numbersOf(second)).toEqual([3, 4]);
    const third = await newAfter(id, second.cursor);
    expect(numbersOf(third)).toEqual([5]);
    expect(await newAfter(id, third.cursor)).toEqual({ submissions: [], cursor: third.cursor });
    expect(numbersOf(await newAfter(id, ids[2] ?? ''))).toEqual([4, 5]);
    // Deleted ones are left out, and the cursor stays where it is.
    await owner.delete(`/submissions/${id}/${ids[3]}`).expect(200);
    expect(numbersOf(await newAfter(id, first.cursor))).toEqual([3, 5]);
  });

  it('waits for a submission, of any process', async () => {
    const other = await service.another();
    onTestFinished(() => other.close());
    const { id } = await owner.deploy();
    const waiting = [service.url, other.url].map((url) =>
      asOwner(url, owner.key).get(`/submissions/${id}/after/0?wait=30`).then(answer),
    );
    await untilWaiting(service.db, waiting.length);
    await service.submit(id, '{"n":1}', other.url);
    const expected = { status: 200, body: { submissions: [expect.objectContaining({ data: { n: 1 } })], cursor: '1' } };
    expect(await Promise.all(waiting)).toEqual([expected, expected]);
  });

  it('goes on waiting where the new submission has been deleted, and passes it over', async () => {
    const { id } = await owner.deploy();
    await owner.delete(`/submissions/${id}/${await service.submit(id, '{"n":1}')}`).expect(200);
    expect(await newAfter(id, '0', '?wait=1')).toEqual({ submissions: [], cursor: '1' });
    const waiting = newAfter(id, '0', '?wait=30');
    await untilWaiting(service.db);
    await service.submit(id, '{"n":2}');
    expect(await waiting).toMatchObject({ submissions: [{ data: { n: 2 } }], cursor: '2' });
  });

  it('goes on from the last submission where the cursor is beyond it, as after the restore of a backup', async () => {
    const { id } = await owner.deploy();
    await service.submit(id, '{"n":1}');
    expect(await newAfter(id, '400')).toEqual({ submissions: [], cursor: '1' });
    const waiting = newAfter(id, '400', '?wait=30');
    await untilWaiting(service.db);
    const stream = await openStream(id, { lastEventId: '400' });
    await expect.poll(() => stream.text).toMatch(/^:/);
    await service.submit(id, '{"n":2}');
    expect(await waiting).toMatchObject({ submissions: [{ data: { n: 2 } }], cursor: '2' });
    await expect.poll(() => eventsOf(stream.text).map(({ id: cursor }) => cursor)).toEqual(['2']);
  });

  it('takes no place of other requests of the owner', async () => {
    const { id } = await owner.deploy();
    const waiting = Array.from({ length: 20 }, () => newAfter(id, '0', '?wait=30'));
    await untilWaiting(service.db);
    expect((await owner.get(`/deploy/${id}`)).status).toBe(200);
    await service.submit(id, '{"n":1}');
    expect((await Promise.all(waiting)).map(numbersOf)).toEqual(waiting.map(() => [1]));
  });

  it('ends with a revoked key and a deleted deployment', async () => {
    const { id } = await owner.deploy();
    const other = await service.owner();
    const { id: deleted } = await other.deploy();
    const { id: kept } = await other.deploy();
    const waiting = [
      other.get(`/submissions/${deleted}/after/0?wait=30`).then(answer),
      other.get(`/submissions/${kept}/after/0?wait=30`).then(answer),
    ];
    const untouched = newAfter(id, '0', '?wait=30');
    await untilWaiting(service.db);
    await other.delete(`/deploy/${deleted}`).expect(200);
    expect(await waiting[0]).toEqual(refused(404));
    const { rows } = await service.db.raw('SELECT owner_id FROM deployments WHERE id = ?', [kept]);
    await service.db('api_keys').where({ owner_id: rows[0].owner_id }).update({ revoked_at: new Date() });
    expect(await waiting[1]).toEqual(refused(401));
    await service.submit(id, '{"n":1}');
    expect(numbersOf(await untouched)).toEqual([1]);
  });

  it.each(['?wait=31', '?wait=x'])('answers 400 to %s', async (query) => {
    const { id } = await owner.deploy();
    expect(answer(await owner.get(`/submissions/${id}/after/0${query}`))).toEqual(refused(400));
  });

  it('answers 400 to what is no cursor, and 404 to an unknown submission and another deployment’s', async () => {
    const { id } = await owner.deploy();
    const { id: other } = await owner.deploy();
    const submission = await service.submit(other, '{}');
    for (const cursor of ['x', '-1', '9'.repeat(30)]) {
      expect(answer(await owner.get(`/submissions/${id}/after/${cursor}`))).toEqual(refused(400));
    }
    for (const cursor of [submission, 'sub_000000000000000000000000']) {
      expect(answer(await owner.get(`/submissions/${id}/after/${cursor}`))).toEqual(refused(404));
    }
  });
});

/** A stream, and its text so far. */
async function openStream(id: string, { url = service.url, lastEventId }: { url?: string; lastEventId?: string } = {}) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${url}/submissions/${id}/stream`, {
    headers: {
      Authorization: `Bearer ${owner.key}`,
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
    signal: controller.signal,
  });
  const stream = { response, text: '', isEnded: false, abort: () => controller.abort() };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) stream.text += decoder.decode(chunk, { stream: true });
    stream.isEnded = true;
  };
  read().catch(() => undefined);
  return stream;
}

/** The events of a stream as a browser reads them. */
const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('event:'))
    .map((block) => Object.fromEntries(block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [])));

describe('GET /submissions/:deployId/stream', () => {
  it('sends what comes from now on, each submission as an event with a cursor', async () => {
    const { id } = await owner.deploy();
    await service.submit(id, '{"n":1}');
    const stream = await openStream(id);
    expect([stream.response.status, stream.response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    await service.submit(id, '{\n"n": 2}');
    await service.submit(id, '{"n":3}');
    await expect.poll(() => eventsOf(stream.text)).toHaveLength(2);
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    expect(eventsOf(stream.text).map(({ event, id: cursor, data }) => [event, cursor, JSON.parse(data ?? '')])).toEqual(
      [
        ['submission', '2', submissions[1]],
        ['submission', '3', submissions[0]],
      ],
    );
  });

  it('answers 400 to a Last-Event-ID that is no cursor, and names it', async () => {
    const { id } = await owner.deploy();
    const { status, body } = await owner.get(`/submissions/${id}/stream`).set('Last-Event-ID', 'x');
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/^Last-Event-ID is invalid: /) }]);
  });

  it('asks no more for a new submission that has been deleted, and goes on with its comments', async () => {
    const { id } = await owner.deploy();
    const stream = await openStream(id, { lastEventId: '0' });
    // This number stands for a first submission that was stored and deleted between two polls.
    await service.db('deployments').where({ id }).update({ last_submission_number: 1 });
    await expect.poll(() => stream.text).toMatch(/\n:\n\n$/);
    await service.submit(id, '{"n":2}');
    await expect.poll(() => eventsOf(stream.text).map(({ id: cursor }) => cursor)).toEqual(['2']);
  });

  it('reads no submissions while there is nothing new', async () => {
    const { id } = await owner.deploy();
    const stream = await openStream(id);
    await expect.poll(() => stream.text).toMatch(/^:$/m);
    const comments = (): number => stream.text.match(/^:$/gm)?.length ?? 0;
    await service.db.transaction(async (transaction) => {
      await transaction.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
      // Whoever reads them would wait, and send no comments.
      await transaction.raw('LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE');
      const before = comments();
      await expect.poll(() => comments()).toBeGreaterThan(before + 3);
    });
    expect(stream.isEnded).toBe(false);
  });

  it('ends whole when the service stops', async () => {
    const stopping = await service.another();
    const { id } = await owner.deploy();
    const stream = await openStream(id, { url: stopping.url });
    await stopping.close();
    await expect.poll(() => stream.isEnded).toBe(true);
    expect(stream.text).toMatch(/^: [^\n]*\nid: 0\n\n(?::\n\n)*$/);
  });
});

it.each([
  ['250 small submissions', 250, 10],
  ['12 submissions of 100 KB', 12, 100_000],
])('a stream that begins before %s leaves none out', async (_name, count, length) => {
  const { id } = await owner.deploy();
  const texts = Array.from({ length: count }, (_, n) => JSON.stringify({ n: n + 1, text: 'x'.repeat(length) }));
  await storeTexts(service.db, id, texts);
  const stream = await openStream(id, { lastEventId: '0' });
  await expect.poll(() => eventsOf(stream.text)).toHaveLength(count);
  const numbers = eventsOf(stream.text).map(({ data }) => JSON.parse(data ?? '').data.n);
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

it.each(['key', 'session'])('a stream ends when its %s has expired', async (kind) => {
  const who = await service.owner();
  const { id } = await who.deploy();
  const signedIn = await who.post('/session').send({ key: who.key }).expect(200);
  const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const { status, body } = await fetch(`${service.url}/submissions/${id}/stream`, {
    headers:
      kind === 'key'
        ? { Authorization: `Bearer ${who.key}` }
        : { Cookie: cookie, Origin: service.config.baseUrl, 'Sec-Fetch-Site': 'same-origin' },
    signal: controller.signal,
  });
  expect(status).toBe(200);
  const reader = body?.getReader();
  // The comments of a stream that goes on.
  for (let count = 0; count < 3; count += 1) expect((await reader?.read())?.done).toBe(false);
  const [{ owner_id: ownerId }] = await service.db('deployments').where({ id }).select('owner_id');
  await service
    .db('api_keys')
    .where({ owner_id: ownerId })
    .update({ expires_at: new Date(Date.now() - 1_000) });
  for (let isDone: boolean | undefined = false; isDone === false; ) isDone = (await reader?.read())?.done;
  expect((await who.get('/me')).status).toBe(401);
});

describe('SubmissionWatch', () => {
  it('asks once in an interval for all that wait, and goes on while the database is away', async () => {
    const asked: [number, number][] = [];
    let last = 0;
    const watch = new SubmissionWatch(
      async (deploymentIds, credentialIds) => {
        asked.push([deploymentIds.length, credentialIds.length]);
        if (asked.length === 1) throw new Error('away');
        return { numbers: new Map(deploymentIds.map((id) => [id, last])), validCredentials: new Set(credentialIds) };
      },
      testLimits({ reads: { watchIntervalMs: 20 } }),
    );
    const { signal } = new AbortController();
    const waiting = Array.from({ length: 1_000 }, (_, n) =>
      watch.wait({ deploymentId: `d_${n % 7}`, after: 0, credentialIds: [`k_${n % 3}`], signal }),
    );
    // The first question has failed, and the second has found nothing.
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    last = 1;
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]));
    expect(new Set(asked.map(String))).toEqual(new Set(['7,3']));
    expect(watch.size()).toBe(0);
  });
});
