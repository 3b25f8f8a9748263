import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../../support/answers.ts';
import { multipartBody } from '../../support/multipart.ts';
import { type Owner, startTestService, type TestService, UNKNOWN_ID } from '../../support/service.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';
const MAX_BYTES = 256 * 1024;

type Encoding = 'json' | 'urlencoded' | 'multipart';
type Answer = { status: number; headers: Headers; text: string };

const TYPES = { json: JSON_TYPE, urlencoded: FORM_TYPE, multipart: MULTIPART_TYPE } as const;
const ENCODINGS: [Encoding][] = [['json'], ['urlencoded'], ['multipart']];

const success = { message: expect.any(String), id: expect.stringMatching(/^sub_[0-9A-Za-z]{20,}$/) };

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

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

/** What was stored for a deployment, newest first. */
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
    const body = encode(encoding, [
      ['name', 'Ada'],
      ['email', 'ada@test.example'],
    ]);
    const { status, headers, text } = await submit(id, body, TYPES[encoding]);
    expect([status, headers.get('content-type'), JSON.parse(text)]).toEqual([
      200,
      'application/json; charset=utf-8',
      success,
    ]);
    expect(await list(id)).toEqual({
      submissions: [
        {
          id: JSON.parse(text).id,
          data: { name: 'Ada', email: 'ada@test.example' },
          ip_address: '127.0.0.1',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
      total: 1,
      page: 1,
      limit: 50,
    });
  });

  it.each<[string, string | Buffer, unknown]>([
    ['application/json; charset=utf-8', '{"a":"é"}', { a: 'é' }],
    ['Application/JSON;charset="UTF-8"', '{"a":1}', { a: 1 }],
    ['application/x-www-form-urlencoded; charset=UTF-8', 'a=%C3%A9+', { a: 'é ' }],
    ['multipart/form-data; boundary="b"; charset=utf-8', multipartBody(['name="a"', 'é']), { a: 'é' }],
    [JSON_TYPE, '{}', {}],
    [FORM_TYPE, '', {}],
  ])('takes a body of %s', async (type, body, data) => {
    const id = await deploy();
    expect((await submit(id, body, type)).status).toBe(200);
    expect(await stored(id)).toEqual([data]);
  });

  it.each(ENCODINGS)('takes 1,000 fields and refuses more with 413: %s', async (encoding) => {
    const id = await deploy();
    expect((await submit(id, manyFields(encoding, 1000), TYPES[encoding])).status).toBe(200);
    expect((await submit(id, manyFields(encoding, 1001), TYPES[encoding])).status).toBe(413);
    expect((await submit(id, manyFields(encoding, 20_000), TYPES[encoding])).status).toBe(413);
    expect((await list(id)).total).toBe(1);
  });

  it('counts repeated names as fields', async () => {
    const id = await deploy();
    for (const encoding of ['json', 'urlencoded', 'multipart'] as const) {
      const body = encode(encoding, Array(1001).fill(['a', '1']));
      expect([encoding, (await submit(id, body, TYPES[encoding])).status]).toEqual([encoding, 413]);
    }
  });

  it.each(ENCODINGS)('takes MAX_SUBMISSION_BYTES and refuses more with 413: %s', async (encoding) => {
    const id = await deploy();
    const sized = (length: number, character = 'x') => encode(encoding, [['a', character.repeat(length)]]);
    expect((await submit(id, sized(ROOM[encoding]), TYPES[encoding])).status).toBe(200);
    expect((await submit(id, sized(MAX_BYTES), TYPES[encoding])).status).toBe(413);
    // Bytes, not characters.
    expect((await submit(id, sized(MAX_BYTES / 2, 'é'), TYPES[encoding])).status).toBe(413);
    expect((await list(id)).total).toBe(1);
  });

  it('refuses one byte too many', async () => {
    const id = await deploy();
    expect((await submit(id, encode('json', [['a', 'x'.repeat(ROOM.json + 1)]]), JSON_TYPE)).status).toBe(413);
    const parts = encode('multipart', [['a', 'x'.repeat(ROOM.multipart + 1)]]);
    expect((await submit(id, parts, MULTIPART_TYPE)).status).toBe(413);
    // What counts is the decoded size.
    const escaped = (length: number) => `a=${'%41'.repeat(length)}`;
    expect((await submit(id, escaped(ROOM.urlencoded), FORM_TYPE)).status).toBe(200);
    expect((await submit(id, escaped(MAX_BYTES), FORM_TYPE)).status).toBe(413);
  });

  it('takes gzip and counts what it holds', async () => {
    const id = await deploy();
    const send = (body: Buffer) =>
      post(`/submit/${id}`, body, { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' });
    const most = randomBytes(ROOM.json).toString('hex').slice(0, ROOM.json);
    expect((await send(gzipSync('{"a":"zipped"}'))).status).toBe(200);
    expect((await send(gzipSync(encode('json', [['a', most]])))).status).toBe(200);
    expect((await send(gzipSync(encode('json', [['a', `${most}x`]])))).status).toBe(413);
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' '));
    expect((await send(bomb)).status).toBe(413);
    expect((await send(gzipSync('{"a":"zipped"}').subarray(0, 20))).status).toBe(400);
    expect((await send(Buffer.from('{"a":"plain"}'))).status).toBe(400);
    expect((await list(id)).total).toBe(2);
  });

  it.each<[string, string | undefined]>([
    ['a missing type', undefined],
    ['text', 'text/plain'],
    ['XML', 'application/xml'],
    ['a type that only looks like JSON', 'application/jsonp'],
    ['no type at all', 'json'],
    ['JSON in latin1', 'application/json; charset=latin1'],
    ['JSON in UTF-16', 'application/json; charset=utf-16'],
    ['a form in latin1', 'application/x-www-form-urlencoded; charset=ISO-8859-1'],
    ['multipart in latin1', 'multipart/form-data; boundary=b; charset=latin1'],
    ['another multipart', 'multipart/mixed; boundary=b'],
  ])('answers 415 for %s', async (_case, type) => {
    const id = await deploy();
    const { status, text } = await post(`/submit/${id}`, '{"a":1}', type === undefined ? {} : { 'Content-Type': type });
    expect([status, JSON.parse(text)]).toEqual([415, failure]);
    expect(await stored(id)).toEqual([]);
  });

  it.each<[string, string, string | Buffer]>([
    ['an empty JSON body', JSON_TYPE, ''],
    ['malformed JSON', JSON_TYPE, '{"a":1'],
    ['JSON with something after it', JSON_TYPE, '{"a":1}x'],
    ['a JSON list', JSON_TYPE, '[{"a":1}]'],
    ['a JSON string', JSON_TYPE, '"a"'],
    ['JSON null', JSON_TYPE, 'null'],
    ['JSON nested over 100 levels', JSON_TYPE, `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    ['JSON nested 100,000 deep', JSON_TYPE, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['JSON nested 100,000 deep and never closed', JSON_TYPE, `{"a":${'['.repeat(100_000)}`],
    ['JSON that is not UTF-8', JSON_TYPE, Buffer.from('7b2261223a22ff227d', 'hex')],
    ['a form that is not UTF-8', FORM_TYPE, Buffer.from('613dff', 'hex')],
    ['a form that decodes to what is not UTF-8', FORM_TYPE, 'a=%E9t%E9'],
    ['a name that decodes to what is not UTF-8', FORM_TYPE, '%ED%A0%80=1'],
    ['a part that is not UTF-8', MULTIPART_TYPE, multipartBody(['name="a"', Buffer.from([0xff])])],
    [
      'a part whose name is not UTF-8',
      MULTIPART_TYPE,
      Buffer.from(multipartBody(['name="é"', 'x']).toString(), 'latin1'),
    ],
    ['multipart without a boundary', 'multipart/form-data', multipartBody(['name="a"', 'x'])],
    ['multipart with another boundary', 'multipart/form-data; boundary=c', multipartBody(['name="a"', 'x'])],
    ['multipart that ends early', MULTIPART_TYPE, multipartBody(['name="a"', 'x']).subarray(0, -8)],
    ['multipart that ends in a header', MULTIPART_TYPE, '--b\r\nContent-Disposition: form-data; name="a"'],
    ['a part without a name', MULTIPART_TYPE, multipartBody(['filename="a"', 'x'])],
    ['an empty multipart body', MULTIPART_TYPE, ''],
  ])('answers 400 for %s', async (_case, type, body) => {
    const id = await deploy();
    const { status, text } = await submit(id, body, type);
    expect([status, JSON.parse(text)]).toEqual([400, failure]);
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
    expect((await submit(gone, 'a=1', FORM_TYPE)).text).toBe(answers[0]?.text);
    expect((await service.db('submissions').where({ deployment_id: gone })).length).toBe(0);
  });

  it('answers 400 for an id that cannot be decoded, and 405 with Allow for another method', async () => {
    expect((await submit('%ff')).status).toBe(400);
    const response = await service.anonymous.get(`/submit/${await deploy()}`);
    expect([response.status, response.body]).toEqual([405, failure]);
    expect(response.headers.allow?.split(/, */).sort()).toEqual(['OPTIONS', 'POST']);
  });

  it('needs no credential and reads none', async () => {
    const id = await deploy();
    const headers = { 'Content-Type': JSON_TYPE, Authorization: 'Bearer nonsense' };
    expect((await post(`/submit/${id}`, '{"a":1}', headers)).status).toBe(200);
  });

  it('has committed the submission when it answers 200', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, deploy));
    const stored = await Promise.all(
      ids.map(async (id) => {
        const { text } = await submit(id);
        const rows = await service.db('submissions').where({ deployment_id: id }).select('id', 'data');
        return { answered: JSON.parse(text).id, rows };
      }),
    );
    for (const { answered, rows } of stored) expect(rows).toEqual([{ id: answered, data: '{"a":"1"}' }]);
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

  it('gives every answer an x-request-id of its own', async () => {
    const id = await deploy();
    const answers = await Promise.all([submit(id), submit(id), submit(UNKNOWN_ID), submit(id, '{')]);
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/\S/)));
    expect(new Set(ids).size).toBe(4);
  });
});

describe('POST /submit/:deployId: honeypot', () => {
  const FILLED: [string, string, string | Buffer][] = [
    ['a JSON string', JSON_TYPE, '{"a":"1","_hp":"bot"}'],
    ['JSON white space', JSON_TYPE, '{"_hp":" "}'],
    ['JSON false', JSON_TYPE, '{"_hp":false}'],
    ['JSON 0', JSON_TYPE, '{"_hp":0}'],
    ['a JSON object', JSON_TYPE, '{"_hp":{}}'],
    ['one of a JSON list', JSON_TYPE, '{"_hp":["",null,"bot"]}'],
    ['one of several JSON members', JSON_TYPE, '{"_hp":"bot","_hp":""}'],
    ['a JSON name with escapes', JSON_TYPE, '{"\\u005fhp":"bot"}'],
    ['a form field', FORM_TYPE, 'a=1&_hp=bot'],
    ['one of several form fields', FORM_TYPE, '_hp=&_hp=bot&_hp='],
    ['an encoded name', FORM_TYPE, '%5Fhp=bot'],
    ['a part', MULTIPART_TYPE, multipartBody(['name="_hp"', 'bot'], ['name="a"', '1'])],
    ['one of several parts', MULTIPART_TYPE, multipartBody(['name="_hp"', ''], ['name="_hp"', 'bot'])],
  ];

  it.each(FILLED)('answers 200 with a fresh id and stores nothing when _hp is %s', async (_case, type, body) => {
    const id = await deploy();
    const answers = [await submit(id, body, type), await submit(id, body, type)];
    expect(answers.map(({ status, text }) => [status, JSON.parse(text)])).toEqual([
      [200, success],
      [200, success],
    ]);
    expect(answers[0]?.text).not.toBe(answers[1]?.text);
    expect(await list(id)).toEqual({ submissions: [], total: 0, page: 1, limit: 50 });
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(0);
  });

  it.each<[string, string, string | Buffer, unknown]>([
    ['an empty string', JSON_TYPE, '{"_hp":"","a":1}', { _hp: '', a: 1 }],
    ['null', JSON_TYPE, '{"_hp":null}', { _hp: null }],
    ['a list of only those', JSON_TYPE, '{"_hp":["",null]}', { _hp: ['', null] }],
    ['an empty form field', FORM_TYPE, '_hp=&a=1', { _hp: '', a: '1' }],
    ['a form field without a value', FORM_TYPE, '_hp', { _hp: '' }],
    ['several empty form fields', FORM_TYPE, '_hp=&_hp=', { _hp: ['', ''] }],
    ['an empty part', MULTIPART_TYPE, multipartBody(['name="_hp"', '']), { _hp: '' }],
    ['another name', JSON_TYPE, '{"_HP":"x","hp":"x","a":{"_hp":"x"}}', { _HP: 'x', hp: 'x', a: { _hp: 'x' } }],
  ])('stores a submission whose _hp is %s like any other', async (_case, type, body, data) => {
    const id = await deploy();
    expect((await submit(id, body, type)).status).toBe(200);
    expect(await stored(id)).toEqual([data]);
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
    await owner.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
    const trapped = () => Promise.all(Array.from({ length: 12 }, () => submit(id, '_hp=x', FORM_TYPE)));
    expect((await trapped()).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await service.db('deliveries').where({ deployment_id: id })).toEqual([]);
    const taken = await Promise.all(Array.from({ length: 11 }, () => submit(id)));
    expect(taken.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429]);
    expect((await trapped()).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect((await list(id)).total).toBe(10);
  });

  it('is a 404 all the same for an unknown deployment', async () => {
    const gone = await deploy();
    await owner.delete(`/deploy/${gone}`).expect(200);
    for (const id of [UNKNOWN_ID, gone, 'x', '%00']) {
      const trapped = await submit(id, '{"_hp":"x"}');
      expect([trapped.status, trapped.text]).toEqual([404, (await submit(UNKNOWN_ID)).text]);
    }
  });
});

describe('POST /submit/:deployId: CORS', () => {
  /** The headers of an answer that concern CORS. */
  const corsOf = (headers: Headers): Record<string, string> =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
  const READABLE = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' };
  const UNREADABLE = {};

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
    // What could not be committed together with its deliveries was not committed at all.
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
      expect([status, text, cors]).toEqual([
        204,
        '',
        {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type,x-asked',
        },
      ]);
    }
  });

  it('answers a preflight that asks for no header', async () => {
    const asked = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' };
    const { status, headers } = await options(`/submit/${UNKNOWN_ID}`, asked);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(headers.get('access-control-allow-credentials')).toBe(null);
  });

  it('is on no other endpoint', async () => {
    const id = await deploy();
    const asked = {
      Origin: 'https://page.example',
      Authorization: `Bearer ${owner.key}`,
      'Access-Control-Request-Method': 'POST',
    };
    for (const path of ['/deploy', `/submissions/${id}`, `/webhooks/${id}`, `/webhooks/${id}/wh_x`, `/deploy/${id}`]) {
      for (const method of ['OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(service.url + path, { method, headers: asked });
        await response.text();
        expect([method, path, corsOf(response.headers)]).toEqual([method, path, UNREADABLE]);
      }
    }
  });
});
