import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { parse } from 'csv-parse/sync';
import readWorkbook from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { answer, failure, refused } from '../../support/answers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { testService } from '../../support/test-service.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
type Format = keyof typeof TYPES;
const FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
const TIME = '2026-01-02T03:04:05.678Z';

const service = await testService({}, undefined, { limits: { reads: { watchIntervalMs: 1 } } });
const owner = await service.owner();

/** A deployment with submissions of these texts, numbered from 1. */
async function filled(texts: readonly string[]): Promise<string> {
  const { id } = await owner.deploy({});
  const times = texts.map(() => TIME.replace('Z', '999Z'));
  await storeTexts(service.db, id, texts, { times, ipAddress: '2001:db8::1' });
  return id;
}

const get = (path: string, method = 'GET', who = owner): Promise<Response> =>
  fetch(service.url + path, { method, headers: { Authorization: `Bearer ${who.key}` } });

async function download(id: string, format: Format): Promise<Buffer> {
  const response = await get(`/submissions/${id}/export.${format}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}
const exported = async (id: string, format: Format): Promise<string> => (await download(id, format)).toString();

/** A deployment with submissions of 30 MB, packed too: more than the buffers of a connection take while nobody reads. */
let largeId: Promise<string> | undefined;
const large = (): Promise<string> => (largeId ??= fillLarge());
async function fillLarge(): Promise<string> {
  const { id } = await owner.deploy();
  // Each fits into a cell, and two are more than zlib looks back.
  const texts = Array.from({ length: 8 }, () => randomBytes(24_000).toString('base64'));
  await service.db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n, CAST(:data AS json), '', now()
       FROM generate_series(1, 150) AS n`,
    { id, data: JSON.stringify({ ...texts }) },
  );
  await service.db('deployments').where({ id }).update({ submission_count: 150, last_submission_number: 150 });
  return id;
}

/** The header and the fields' part of each row, as a CSV reader has them. */
async function table(texts: readonly string[]): Promise<string[][]> {
  const id = await filled(texts);
  const rows: string[][] = parse(await exported(id, 'csv'));
  const fixed = rows.map((row) => row.slice(0, 3));
  expect(fixed).toEqual([
    ['id', 'created_at', 'ip_address'],
    ...texts.map((_text, index) => [storedId(id, index + 1), TIME, '2001:db8::1']),
  ]);
  return rows.map((row) => row.slice(3));
}

describe.each(FORMATS)('GET /submissions/:deployId/export.%s', (format) => {
  it('answers an attachment that no cache keeps', async () => {
    const { id, slug } = await owner.deploy();
    const path = `/submissions/${id}/export.${format}`;
    const date = new Date().toISOString().slice(0, 10);
    const { headers } = await owner.get(path).buffer(true).expect(200);
    expect(headers).toMatchObject({
      'content-type': TYPES[format],
      'content-disposition': `attachment; filename="${slug}-${date}.${format}"`,
      'cache-control': 'no-store',
    });
  });

  it('has only what the parameters of a search find', async () => {
    const { id } = await owner.deploy();
    const times = Array.from({ length: 300 }, (_, index) => new Date(Date.UTC(2026, 0, 1, 0, index + 1)));
    await storeTexts(
      service.db,
      id,
      times.map((_, index) => `{"n":${index + 1}}`),
      { times },
    );
    const mark = async (action: string, numbers: number[]) =>
      owner.mark(
        id,
        action,
        numbers.map((n) => storedId(id, n)),
      );
    await mark(
      'read',
      Array.from({ length: 290 }, (_, index) => index + 1),
    );
    await mark('star', [7, 17, 297, 299]);
    const found = async (query: string): Promise<unknown[]> => {
      const response = await get(`/submissions/${id}/export.${format}?${query}`);
      expect(response.status).toBe(200);
      return numbersIn(Buffer.from(await response.arrayBuffer()), format);
    };
    expect(await found('q=99')).toEqual([99, 199, 299]);
    expect(await found('unread=true&to=2026-01-01T04:55Z')).toEqual([291, 292, 293, 294]);
    expect(await found('starred=true')).toEqual([7, 17, 297, 299]);
    expect(await found('starred=true&unread=true&q=9')).toEqual([297, 299]);
    expect(await found('from=2026-01-01T00:02Z&to=2026-01-01T00:04Z')).toEqual([2, 3]);
    expect(await found('from=2027-01-01')).toEqual([]);
    for (const query of ['unread=1', 'from=2026-01-02&to=2026-01-01']) {
      expect(answer(await owner.get(`/submissions/${id}/export.${format}?${query}`))).toEqual(refused(400));
    }
  });

  it('breaks off when its key is revoked', async () => {
    const id = await large();
    const { body } = await owner.post('/keys').send({ name: 'For an export' }).expect(201);
    const response = await openExport(id, format, body.key);
    await owner.delete(`/keys/${body.id}`).expect(200);
    await expect(response.toArray()).rejects.toThrow('aborted');
  });

  it('breaks off where the database fails, and never looks whole', async () => {
    const id = await large();
    const response = await openExport(id, format);
    await service.db.raw('ALTER TABLE submissions RENAME TO elsewhere');
    try {
      await expect(response.toArray()).rejects.toThrow('aborted');
    } finally {
      await service.db.raw('ALTER TABLE elsewhere RENAME TO submissions');
    }
  });
});

