import { describe, expect, it } from 'vitest';
import { aTime, failure } from '../../support/answers.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';
const MAX_BYTES = 256 * 1024;

type Encoding = 'json' | 'urlencoded' | 'multipart';
type Answer = { status: number; headers: Headers; text: string };

const TYPES = { json: JSON_TYPE, urlencoded: FORM_TYPE, multipart: MULTIPART_TYPE } as const;
const ENCODINGS: [Encoding][] = [['json'], ['urlencoded'], ['multipart']];

const success = { message: expect.any(String), id: expect.stringMatching(/^sub_[0-9A-Za-z]{20,}$/) };

const service = await testService();
const owner = await service.owner();

const deploy = async (): Promise<string> => (await owner.deploy()).id;

/** Posts these bytes with these headers and no type of its own. */
async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  const response = await fetch(`${service.url}${path}`, { method: 'POST', body: Uint8Array.from(sent), headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const submit = (id: string, body: string | Buffer = '{"a":"1"}', type: string = JSON_TYPE): Promise<Answer> =>
  post(`/submit/${id}`, body, { 'Content-Type': type });

const list = async (id: string) => (await owner.get(`/submissions/${id}`)).body;

/** The submissions of a deployment, newest first. */
async function stored(id: string): Promise<unknown[]> {
  const { submissions }: { submissions: { data: unknown }[] } = await list(id);
  return submissions.map(({ data }) => data);
}

/** A body with these fields, none of which needs an escape. */
function encode(encoding: Encoding, fields: readonly (readonly [string, string])[]): string | Buffer {
  if (encoding === 'json') return `{${fields.map(([name, value]) => `"${name}":"${value}"`).join(',')}}`;
  if (encoding === 'urlencoded') return fields.map(([name, value]) => `${name}=${value}`).join('&');
  return multipartBody(...fields.map(([name, value]): [string, string] => [`name="${name}"`, value]));
}

const manyFields = (encoding: Encoding, count: number): string | Buffer =>
  encode(
    encoding,
    Array.from({ length: count }, (_, index) => [`f${index}`, '1']),
  );

/** The largest value that a field `a` can have within MAX_BYTES. */
const ROOM = { json: MAX_BYTES - '{"a":""}'.length, urlencoded: MAX_BYTES - 'a='.length, multipart: MAX_BYTES - 1 };

describe('POST /submit/:deployId', () => {
  it.each(ENCODINGS)('answers 200 with message and id, and stores the fields: %s', async (encoding) => {
    const id = await deploy();
    const data = { name: 'Ada', email: 'ada@test.example' };
    const body = encode(encoding, Object.entries(data));
    const { status, headers, text } = await submit(id, body, TYPES[encoding]);
    const type = 'application/json; charset=utf-8';
    expect([status, headers.get('content-type'), JSON.parse(text)]).toEqual([200, type, success]);
    const { id: submissionId } = JSON.parse(text);
    expect(await list(id)).toEqual({
      submissions: [{ id: submissionId, data, ip_address: '127.0.0.1', created_at: aTime }],
      ...{ total: 1, page: 1, limit: 50 },
    });
  });

  it.each(ENCODINGS)('takes 1,000 fields and MAX_SUBMISSION_BYTES, and refuses more with 413: %s', async (encoding) => {
    const id = await deploy();
    const value = (length: number, character = 'x') => encode(encoding, [['a', character.repeat(length)]]);
    const statusOf = async (body: string | Buffer) => (await submit(id, body, TYPES[encoding])).status;
    const taken = [manyFields(encoding, 1000), value(ROOM[encoding])];
    // Bytes, not characters.
    const refused = [manyFields(encoding, 1001), value(MAX_BYTES), value(MAX_BYTES / 2, 'é')];
    expect(await Promise.all([...taken, ...refused].map(statusOf))).toEqual([200, 200, 413, 413, 413]);
    expect((await list(id)).total).toBe(2);
  });

  it.each<[string, string | undefined]>([
    ['a missing type', undefined],
    ['text', 'text/plain'],
    ['JSON in latin1', 'application/json; charset=latin1'],
    ['another multipart', 'multipart/mixed; boundary=b'],
  ])('answers 415 for %s', async (_case, type) => {
    const id = await deploy();
    const { status, text } = await post(`/submit/${id}`, '{"a":1}', type === undefined ? {} : { 'Content-Type': type });
    expect([status, JSON.parse(text)]).toEqual([415, failure]);
    expect(await stored(id)).toEqual([]);
  });

  it('answers one 404 for any id that is not of a live deployment', async () => {
    const [gone, live] = await Promise.all([deploy(), deploy()]);
    await owner.delete(`/deploy/${gone}`).expect(200);
    const ids = [gone, UNKNOWN_ID, 'x', live.slice(2), `${live}%00`, '%00', `${live}x`, 'd_', 'd_'.padEnd(5000, '0')];
    const answers = await Promise.all(ids.map((id) => submit(id)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 404));
    expect([...new Set(answers.map(({ text }) => text))]).toEqual([answers[0]?.text]);
    expect(JSON.parse(answers[0]?.text ?? '')).toEqual(failure);
    for (const [body, type] of [
      ['a=1', FORM_TYPE],
      ['{"_hp":"x"}', JSON_TYPE],
    ] as const)
      expect((await submit(gone, body, type)).text).toBe(answers[0]?.text);
    expect((await service.db('submissions').where({ deployment_id: gone })).length).toBe(0);
  });

  it('raises submission_count with the rows, and not updated_at', async () => {
    const id = await deploy();
    const before = (await owner.get(`/deploy/${id}`)).body;
    await Promise.all(Array.from({ length: 7 }, () => submit(id)));
    await submit(id, '{');
    expect((await owner.get(`/deploy/${id}`)).body).toEqual({ ...before, submission_count: 7 });
    expect((await list(id)).total).toBe(7);
    expect((await service.db('submissions').where({ deployment_id: id })).length).toBe(7);
  });
});

describe('POST /submit/:deployId: honeypot', () => {
  const FILLED: [string, string, string | Buffer][] = [
    ['a JSON string', JSON_TYPE, '{"a":"1","_hp":"bot"}'],
    ['a form field', FORM_TYPE, 'a=1&_hp=bot'],
    ['a part', MULTIPART_TYPE, multipartBody(['name="_hp"', 'bot'], ['name="a"', '1'])],
  ];

  it.each(FILLED)('answers 200 with a fresh id and stores nothing when _hp is %s', async (_case, type, body) => {
    const id = await deploy();
    const answers = [await submit(id, body, type), await submit(id, body, type)];
    expect(answers.map(({ status, text }) => [status, JSON.parse(text)])).toEqual(Array(2).fill([200, success]));
    expect(answers[0]?.text).not.toBe(answers[1]?.text);
    expect(await list(id)).toEqual({ submissions: [], total: 0, page: 1, limit: 50 });
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(0);
  });

  it('cannot be told from a success', async () => {
    const id = await deploy();
    const [taken, trapped] = [await submit(id), await submit(id, '{"_hp":"x"}')];
    const shown = ({ status, headers, text }: Answer) => {
      const fixed = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
      return { status, names: [...headers.keys()], fixed, message: JSON.parse(text).message };
    };
    expect(shown(trapped)).toEqual(shown(taken));
  });

  it('is neither counted nor limited nor delivered', async () => {
    const id = await deploy();
    await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/' }).expect(201);
    await owner.change(id, { email_notifications: true });
    const trapped = () => Promise.all(Array.from({ length: 12 }, () => submit(id, '_hp=x', FORM_TYPE)));
    expect((await trapped()).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await service.db('deliveries').where({ deployment_id: id })).toEqual([]);
    const taken = await Promise.all(Array.from({ length: 11 }, () => submit(id)));
    expect(taken.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429]);
    expect((await trapped()).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect((await list(id)).total).toBe(10);
  });
});

describe('POST /submit/:deployId: CORS', () => {
  /** The headers of an answer that concern CORS. */
  const corsOf = (headers: Headers): Record<string, string> =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
  const READABLE = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After, error-code' };

  async function options(path: string, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(service.url + path, { method: 'OPTIONS', headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it('lets every origin read every answer, and Retry-After', async () => {
    const id = await deploy();
    const answers = [
      await submit(id),
      await submit(id, '{"_hp":"x"}'),
      await submit(UNKNOWN_ID),
      await submit('%00'),
      await submit('%ff'),
      await submit(id, 'x', 'text/plain'),
      await submit(id, encode('json', [['a', 'x'.repeat(MAX_BYTES)]])),
      await submit(id, '{'),
      await post(`/submit/${id}`, '{"a":1}', {
        'Content-Type': JSON_TYPE,
        Origin: 'https://page.example',
        Cookie: 'a=1',
      }),
    ];
    for (let count = 2; count < 10; count += 1) await submit(id);
    answers.push(await submit(id));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 400, 415, 413, 400, 200, 429]);
    expect(answers.map(({ headers }) => corsOf(headers))).toEqual(answers.map(() => READABLE));
  });

  it('lets every origin read a failure of the service, which says nothing of its cause', async () => {
    const id = await deploy();
    await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/' }).expect(201);
    await service.db.raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON deliveries
        FOR EACH ROW WHEN (NEW.deployment_id = '${id}') EXECUTE FUNCTION fail()`);
    const { status, headers, text } = await submit(id);
    expect([status, text, corsOf(headers)]).toEqual([500, '{"error":"Internal server error"}', READABLE]);
    // A submission that could not be committed together with its deliveries was not committed at all.
    expect(await list(id)).toEqual({ submissions: [], total: 0, page: 1, limit: 50 });
  });

  it('answers the preflight with 204 for any id, asked headers allowed, without credentials', async () => {
    for (const id of [await deploy(), UNKNOWN_ID, 'x', '%00']) {
      const { status, headers, text } = await options(`/submit/${id}`, {
        Origin: 'https://page.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-asked',
      });
      const { 'access-control-max-age': _age, ...cors } = corsOf(headers);
      expect([status, text]).toEqual([204, '']);
      expect(cors).toEqual({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type,x-asked',
      });
    }
  });
});
