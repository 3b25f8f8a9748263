import { describe, expect, it } from 'vitest';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { readJson, type Submitted } from '../../../src/http/submit/form-body.ts';
import { readMultipart } from '../../../src/http/submit/multipart.ts';
import { readParts } from '../../../src/http/submit/multipart-parts.ts';
import { bodyHashOf } from '../../../src/http/submit/submission-key.ts';
import { readUrlencoded } from '../../../src/http/submit/urlencoded.ts';
import { aSentence } from '../../support/answers.ts';
import { limits } from '../../support/form-limits.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { testService } from '../../support/test-service.ts';

const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const LIMIT = 10;

const service = await testService();
const owner = await service.owner();
/** Two services on one database. */
const urls = [service.url, (await service.another()).url] as const;

const deploy = async (): Promise<string> => (await owner.deploy()).id;

let keys = 0;
/** A key that no other test has. */
const newKey = (): string => {
  keys += 1;
  return `"key-${keys}"`;
};

type Sent = { key?: string; type?: string; body?: string | Buffer; url?: string; accept?: string };
type Answer = { status: number; text: string; retryAfter: string | null };

async function submit(
  id: string,
  { key, type = JSON_TYPE, body = '{"a":"1"}', url = service.url, accept = '*/*' }: Sent,
): Promise<Answer> {
  const response = await fetch(`${url}/submit/${id}`, {
    method: 'POST',
    headers: { 'Content-Type': type, Accept: accept, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
}

const statusOf = async (sent: Promise<Answer>): Promise<number> => (await sent).status;
const idIn = ({ text }: Answer): string => JSON.parse(text).id;
const success = (id: unknown) => ({ message: 'Submission received', id });

const rowsOf = async (id: string): Promise<{ id: string; data: string }[]> =>
  service.db('submissions').where({ deployment_id: id }).orderBy('number').select('id', 'data');
const countOf = async (id: string): Promise<number> => (await rowsOf(id)).length;
const age = (id: string, interval: string): Promise<unknown> =>
  service.db.raw('UPDATE idempotency_keys SET created_at = created_at - ?::interval WHERE deployment_id = ?', [
    interval,
    id,
  ]);

/** Sends a submission again while the service is too busy for it, as clients do. */
async function submitUntilTaken(id: string, sent: Sent): Promise<Answer> {
  for (;;) {
    const answer = await submit(id, sent);
    if (answer.status !== 503) return answer;
  }
}

/** Sends all at once, alternating between two processes. */
const submitAll = (id: string, all: readonly Sent[]): Promise<Answer[]> =>
  Promise.all(all.map((sent, index) => submitUntilTaken(id, { ...sent, url: urls[index % 2] ?? service.url })));

describe('a submission with an Idempotency-Key', () => {
  it.each<[string, Sent]>([
    ['without files', {}],
    [
      'with files',
      { type: MULTIPART, body: multipartBody(['name="f"; filename="a.txt"', 'x'.repeat(300_000)], ['name="a"', '1']) },
    ],
  ])(
    'is stored and delivered once, and answered alike, when 20 come at once to two processes: %s',
    async (_how, sent) => {
      const id = await deploy();
      await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/' }).expect(201);
      const answers = await submitAll(id, Array(20).fill({ ...sent, key: newKey() }));
      const rows = await rowsOf(id);
      expect(answers.map(({ status, text }) => [status, JSON.parse(text)])).toEqual(
        answers.map(() => [200, success(rows[0]?.id)]),
      );
      const files = await service.db('submission_files').where({ deployment_id: id });
      const deliveries = await service.db('deliveries').where({ deployment_id: id });
      expect([rows.length, files.length, deliveries.length]).toEqual([1, sent.body ? 1 : 0, 1]);
      expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(1);
    },
  );

  it('is told from others: another key, another deployment, none at all', async () => {
    const [one, other] = [await deploy(), await deploy()];
    const [key, another] = [newKey(), newKey()];
    const answers = [
      ...(await Promise.all([submit(one, { key }), submit(one, { key: another }), submit(other, { key })])),
      ...(await Promise.all([submit(one, {}), submit(one, {})])),
      // Taken literally.
      await submit(one, { key: key.toUpperCase() }),
      await submit(one, { key: key.slice(1, -1) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(idIn)).size).toBe(answers.length);
    expect([await countOf(one), await countOf(other)]).toEqual([6, 1]);
  });

  it('is answered as the first was after its submission was deleted, and a 404 after its deployment was', async () => {
    const [id, key] = [await deploy(), newKey()];
    const first = await submit(id, { key });
    await owner.delete(`/submissions/${id}/${idIn(first)}`).expect(200);
    expect(await submit(id, { key })).toEqual(first);
    expect(await countOf(id)).toBe(0);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await statusOf(submit(id, { key }))).toBe(404);
  });

  it('is remembered for 24 hours, and its key is free then', async () => {
    const [id, key] = [await deploy(), newKey()];
    const first = await submit(id, { key });
    await age(id, '23 hours 59 minutes');
    expect(await submit(id, { key, url: urls[1] })).toEqual(first);
    await age(id, '1 minute');
    const answers = await submitAll(id, Array(10).fill({ key, body: '{"b":2}' }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await rowsOf(id)).map((row) => row.data)).toEqual(['{"a":"1"}', '{"b":2}']);
    expect(await statusOf(submit(id, { key }))).toBe(422);
  });

  it('leaves its key for no longer than it is remembered, whatever others there are', async () => {
    const [old, recent] = [await deploy(), await deploy()];
    for (const id of [old, recent]) for (let count = 0; count < 5; count += 1) await submit(id, { key: newKey() });
    await age(old, '24 hours');
    await age(recent, '23 hours 59 minutes');
    await removeOldRows(service.db, { logStart: new Date(0), batch: 3 });
    const left = await service.db('idempotency_keys').whereIn('deployment_id', [old, recent]).pluck('deployment_id');
    expect(left).toEqual(Array(5).fill(recent));
  });

  it('waits with others at the rate limit, and is answered when it has been stored', async () => {
    const id = await deploy();
    const all = Array.from({ length: LIMIT }, newKey);
    const firsts = await submitAll(
      id,
      all.map((key) => ({ key })),
    );
    expect(firsts.map(({ status }) => status)).toEqual(all.map(() => 200));
    const late = newKey();
    for (const url of [...urls, ...urls]) {
      const refused = await submit(id, { key: late, url });
      expect([refused.status, refused.retryAfter]).toEqual([429, expect.stringMatching(/^[1-9]\d?$/)]);
      expect(await Promise.all(all.map((key) => submit(id, { key, url })))).toEqual(firsts);
    }
    expect(await countOf(id)).toBe(LIMIT);
    await setAccepted(service.db, id, 0);
    // This process does not remember any more that the deployment was full.
    await owner.change(id, {});
    expect(await statusOf(submit(id, { key: late }))).toBe(200);
    expect(await countOf(id)).toBe(LIMIT + 1);
  });

  it.each([
    ['empty', ''],
    ['blank', ' \t '],
    ['too long', 'k'.repeat(256)],
  ])('is a 400 when the key is %s', async (_what, key) => {
    const id = await deploy();
    const { status, text } = await submit(id, { key });
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { error: 'The Idempotency-Key is empty or too long: send 1 to 255 characters, or none at all.' },
    ]);
    expect(await countOf(id)).toBe(0);
  });

  it.each(['k'.repeat(255), 'é\u00ff'])('takes the key %j', async (key) => {
    const id = await deploy();
    const first = await submit(id, { key });
    expect(first.status).toBe(200);
    expect(await submit(id, { key, url: urls[1] })).toEqual(first);
    expect(await countOf(id)).toBe(1);
  });

  it("is taken on a page's host, where it is the same submission", async () => {
    const { id, slug } = await owner.deploy();
    const key = newKey();
    const first = await submit(id, { key });
    const { status, text } = await service.anonymous
      .post('/')
      .set({ Host: `${slug}.pages.test`, 'Idempotency-Key': key })
      .send({ a: '1' });
    expect([status, text]).toEqual([200, first.text]);
    expect(await countOf(id)).toBe(1);
  });
});

const part = (name: string, value: string): [string, string] => [`name="${name}"`, value];
const file = (content: string, { filename = 'a.txt', type = 'text/plain', name = 'f' } = {}): [string, string] => [
  `name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`,
  content,
];
const json = (text: string) => readJson(Buffer.from(text), limits);
const form = (text: string) => readUrlencoded(Buffer.from(text), limits);
const parts = (...all: [string, string][]) => readMultipart(readParts(multipartBody(...all), 'b', limits), limits);
const withFile = (...files: [string, string][]) => parts(part('a', '1'), ...files);

describe('another body under the same Idempotency-Key', () => {
  it.each<[string, Submitted, Submitted]>([
    ['a form and the JSON of it', form('a=1&b=2'), json('{"a":"1","b":"2"}')],
    ['a form and its parts', form('a=1&b=%22'), parts(part('a', '1'), part('b', '"'))],
    ['parts and the JSON of them', parts(part('a', '1'), part('a', 'é')), json('{"a":["1","\\u00e9"]}')],
    ['white space', json('{"a":[1,{"b":" "}]}'), json(' {\n"a" : [ 1 ,\t{ "b":" "} ]\r\n}')],
    ['escapes', json('{"\\u0061":"\\/\\u00E9\\ud83d\\ude00\\n"}'), json('{"a":"/é😀\\u000a"}')],
    ['a lone surrogate', json('{"a":"\\uD800"}'), json('{"a":"\\ud800"}')],
    ['a byte order mark', json('{"a":1}'), json('\uFEFF{"a":1}')],
    ['files', withFile(file('x'), file('y')), withFile(file('x'), file('y'))],
    ['an empty file input', withFile(['name="f"; filename=""', '']), form('a=1&f=')],
  ])('is none when it says the same: %s', async (_what, first, second) => {
    expect(await bodyHashOf(second)).toEqual(await bodyHashOf(first));
  });

  it.each<[string, Submitted, Submitted]>([
    ['another value', json('{"a":"1"}'), json('{"a":"2"}')],
    ['another name', json('{"a":"1"}'), json('{"b":"1"}')],
    ['one more field', form('a=1'), form('a=1&b=')],
    ['another order', form('a=1&b=2'), form('b=2&a=1')],
    ['a number and a text', json('{"a":1}'), json('{"a":"1"}')],
    ['another number', json('{"a":1.10}'), json('{"a":1.1}')],
    ['white space in a text', json('{"a":"x y"}'), json('{"a":"xy"}')],
    ['an escape that is none', json('{"a":"\\\\n"}'), json('{"a":"\\n"}')],
    ['another surrogate', json('{"a":"\\ud800"}'), json('{"a":"\\ud801"}')],
    ['a list and a member given twice', json('{"a":["1","2"]}'), json('{"a":"1","a":"2"}')],
    ['a file with other content', withFile(file('x')), withFile(file('y'))],
    ['a file of another name', withFile(file('x')), withFile(file('x', { filename: 'b.txt' }))],
    ['a file of another type', withFile(file('x')), withFile(file('x', { type: 'text/html' }))],
    ['a file in another field', withFile(file('x')), withFile(file('x', { name: 'g' }))],
    ['files in another order', withFile(file('x'), file('y')), withFile(file('y'), file('x'))],
    ['one file more', withFile(file('x')), withFile(file('x'), file('x'))],
    ['no file', withFile(file('x')), withFile()],
    [
      'what looks like a file',
      withFile(file('x')),
      json('{"a":"1","f":{"filename":"a.txt","content_type":"text/plain","size":1,"url":""}}'),
    ],
  ])('is another submission: %s', async (_what, first, second) => {
    expect(await bodyHashOf(second)).not.toEqual(await bodyHashOf(first));
  });

  it('is a 422 for all but one of those that come at once, and for each later one', async () => {
    const [id, key] = [await deploy(), newKey()];
    const sent = Array.from({ length: 10 }, (_, n) => ({ key, body: `{"n":${n}}` }));
    const [accepted, ...others] = (await submitAll(id, sent)).toSorted((one, other) => one.status - other.status);
    expect([accepted?.status, ...others.map(({ status }) => status)]).toEqual([200, ...Array(9).fill(422)]);
    expect(JSON.parse(others[0]?.text ?? '')).toEqual({ error: aSentence });
    expect(await statusOf(submit(id, { key, body: '{"n":10}' }))).toBe(422);
    expect(await rowsOf(id)).toEqual([{ id: accepted && idIn(accepted), data: expect.any(String) }]);
  });
});