it('two exports of an owner run at a time; a third is a 503, until clients leave', async () => {
  const id = await large();
  const open = [await openExport(id, 'csv'), await openExport(id, 'xlsx')];
  for (const format of FORMATS) {
    const refusal = await owner.get(`/submissions/${id}/export.${format}`);
    expect([answer(refusal), refusal.headers['retry-after']]).toEqual([refused(503), '10']);
  }
  const stranger = await service.owner();
  const theirs = `/submissions/${(await stranger.deploy()).id}/export.csv`;
  expect((await get(theirs, 'GET', stranger)).status).toBe(200);
  for (const response of open) response.destroy();
  await expect.poll(async () => (await get(`/submissions/${id}/export.csv`, 'HEAD')).status).toBe(200);
});

/** The values of a field `n`, the only one. */
async function numbersIn(file: Buffer, format: Format): Promise<unknown[]> {
  switch (format) {
    case 'csv':
      return parse(file, { fromLine: 2 }).map((row: string[]) => Number(row[3]));
    case 'ndjson':
      return Array.from(`${file}`.matchAll(/.+/g), ([line]) => JSON.parse(line).data.n);
    case 'xlsx':
      return (await readWorkbook(file)).flatMap(({ data }) => data.slice(1).map((row) => row[3]));
  }
}

/** An export whose body nobody reads yet. */
const openExport = (id: string, format: Format, key = owner.key): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    httpRequest(`${service.url}/submissions/${id}/export.${format}`, {
      headers: { Authorization: `Bearer ${key}` },
      agent: false,
    })
      .once('response', resolve)
      .once('error', reject)
      .end();
  });

describe('export.ndjson with after', () => {
  const from = async (id: string, after: string) =>
    (await get(`/submissions/${id}/export.ndjson?after=${after}`)).text();

  it('has what follows the submission, or the number', async () => {
    const id = await filled(['{"a":"1"}', '{"b":"\\n"}', '{"a":"3"}']);
    const whole = await exported(id, 'ndjson');
    const last = whole.slice(whole.indexOf(`{"id":"${storedId(id, 3)}"`));
    expect(await Promise.all([from(id, storedId(id, 2)), from(id, '2')])).toEqual([last, last]);
    expect([await from(id, '0'), await from(id, storedId(id, 3))]).toEqual([whole, '']);
  });

  it('is a 404 for a submission that is not there, and a 400 for what is no cursor', async () => {
    const [id, other] = [await filled(['{}']), await filled(['{}'])];
    const answers = [storedId(other, 1), 'sub_000000000000000000000000', 'x', '-1', '', '1&after=1'].map((after) =>
      owner.get(`/submissions/${id}/export.ndjson?after=${after}`),
    );
    expect((await Promise.all(answers)).map(({ status, body }) => [status, body])).toEqual(
      [404, 404, 400, 400, 400, 400].map((status) => [status, failure]),
    );
  });
});

describe('export.ndjson', () => {
  it('has a line for each, with the text as it was submitted, but for line ends between tokens', async () => {
    const odd = '{"b":1.10,"b":12345678901234567890,"\\u0000":"\\ud800\\n","__proto__":[ 1 ]}';
    const texts = [odd, '{\n"a" :\r\n[1,\r2],"b":"\\n\\r\u2028é"\t}', '{}'];
    const id = await filled(texts);
    const lines = texts.map(
      (text, index) =>
        `{"id":"${storedId(id, index + 1)}","data":${text.replaceAll(/[\r\n]/g, '')},"ip_address":"2001:db8::1","created_at":"${TIME}"}\n`,
    );
    expect(await exported(id, 'ndjson')).toBe(lines.join(''));
    const listed = (await owner.get(`/submissions/${id}`)).body.submissions;
    expect(lines.map((line) => JSON.parse(line)).toReversed()).toEqual(listed);
  });

  it('is empty without submissions', async () => {
    expect(await exported(await filled([]), 'ndjson')).toBe('');
  });
});

