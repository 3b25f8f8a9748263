import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { storeSubmissions } from '../../../src/db/submissions/store-submissions.ts';
import { trashSubmissions } from '../../../src/db/submissions/trashed-submission-queries.ts';
import type { Fields } from '../../../src/http/submit/form-body.ts';
import { firstSent, resubmitQuery } from '../../../src/http/submit/resubmit-query.ts';
import { newSubmissionId } from '../../../src/lib/ids.ts';
import { bareRequest } from '../../support/bare-request.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { forgetfulProxyTo } from '../../support/postgres-proxy.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { JSON_TYPE, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';
const HTML = 'text/html';
const HOUR_MS = 60 * 60 * 1_000;

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const links = await createLinks(service.db, service.url)();
const proxy = await forgetfulProxyTo(service.databaseUrl);
afterAll(() => proxy.close());
/** Where a process listens that reaches the database through the proxy. */
const { url: troubled } = await service.another({ DATABASE_URL: proxy.url });

type Sent = { url?: string; query?: string; slug?: string; type?: string; accept?: string; body?: string | Buffer };

/** Posts a form to a deployment, or to its page's host, as a browser does. */
async function post(
  id: string,
  { url = service.url, query = '', slug, type = FORM, accept = HTML, body = 'a=1' }: Sent = {},
) {
  const path = slug === undefined ? `/submit/${id}${query}` : `/${query}`;
  const host = slug === undefined ? {} : { Host: `${slug}.${PAGES_DOMAIN}` };
  const headers = { 'Content-Type': type, Accept: accept, ...host };
  const answer = await bareRequest(url + path, { method: 'POST', headers, body });
  return { status: answer.status, location: answer.headers.location, text: String(answer.body) };
}

const titleOf = (page: string): string | undefined => /<title>([^<]*)/.exec(page)?.[1];

/** The form on a page of ours, as a browser sends it again: the query, the submission's id in it, the fields. */
function formIn(page: string) {
  const [, query = '', id = ''] = /action="(\?attempt=(sub_[0-9A-Za-z]{24})\.[\w-]{43})"/.exec(page) ?? [];
  const fields = [...page.matchAll(/<textarea name="([^"]*)" hidden>\n([^<]*)<\/textarea>/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  return { query, id, fields };
}

const urlencoded = (fields: [string, string][]): string => new URLSearchParams(fields).toString();
const multipart = (fields: [string, string][]): Buffer =>
  multipartBody(...fields.map(([name, value]): [string, string] => [`name="${name}"`, value]));

const rowsOf = async (id: string): Promise<{ id: string; data: string }[]> =>
  service.db('submissions').where({ deployment_id: id }).orderBy('number').select('id', 'data');
const idsOf = async (id: string): Promise<string[]> => (await rowsOf(id)).map((row) => row.id);
const countOf = async (id: string): Promise<unknown> => (await owner.get(`/deploy/${id}`)).body.submission_count;

describe('a form sent again from the page of an error', () => {
  it.each<[string, { type: string; body: string | Buffer; statement: string; onPage?: boolean; isFull?: boolean }]>([
    ["to the page's host", { type: FORM, body: 'a=1&b=%0D%0A&a=2&=x', statement: 'store-submissions', onPage: true }],
    [
      'with a file, which is not kept',
      {
        type: MULTIPART,
        body: multipartBody(['name="a"', '1'], ['name="f"; filename="a.txt"', 'x']),
        statement: 'COMMIT',
      },
    ],
    ['to a deployment that is full since', { type: FORM, body: 'a=1', statement: 'store-submissions', isFull: true }],
  ])('is stored once when the first attempt was stored after all: %s', async (_what, sent) => {
    const { type, body, statement, onPage = false, isFull = false } = sent;
    const { id, slug } = await owner.deploy();
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/' }).expect(201);
    const place = onPage ? { slug } : {};
    if (onPage) await post(id, { ...place, url: troubled, body: '_hp=x' });
    // The deployment has a webhook, so the statement that is tried first stores nothing.
    proxy.loseAnswerTo(statement, 'store-submissions');
    const failed = await post(id, { ...place, url: troubled, type, body });
    // With the name of the page, if its form was in memory.
    const title = expect.stringMatching(/^Your message could not be sent yet(?: · page-\w+)?$/);
    expect([failed.status, titleOf(failed.text)]).toEqual([503, title]);
    const form = formIn(failed.text);
    const before = await rowsOf(id);
    expect(before.map((row) => row.id)).toEqual([form.id]);
    if (isFull) await setAccepted(service.db, id, 10);

    const again = {
      ...place,
      query: form.query,
      type,
      body: type === FORM ? urlencoded(form.fields) : multipart(form.fields),
    };
    // Through either process, as often as one likes.
    for (const url of [service.url, troubled, service.url]) {
      const { status, location } = await post(id, { ...again, url });
      expect([status, location]).toEqual([303, onPage ? '/thanks' : `/submit/${id}/thanks`]);
    }
    const json = await post(id, { ...again, accept: '*/*' });
    expect(JSON.parse(json.text)).toEqual({ message: 'Submission received', id: form.id });
    expect([await rowsOf(id), await countOf(id)]).toEqual([before, 1]);
    expect((await service.db('deliveries').where({ deployment_id: id })).length).toBe(1);
  });

  it('is stored under the id of the first attempt when that was not stored, however often it was refused', async () => {
    const { id, slug } = await owner.deploy();
    await setAccepted(service.db, id, 10);
    const first = formIn((await post(id)).text);
    const second = formIn((await post(id, { query: first.query })).text);
    const third = formIn((await post(id, { query: first.query, slug })).text);
    expect([second, third]).toEqual([first, first]);
    await setAccepted(service.db, id, 0);
    // Another process, which has refused none.
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(id, { url: troubled, query: first.query })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
    expect([await idsOf(id), await countOf(id)]).toEqual([[first.id], 1]);
  });

  it.each([0, 9])('is stored once while the first attempt is being committed, after %i others', async (others) => {
    const { id } = await owner.deploy();
    await setAccepted(service.db, id, 10);
    const form = formIn((await post(id)).text);
    await setAccepted(service.db, id, others);
    const first = await service.db.transaction();
    onTestFinished(async () => void (first.isCompleted() || (await first.rollback())));
    const submission = { id: form.id, deploymentId: id, data: '{"a":"1"}', ipAddress: '192.0.2.1' };
    const { outcomes } = await storeSubmissions(first, [submission]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted']);
    const again = post(id, { url: troubled, query: form.query });
    const storing =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%FOR NO KEY UPDATE SKIP LOCKED%' AND state = 'idle in transaction'";
    await expect.poll(async () => (await service.db.raw(storing)).rows.length).toBeGreaterThan(0);
    await first.commit();
    expect((await again).status).toBe(303);
    expect([await idsOf(id), await countOf(id)]).toEqual([[form.id], 1]);
  });

  it('is not stored while the first attempt is stored, and moved to the trash', async () => {
    const { id } = await owner.deploy();
    await setAccepted(service.db, id, 10);
    const form = formIn((await post(id)).text);
    await setAccepted(service.db, id, 0);
    const { owner_id: ownerId } = await service.db('deployments').where({ id }).first();
    const first = await service.db.transaction();
    onTestFinished(async () => void (first.isCompleted() || (await first.rollback())));
    await storeSubmissions(first, [{ id: form.id, deploymentId: id, data: '{"a":"1"}', ipAddress: '192.0.2.1' }]);
    expect(await trashSubmissions(first, ownerId, id, [form.id])).toBe(1);
    const again = post(id, { url: troubled, query: form.query });
    const storing =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%FOR NO KEY UPDATE SKIP LOCKED%' AND state = 'idle in transaction'";
    await expect.poll(async () => (await service.db.raw(storing)).rows.length).toBeGreaterThan(0);
    await first.commit();
    expect((await again).status).toBe(303);
    expect([await idsOf(id), await countOf(id)]).toEqual([[], 0]);
    await owner.post(`/submissions/${id}/trash/${form.id}/restore`).expect(200);
    expect([await idsOf(id), await countOf(id)]).toEqual([[form.id], 1]);
  });

  it('is another submission when something else is filled in at the same address', async () => {
    const { id, slug } = await owner.deploy();
    await setAccepted(service.db, id, 10);
    const { query, id: first } = formIn((await post(id, { slug })).text);
    await setAccepted(service.db, id, 0);
    for (const body of ['a=1', 'a=2', 'a=1&b=', 'b=1', 'a=2']) {
      expect((await post(id, { url: troubled, slug, query, body })).status).toBe(303);
    }
    const rows = await rowsOf(id);
    expect(rows.map(({ data }) => data)).toEqual([
      '{"a":"1"}',
      '{"a":"2"}',
      '{"a":"1","b":""}',
      '{"b":"1"}',
      '{"a":"2"}',
    ]);
    expect(rows.map((row) => row.id === first)).toEqual([true, false, false, false, false]);
  });

  it('is stored anew when its owner has erased it, and not while it is in the trash', async () => {
    const { id } = await owner.deploy();
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/' }).expect(201);
    await setAccepted(service.db, id, 10);
    const form = formIn((await post(id)).text);
    await setAccepted(service.db, id, 0);
    await post(id, { url: troubled, query: form.query });
    await owner.delete(`/submissions/${id}/${form.id}`).expect(200);
    expect((await post(id, { url: troubled, query: form.query })).status).toBe(303);
    expect((await idsOf(id)).length).toBe(0);
    await owner.delete(`/submissions/${id}/trash/${form.id}`).expect(200);
    expect((await post(id, { url: troubled, query: form.query })).status).toBe(303);
    expect((await idsOf(id)).length).toBe(1);
  });
});

describe('a form with files sent again from the page of an error', () => {
  type Part = [parameters: string, content: string];
  const TEXT: Part = ['name="a"', '1'];
  const file = (filename: string, content: string): Part => [`name="f"; filename="${filename}"`, content];
  const NONE = file('', '');
  const sent = (...parts: Part[]): Sent => ({ type: MULTIPART, body: multipartBody(...parts) });
  const large = (byte: string): string => byte.repeat(600 * 1024);

  /** The stored submissions, oldest first: the ids, and the files with the contents that the API answers. */
  async function storedFiles(id: string): Promise<[id: string, files: [filename: string, content: string][]][]> {
    const rows = await rowsOf(id);
    return Promise.all(
      rows.map(async ({ id: submissionId, data }): Promise<[string, [string, string][]]> => {
        const values: unknown[] = [JSON.parse(data).f].flat();
        const files = values.filter((value) => value instanceof Object);
        const read = files.map(async (value): Promise<[string, string]> => {
          const url: string = Reflect.get(value, 'url');
          const answer = await fetch(service.url + url, { headers: { Authorization: `Bearer ${owner.key}` } });
          return [Reflect.get(value, 'filename'), await answer.text()];
        });
        return [submissionId, await Promise.all(read)];
      }),
    );
  }

  /** A first attempt that was stored, though answered with a 503. */
  async function storeUnseen(id: string, ...parts: Part[]): Promise<ReturnType<typeof formIn>> {
    proxy.loseAnswerTo('COMMIT', 'store-submission');
    const failed = await post(id, { ...sent(...parts), url: troubled });
    expect(failed.status).toBe(503);
    return formIn(failed.text);
  }

  it.each<[string, Part[]]>([
    ['the same file', [TEXT, file('a.txt', large('x'))]],
    ['no file', [TEXT, NONE]],
  ])('is stored once when the first attempt was stored after all: %s', async (_what, parts) => {
    const { id } = await owner.deploy();
    const form = await storeUnseen(id, TEXT, file('a.txt', large('x')));
    for (const url of [service.url, troubled]) {
      expect((await post(id, { ...sent(...parts), url, query: form.query })).status).toBe(303);
    }
    const json = await post(id, { ...sent(...parts), query: form.query, accept: '*/*' });
    expect(JSON.parse(json.text)).toEqual({ message: 'Submission received', id: form.id });
    expect(await storedFiles(id)).toEqual([[form.id, [['a.txt', large('x')]]]]);
    expect(await countOf(id)).toBe(1);
  });

  it.each<[string, Part[]]>([
    ['another content', [file('a.txt', large('y'))]],
    ['the same twice', [file('a.txt', large('x')), file('a.txt', large('x'))]],
  ])('is another submission with other files, of which none is lost: %s', async (_what, files) => {
    const { id } = await owner.deploy();
    const form = await storeUnseen(id, TEXT, file('a.txt', large('x')));
    expect((await post(id, { ...sent(TEXT, ...files), query: form.query })).status).toBe(303);
    const [first, second] = await storedFiles(id);
    expect(first).toEqual([form.id, [['a.txt', large('x')]]]);
    const expected = files.map(([parameters, content]) => [/filename="(.*)"/.exec(parameters)?.[1], content]);
    expect([second?.[0] === form.id, second?.[1]]).toEqual([false, expected]);
  });

  it('offers the files again that were chosen', async () => {
    const { id } = await owner.deploy();
    await setAccepted(service.db, id, 10);
    const note = 'Files are not kept: please choose them again, or send the form without them.';
    const inputs = (page: string): string[] => page.match(/<input [^>]*>|(?<=<label [^>]*>).*(?=<\/label>)/g) ?? [];
    const other: Part = ['name="g"; filename=""', ''];
    const first = await post(id, sent(TEXT, file('a.txt', 'x'), file('b.txt', 'y'), other));
    const INPUT = '<input type="file" name="f" multiple id="file1">';
    expect([first.text.includes(note), inputs(first.text)]).toEqual([
      true,
      ['Choose again: <bdi>a.txt</bdi> and <bdi>b.txt</bdi>', INPUT],
    ]);
    const { query } = formIn(first.text);
    // The error page sends the input that was left empty as a text.
    const empty: Part = ['name="g"', ''];
    const second = (await post(id, { ...sent(TEXT, file('a.txt', 'x'), file('b.txt', 'y'), empty), query })).text;
    expect([formIn(second).query, second.includes(note), inputs(second)]).toEqual([
      query,
      true,
      ['Choose again: <bdi>a.txt</bdi> and <bdi>b.txt</bdi>', INPUT],
    ]);
    // Nothing was chosen this time: the page goes on asking.
    const third = (await post(id, { ...sent(TEXT, NONE, empty), query })).text;
    expect([formIn(third).query, third.includes(note), inputs(third)]).toEqual([
      query,
      true,
      ['Choose again: <bdi>f</bdi>', INPUT],
    ]);
    // A form in which no file was chosen gets no note.
    const none = (await post(id, sent(TEXT, NONE))).text;
    expect([none.includes(note), inputs(none)]).toEqual([false, []]);
  });
});

describe('an attempt that no page of ours has', () => {
  /** An id that looks as if it had been made so much later. */
  function idIn(ms: number): string {
    vi.useFakeTimers({ now: Date.now() + ms, toFake: ['Date'] });
    try {
      return newSubmissionId();
    } finally {
      vi.useRealTimers();
    }
  }

  const FIELDS: Fields = [['a', '1']];
  const ID = newSubmissionId();
  const query = resubmitQuery(ID, FIELDS, new Map(), links);
  const signature = query.split('.')[1] ?? '';
  function attemptIn(url: string, fields: Fields | undefined = FIELDS): string | undefined {
    const request = new IncomingMessage(new Socket());
    request.url = url;
    return firstSent(request, fields, links)?.id;
  }

  it('has the id of the first attempt where it has one', () => {
    expect(attemptIn(`/submit/d_x${query}`)).toBe(ID);
  });

  it.each<[string, string, Fields?]>([
    ['of the future', `?attempt=${idIn(HOUR_MS)}.${signature}`],
    ['of the day before yesterday', `?attempt=${idIn(-25 * HOUR_MS)}.${signature}`],
    ['of no time', `?attempt=sub_${'z'.repeat(24)}.${signature}`],
    ['too short', `?attempt=${ID.slice(0, -1)}.${signature}`],
    ['too long', `?attempt=${ID}0.${signature}`],
    ['of another kind', `?attempt=${ID.replace('sub_', 'd_')}.${signature}`],
    ['with a NUL', `?attempt=${ID.slice(0, -1)}%00.${signature}`],
    ['that does not decode', `?attempt=${ID}%ff.${signature}`],
    ['empty', '?attempt='],
    ['without a signature', `?attempt=${ID}`],
    ['with another signature', `?attempt=${ID}.${signature.toLowerCase()}-`],
    ['whose id a visitor has chosen', `?attempt=${ID.slice(0, 12)}CallMe5551234567.${signature}`],
    ['twice', `${query}&attempt=${ID}.${signature}`],
    ['after another', `?attempt=x&attempt=${ID}.${signature}`],
    ['under another name', `?Attempt=${ID}.${signature}`],
    ['for a file instead of a text', query, [['a', '', { filename: 'x', size: 1 }]]],
  ])('is passed over: %s', (_what, url, fields) => {
    expect(attemptIn(url, fields)).toBeUndefined();
  });

  it('is passed over for JSON', async () => {
    const { id } = await owner.deploy();
    const sent = { query, type: JSON_TYPE['Content-Type'], body: '{"a":"1"}', accept: '*/*' };
    const { status, text } = await post(id, sent);
    expect([status, await idsOf(id)]).toEqual([200, [JSON.parse(text).id]]);
    expect(JSON.parse(text).id).not.toBe(ID);
  });

  it("is another deployment's: each keeps its own, and is told nothing of the other's", async () => {
    const [one, other] = [await owner.deploy(), await owner.deploy()];
    await setAccepted(service.db, one.id, 10);
    const { query, id } = formIn((await post(one.id)).text);
    await setAccepted(service.db, one.id, 0);
    expect((await post(one.id, { url: troubled, query })).status).toBe(303);
    const answers = [];
    for (let count = 0; count < 2; count += 1) answers.push(await post(other.id, { query, accept: '*/*' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const given = answers.map(({ text }) => JSON.parse(text).id);
    expect([await idsOf(one.id), await idsOf(other.id)]).toEqual([[id], given]);
    expect(new Set([id, ...given]).size).toBe(3);
  });
});