describe('export.csv', () => {
  it('begins with a byte order mark where one is asked for', async () => {
    const id = await filled(['{"é":"ü"}']);
    const get = (query: string) => owner.get(`/submissions/${id}/export.csv${query}`).responseType('blob');
    const plain: Buffer = (await get('').expect(200)).body;
    expect((await get('?bom=1').expect(200)).body).toEqual(Buffer.concat([Buffer.from('\uFEFF'), plain]));
    await get('?bom=0').expect(400);
  });

  it('is RFC 4180: CRLF, quotes where they are needed, doubled within', async () => {
    const id = await filled(['{"a,b":"say \\"hi\\"","c":"x\\ny","plain":"z","é":" "}']);
    expect(await exported(id, 'csv')).toBe(
      `id,created_at,ip_address,"a,b",c,plain,é\r\n${storedId(id, 1)},${TIME},2001:db8::1,"say ""hi""","x\ny",z, \r\n`,
    );
  });

  it('has the fields in the order of first appearance over all submissions, and nothing where one has none', async () => {
    const rows = await table(['{"b":"1","10":"2"}', '{}', '{"a":"3","b":"4","2":"5"}', '{"__proto__":"6","a":"7"}']);
    expect(rows.map((row) => row.join())).toEqual(['b,10,a,2,__proto__', '1,2,,,', ',,,,', '4,,3,5,', ',,7,,6']);
  });

  it('writes strings without quotes, nothing for null, and other values as compact JSON', async () => {
    const values: [value: string, cell: string][] = [
      ['"a \\"b\\" \\u00e9\\n"', 'a "b" é\n'],
      ['null', ''],
      ['1.10', '1.10'],
      ['12345678901234567890', '12345678901234567890'],
      ['true', 'true'],
      ['[ "a", "b\\u0020c" , 1 ]', '["a","b\\u0020c",1]'],
      ['{ "filename" : "a.txt", "size": 1 }', '{"filename":"a.txt","size":1}'],
      ['"=1+1"', "'=1+1"],
      ['-5', '-5'],
      ['-1e5', "'-1e5"],
      ['"a\\u0000b\\ud800"', 'a\ufffdb\ufffd'],
    ];
    const rows = await table(values.map(([value]) => `{"x":${value}}`));
    expect(rows).toEqual([['x'], ...values.map(([, cell]) => [cell])]);
  });

  it.each(['null', '""', '[]', '[ null, "" ]'])('leaves out `_redirect` and an empty `_hp`: %s', async (trap) => {
    const rows = await table([`{"_redirect":"/thanks","a":1,"_hp":${trap}}`, `{"b":2,"_hp":${trap},"a":3}`]);
    expect(rows.map((row) => row.join())).toEqual(['a,b', '1,', '3,2']);
  });

  it('keeps all values of a name that repeats, as a list', async () => {
    expect(await table(['{"a":1,"b":"x","a":[ 2 ],"a":"\\u0033"}'])).toEqual([
      ['a', 'b'],
      ['[1,[2],"\\u0033"]', 'x'],
    ]);
  });

  it('makes names harmless, and tells them from the columns that each row has', async () => {
    const fixed = ['id', 'data.id', 'created_at', 'ip_address', 'other_fields'];
    const others = ['ID', 'data', '', 'a"b', 'n\n'];
    const data = JSON.stringify(
      Object.fromEntries(['=x', '-', ...fixed, ...others].map((name) => [name, name.length])),
    );
    expect((await table([data]))[0]).toEqual(["'=x", "'-", ...fixed.map((name) => `data.${name}`), ...others]);
  });

  it('puts fields beyond 10,000 columns into one last column, as JSON', async () => {
    const texts = Array.from({ length: 11 }, (_, row) => {
      const names = Array.from({ length: 1_000 }, (_, index) => `"f${row * 1_000 + index}":"x"`);
      return `{${names.join(',')}}`;
    });
    const rows = await table([...texts, '{"f1":1,"late \\ud800":[ 1 ],"late \\ud800":2,"=":3}']);
    expect(rows[0]?.length).toBe(10_001);
    expect(rows[0]?.slice(-2)).toEqual(['f9999', 'other_fields']);
    expect(rows[10]?.slice(-2)).toEqual(['x', '']);
    expect(JSON.parse(rows[11]?.at(-1) ?? '')).toEqual(JSON.parse(texts[10] ?? ''));
    expect(rows[12]?.filter((cell) => cell !== '')).toEqual(['1', '{"late \\ud800":[[1],2],"=":3}']);
  });

  it('keeps no more than 1 MiB of names as columns', async () => {
    const name = (n: number) => `${n}`.padStart(300_000, 'n');
    const texts = [1, 2, 3, 4, 5].map((n) => `{"${name(n)}":${n}}`);
    const [header, ...rows] = await table([...texts, '{"short":1}']);
    expect(header?.map((cell) => cell.length)).toEqual([300_000, 300_000, 300_000, 5, 12]);
    expect(rows.map((row) => row.findLast((cell) => cell !== '')?.length)).toEqual([1, 1, 1, 300_006, 300_006, 1]);
  });
});
