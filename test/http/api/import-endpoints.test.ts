import { describe, expect, it } from 'vitest';
import { testService } from '../../support/test-service.ts';

const service = await testService({ STORAGE_LIMITS: 'free:1MB,unlimited:none', PLAN_LIMITS: 'free:20,unlimited:none' });
const owner = await service.owner();

const CSV = { 'Content-Type': 'text/csv' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const DONE = (imported: number) => ({ status: 200, body: { imported, errors: [] } });

type Listed = { id: string; data: unknown; ip_address: string; created_at: string };
type Found = { submissions: Listed[]; next_cursor: string | null };

const importInto = (
  id: string,
  file: string | Buffer,
  query = '',
  headers: Record<string, string> = CSV,
  who = owner,
) => who.send('POST', `/submissions/${id}/import${query}`, file, headers);

async function listed(id: string): Promise<Listed[]> {
  const { body } = await owner.get(`/submissions/${id}?limit=100`).expect(200);
  return body.submissions;
}
const dataOf = async (id: string): Promise<unknown[]> => (await listed(id)).map(({ data }) => data);
const timesOf = async (id: string): Promise<string[]> => (await listed(id)).map(({ created_at }) => created_at);

async function exported(id: string, format: 'csv' | 'ndjson'): Promise<string> {
  const answered = await fetch(`${service.url}/submissions/${id}/export.${format}`, {
    headers: { Authorization: `Bearer ${owner.key}` },
  });
  return answered.text();
}
/** Lines of an export without the ids. */
const withoutIds = (text: string): string => text.replaceAll(/sub_\w+/g, '');

describe('POST /submissions/:deployId/import', () => {
  it('imports rows in any order, with their times and addresses, as read submissions that nobody gets', async () => {
    const { id } = await owner.deploy();
    const webhook = { url: 'https://hooks.example.org/', type: 'generic', events: ['submission'] };
    await owner.post(`/webhooks/${id}`).send(webhook).expect(201);
    const file = [
      'created_at,ip_address,name,10,2,__proto__',
      '2024-05-02T00:00:00Z,203.0.113.9,Bea,x,y,z',
      '2024-05-01T13:45:10.123Z,,"A ""da"", O’Neil\nsecond line",,0042,',
      '2024-05-03T00:00:00+02:00,2001:db8::7,Cyd,,,',
    ].join('\r\n');
    expect(await importInto(id, file)).toEqual(DONE(3));
    expect(await listed(id)).toEqual([
      {
        id: expect.any(String),
        data: { name: 'Cyd' },
        ip_address: '2001:db8::7',
        created_at: '2024-05-02T22:00:00.000Z',
      },
      {
        ...{ id: expect.any(String), ip_address: '203.0.113.9', created_at: '2024-05-02T00:00:00.000Z' },
        data: JSON.parse('{"name":"Bea","10":"x","2":"y","__proto__":"z"}'),
      },
      {
        ...{ id: expect.any(String), ip_address: '', created_at: '2024-05-01T13:45:10.123Z' },
        data: { name: 'A "da", O’Neil\nsecond line', 2: '0042' },
      },
    ]);
    expect(await exported(id, 'ndjson')).toContain('"data":{"name":"Bea","10":"x","2":"y","__proto__":"z"}');
    const ids = (await listed(id)).map((one) => one.id);
    expect(ids.toSorted()).toEqual(ids.toReversed());
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    expect(body).toMatchObject({
      total: 3,
      submissions: Array(3).fill({ read: true, starred: false, page_version: 1 }),
    });
    expect((await owner.get(`/submissions/${id}/search?unread=true`).expect(200)).body.submissions).toEqual([]);
    expect(await service.db('deliveries').where({ deployment_id: id })).toEqual([]);
    expect((await owner.get(`/submissions/${id}/after/0`).expect(200)).body).toEqual({ submissions: [], cursor: '0' });
  });

  it.each(['csv', 'ndjson'] as const)('takes the export.%s of a page, and exports the same again', async (format) => {
    const { id } = await owner.deploy();
    for (const text of [
      '{"name":"=1+1","tags":["a","b"],"n":1.10}',
      '{"id":"mine","created_at":"x","data.id":"y","-":"-5"}',
      '{"note":"a;=b\\n@c","o":{"a":[1]}}',
    ])
      await service.submit(id, text);
    const before = await exported(id, format);
    const { id: target } = await owner.deploy();
    expect(await importInto(target, before, '', format === 'csv' ? CSV : NDJSON)).toEqual(DONE(3));
    expect(withoutIds(await exported(target, format))).toBe(withoutIds(before));
    if (format === 'csv') {
      const names = { id: 'mine', created_at: 'x', 'data.id': 'y', '-': '-5' };
      expect((await dataOf(target)).slice(1)).toEqual([names, { name: '=1+1', tags: ['a', 'b'], n: '1.10' }]);
    }
    // That file is not older when it comes again.
    expect((await importInto(target, before, '', format === 'csv' ? CSV : NDJSON)).status).toBe(409);
  });

  it('keeps the text of NDJSON', async () => {
    const { id } = await owner.deploy();
    const lines = [
      '{"b":1.10,"a":"\\ud800","a":12345678901234567890,"created_at":1714571110}',
      '',
      ' {"__proto__":{"x":[null,"\\u0000"]},"ip_address":"203.0.113.1","created_at":"2024-05-01T13:45:11Z"} \r',
    ];
    expect(await importInto(id, lines.join('\n'), '', NDJSON)).toEqual(DONE(2));
    const text = await exported(id, 'ndjson');
    expect(text).toContain('"data":{"b":1.10,"a":"\\ud800","a":12345678901234567890}');
    expect(text).toContain('"data":{"__proto__":{"x":[null,"\\u0000"]}}');
    expect(await timesOf(id)).toEqual(['2024-05-01T13:45:11.000Z', '2024-05-01T13:45:10.000Z']);
  });

  it.each([
    ['a missing name', NDJSON, '{"a":1}\n{"a":}', [{ line: 2, message: 'The line is not valid JSON.' }]],
    ['no object', NDJSON, '[1]\n{"a":1}', [{ line: 1, message: 'The line is not a JSON object.' }]],
    [
      'wrong times and addresses',
      CSV,
      'created_at,ip_address,a\nsoon,,1\n2024-05-01T00:00:00Z,localhost,"x\r\ny"\n2024-02-30,,3\n2999-01-01,,4\n1969-12-31,,5',
      [
        { line: 2, message: '“soon” is not a time that can be read: write it as 2024-05-01T13:45:10Z.' },
        { line: 3, message: '“localhost” is not an IP address.' },
        { line: 5, message: '“2024-02-30” is not a time that can be read: write it as 2024-05-01T13:45:10Z.' },
        { line: 6, message: 'The time is in the future.' },
        { line: 7, message: 'The time is before 1970.' },
      ],
    ],
    [
      'an open quote',
      CSV,
      'a,b\n1,2\n\n"3,4\n5,6',
      [
        {
          line: 4,
          message: 'A quote that begins a cell here is never closed: close it, or double the quotes inside the cell.',
        },
      ],
    ],
    [
      'too many cells',
      CSV,
      'a,b\n1,2,,\n1,2,3',
      [{ line: 3, message: 'The row has more cells than the header row: check its quotes and separators.' }],
    ],
    [
      'a large cell',
      CSV,
      `a,b\n1,2\n3,${'x'.repeat(10_000_000)}\n`,
      [{ line: 3, message: 'The row is too large: shorten its values, or check the quotes before it.' }],
    ],
  ])('names the lines with %s, and imports nothing', async (_name, headers, file, errors) => {
    const { id } = await owner.deploy();
    expect(await importInto(id, file, '', headers)).toEqual({ status: 200, body: { imported: 0, errors } });
    expect(await listed(id)).toEqual([]);
  });

  it.each([
    ['2024-05-01 13:45:10 UTC', '2024-05-01T13:45:10.000Z'],
    ['Wed May 01 2024 13:45:10 GMT+0200 (Central European Summer Time)', '2024-05-01T11:45:10.000Z'],
    ['2024/05/01 1:45:10 PM GMT+2', '2024-05-01T11:45:10.000Z'],
    ['Wed, 01 May 2024 13:45:10 -0500', '2024-05-01T18:45:10.000Z'],
    ['May 1, 2024, 12:05 am', '2024-05-01T04:05:00.000Z'],
    ['01.05.2024 13:45:10', '2024-05-01T17:45:10.000Z'],
    ['2024-11-03 01:30', '2024-11-03T05:30:00.000Z'],
    ['1714571110.5', '2024-05-01T13:45:10.500Z'],
    ['1714571110123', '2024-05-01T13:45:10.123Z'],
  ])('reads the time %s', async (text, expected) => {
    const { id } = await owner.deploy();
    const query = '?time=Submitted%20at&time_zone=America/New_York';
    expect(await importInto(id, `Submitted at;name\n"${text}";Ada\n`, query)).toEqual(DONE(1));
    expect(await listed(id)).toMatchObject([{ created_at: expected, data: { name: 'Ada' } }]);
  });

  it('finds out from all rows whether the day or the month comes first', async () => {
    const [first, second] = [await owner.deploy(), await owner.deploy()];
    const file = (...times: string[]) => `Timestamp,a\n${times.map((text) => `${text},1`).join('\n')}\n`;
    expect(await importInto(first.id, file('5/1/2024 1:00:00', '5/13/2024 1:00:00'), '?time=Timestamp')).toEqual(
      DONE(2),
    );
    expect(await timesOf(first.id)).toEqual(['2024-05-13T01:00:00.000Z', '2024-05-01T01:00:00.000Z']);
    expect(await importInto(second.id, file('5/1/2024', '7/2/2024'), '?time=Timestamp')).toMatchObject({
      body: { imported: 0, errors: [{ line: 2 }] },
    });
    expect(await importInto(second.id, file('5/1/2024', '13/1/2024', '1/14/2024'), '?time=Timestamp')).toMatchObject({
      body: { imported: 0, errors: [{ line: 4 }] },
    });
    expect(await importInto(second.id, file('5/1/2024', '7/2/2024'), '?time=Timestamp&date_order=day-first')).toEqual(
      DONE(2),
    );
    expect(await timesOf(second.id)).toEqual(['2024-02-07T00:00:00.000Z', '2024-01-05T00:00:00.000Z']);
  });

  it('reads what spreadsheets write: byte order marks, UTF-16, tabs, rows of separators, and their line with the separator', async () => {
    const { id } = await owner.deploy();
    const table = '\ufeffcreated_at\tNäme\n2024-05-01\tÄda 😀\n\t\n';
    expect(await importInto(id, Buffer.from(table, 'utf16le'))).toEqual(DONE(1));
    expect(await importInto(id, Buffer.from(table.replace('2024', '2023'), 'utf16le').swap16())).toEqual(DONE(1));
    expect(await importInto(id, '\ufeffsep=;\r\ncreated_at;Näme\r\n2022-05-01;Äda 😀\r\n;\r\n')).toEqual(DONE(1));
    expect(await dataOf(id)).toEqual(Array(3).fill({ Näme: 'Äda 😀' }));
    const latin1 = Buffer.from('created_at,Näme\n2021-05-01,x', 'latin1');
    expect((await importInto(id, latin1)).status).toBe(400);
  });

  it('makes a list of a column that repeats, and leaves columns out', async () => {
    const { id } = await owner.deploy();
    const file = 'c,c,State,b\n1,2,new,x\n,3,old,\n';
    expect(await importInto(id, file, `?leave_out=${encodeURIComponent('["State"]')}`)).toEqual(DONE(2));
    expect(await dataOf(id)).toEqual([{ c: '3' }, { c: ['1', '2'], b: 'x' }]);
  });

  it('leaves out the times and the addresses of a file that has them under the usual names', async () => {
    const names = encodeURIComponent('["created_at","ip_address"]');
    for (const [file, headers] of [
      ['created_at,ip_address,a\nlong ago,hidden,1\n', CSV],
      ['{"created_at":"long ago","ip_address":"hidden","a":"1"}', NDJSON],
    ] as const) {
      const { id } = await owner.deploy();
      expect(await importInto(id, file, `?leave_out=${names}`, headers)).toEqual(DONE(1));
      expect(await listed(id)).toMatchObject([{ data: { a: '1' }, ip_address: '' }]);
    }
    const [{ id: from }, { id: to }] = [await owner.deploy(), await owner.deploy()];
    await service.submit(from, '{"a":"1","b":"2"}');
    const query = `?leave_out=${encodeURIComponent('["ip_address","b"]')}`;
    for (const format of ['csv', 'ndjson'] as const) {
      const file = (await exported(from, format)).replaceAll(/20\d\d-/g, format === 'csv' ? '2020-' : '2019-');
      expect(await importInto(to, file, query, format === 'csv' ? CSV : NDJSON)).toEqual(DONE(1));
    }
    expect(await listed(to)).toMatchObject(Array(2).fill({ data: { a: '1' }, ip_address: '' }));
  });

  it.each([
    ['?time=When', 'a\n1', 400],
    ['?leave_out=a', 'a\n1', 400],
    ['?time=a&leave_out=["a"]', 'a\n1', 400],
    ['?leave_out=["z"]', 'a\n1', 400],
    ['?time=a&ip=a', 'a\n1', 400],
    ['?time=a&time=b', 'a,b\n1,2', 400],
    ['?time_zone=Nowhere', 'a\n1', 400],
    ['?date_order=never', 'a\n1', 400],
    ['', 'created_at,created_at\n1,2', 400],
    ['', '', 400],
    ['', `${'a,'.repeat(100_000)}\n1`, 400],
  ])('refuses %s', async (query, file, status) => {
    const { id } = await owner.deploy();
    expect((await importInto(id, file, query)).status).toBe(status);
  });

  it('refuses other types, other owners, keys that only read, and too many rows', async () => {
    const { id } = await owner.deploy();
    expect((await importInto(id, '[]', '', { 'Content-Type': 'application/json' })).status).toBe(415);
    expect((await importInto(id, 'a\n1', '', CSV, await service.owner())).status).toBe(404);
    const { body } = await owner.post('/keys').send({ name: 'reader', scope: 'read' }).expect(201);
    const answered = await fetch(`${service.url}/submissions/${id}/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${body.key}`, ...CSV },
      body: 'a\n1',
    });
    expect(answered.status).toBe(403);
    expect((await importInto(id, `a\n${'1\n'.repeat(100_001)}`)).status).toBe(413);
    expect(await importInto(id, 'a\n')).toEqual(DONE(0));
    expect(await importInto(id, '', '', NDJSON)).toEqual(DONE(0));
  });

  it('takes only rows that are older than all submissions, and gives a time to rows without one where there are none', async () => {
    const { id } = await owner.deploy();
    expect(await importInto(id, 'name\nAda\nBea\n')).toEqual(DONE(2));
    expect(await dataOf(id)).toEqual([{ name: 'Bea' }, { name: 'Ada' }]);
    expect((await importInto(id, 'name\nCyd\n')).status).toBe(409);
    const oldest = (await timesOf(id)).at(-1);
    expect((await importInto(id, `created_at,name\n${oldest},Cyd\n2020-01-01,Dan\n`)).status).toBe(409);
    expect(await importInto(id, 'created_at,name\n2021-01-01,Cyd\n2020-01-01,Dan\n')).toEqual(DONE(2));
    expect(await importInto(id, 'created_at,name\n2019-01-01,Eve\n')).toEqual(DONE(1));
    await service.submit(id, '{"name":"Fay"}');
    const names = (await dataOf(id)).map((data) => (data instanceof Object && 'name' in data ? data.name : undefined));
    expect(names).toEqual(['Fay', 'Bea', 'Ada', 'Cyd', 'Dan', 'Eve']);
  });

  it('shows imported submissions wherever submissions are shown', async () => {
    const { id, slug } = await owner.deploy();
    const rows = Array.from({ length: 25 }, (_, index) => `2024-05-${String(index + 1).padStart(2, '0')},${index + 1}`);
    expect(await importInto(id, `created_at,n\n${rows.join('\n')}\n`)).toEqual(DONE(25));
    await service.submit(id, '{"n":"26"}');
    const page = await owner.get(`/submissions/${id}?limit=10&page=3`).expect(200);
    expect(page.body.submissions.map(({ data }: Listed) => data)).toEqual(
      [6, 5, 4, 3, 2, 1].map((n) => ({ n: String(n) })),
    );
    const stats = await owner.get(`/deploy/${id}/stats?from=2024-05-03&to=2024-05-11`).expect(200);
    expect(stats.body.total).toBe(8);
    const found: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `limit=1&q=n&from=2024-05-23${cursor && `&cursor=${cursor}`}`;
      const { body }: { body: Found } = await owner.get(`/submissions/${id}/search?${query}`).expect(200);
      found.push(...body.submissions.map(({ data }: Listed) => data));
      cursor = body.next_cursor;
    }
    expect(found).toEqual([26, 25, 24, 23].map((n) => ({ n: String(n) })));
    const overview = (await owner.get('/overview?limit=100').expect(200)).body.deployments;
    expect(overview.find((one: { slug: string }) => one.slug === slug)).toMatchObject({
      submission_count: 26,
      unread: 1,
    });
    expect((await exported(id, 'csv')).split('\r\n')).toHaveLength(28);
    const [newest] = await listed(id);
    const after = (await owner.get(`/submissions/${id}/after/0`).expect(200)).body;
    expect(after).toEqual({ submissions: [newest], cursor: '1' });
    const ids = (await listed(id)).map((one) => one.id);
    expect((await owner.get(`/submissions/${id}/after/${ids[5]}`).expect(200)).body.submissions).toEqual([newest]);
    await owner.mark(id, 'delete', ids.slice(10, 12)).expect(200);
    await owner.post(`/submissions/${id}/trash/${ids[10]}/restore`).expect(200);
    expect((await listed(id)).map((one) => one.id)).toEqual(ids.filter((one) => one !== ids[11]));
    expect((await owner.get(`/deploy/${id}/stats?from=2024-05-03&to=2024-05-27`).expect(200)).body.total).toBe(22);
  });

  it('puts rows in their place among what is in the trash, which can be restored', async () => {
    const { id } = await owner.deploy();
    const file = (...days: number[]) => `created_at,day\n${days.map((day) => `2024-05-0${day},${day}`).join('\n')}\n`;
    expect(await importInto(id, file(2, 4, 6))).toEqual(DONE(3));
    const ids = (await listed(id)).map((one) => one.id);
    await owner.mark(id, 'delete', ids).expect(200);
    expect(await importInto(id, file(1, 3, 5))).toEqual(DONE(3));
    for (const one of ids) await owner.post(`/submissions/${id}/trash/${one}/restore`).expect(200);
    expect(await dataOf(id)).toEqual([6, 5, 4, 3, 2, 1].map((day) => ({ day: String(day) })));
  });

  it('obeys max_submissions, by the places that rows take', async () => {
    const { id } = await owner.deploy();
    await owner.change(id, { max_submissions: 5, places_field: 'seats' }).expect(200);
    const file = (...seats: number[]) =>
      `created_at,seats\n${seats.map((count) => `2024-05-01,${count}`).join('\n')}\n`;
    expect(await importInto(id, file(2, 2, 2))).toMatchObject({ status: 403 });
    expect(await listed(id)).toEqual([]);
    expect(await importInto(id, file(2, 2))).toEqual(DONE(2));
    const overview = (await owner.get('/overview?limit=100').expect(200)).body.deployments;
    expect(overview.find((one: { id: string }) => one.id === id).places).toEqual({ taken: 4, of: 5 });
  });

  it('refuses what does not fit into the storage of the plan', async () => {
    const free = await service.owner({ plan: 'free' });
    const { id } = await free.deploy();
    const file = (bytes: number) => `created_at,text\n${`2024-05-01,${'x'.repeat(999)}\n`.repeat(bytes / 1_000)}`;
    expect((await importInto(id, file(1_000_000), '', CSV, free)).status).toBe(403);
    expect(await importInto(id, file(500_000), '', CSV, free)).toEqual(DONE(500));
  });

  it('runs one import of a page at a time, and lets visitors in meanwhile', async () => {
    const { id } = await owner.deploy();
    const other = await service.another();
    const rows = Array.from({ length: 20_000 }, (_, index) => `${1_700_000_000 + index},row ${index}`);
    const file = `created_at,name\n${rows.join('\n')}\n`;
    const [first, second, submitted] = await Promise.all([
      importInto(id, file),
      fetch(`${other.url}/submissions/${id}/import`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${owner.key}`, ...CSV },
        body: file,
      }),
      service.submit(id, '{"name":"visitor"}', other.url),
    ]);
    expect([first.status, second.status].toSorted()).toEqual([200, 409]);
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.total).toBe(20_001);
    expect(body.submissions[0].id).toBe(submitted);
    const [row] = await service.db('deployments').where({ id });
    expect(row).toMatchObject({
      submission_count: 20_001,
      last_submission_number: 1,
      first_submission_number: -19_999,
    });
  });

  it('leaves nothing of an import whose client leaves', async () => {
    const { id } = await owner.deploy();
    const leaving = new AbortController();
    const body = `created_at,name\n${'1700000000,x\n'.repeat(50_000)}`;
    const headers = { Authorization: `Bearer ${owner.key}`, ...CSV };
    const sent = fetch(`${service.url}/submissions/${id}/import`, {
      method: 'POST',
      headers,
      body,
      signal: leaving.signal,
    });
    const refused = expect(sent).rejects.toThrow();
    await expect
      .poll(
        async () => (await service.db.raw("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory'")).rows[0].n,
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    leaving.abort();
    await refused;
    await expect
      .poll(
        async () => (await service.db.raw("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory'")).rows[0].n,
        { timeout: 60_000 },
      )
      .toBe(0);
    expect(await listed(id)).toEqual([]);
    expect(await importInto(id, 'created_at,name\n2024-05-01,x')).toEqual(DONE(1));
  });
});

describe('POST /submissions/:deployId/import/preview', () => {
  it('guesses what the columns are, and stores nothing', async () => {
    const { id } = await owner.deploy();
    const file =
      'Submission ID,Submitted at,E-mail,IP\na1,2024-05-01 10:00:00,ada@example.org,203.0.113.4\na2,2024-05-02 10';
    expect(await importInto(id, file, '/preview?guess=1&cut=1')).toEqual({
      status: 200,
      body: {
        columns: [
          { name: 'Submission ID', use: 'left-out' },
          { name: 'Submitted at', use: 'time' },
          { name: 'E-mail', use: 'field' },
          { name: 'IP', use: 'ip' },
        ],
        rows: [
          {
            line: 2,
            cells: ['a1', '2024-05-01 10:00:00', 'ada@example.org', '203.0.113.4'],
            created_at: '2024-05-01T10:00:00.000Z',
          },
        ],
        errors: [],
        has_submissions: false,
      },
    });
    expect(await listed(id)).toEqual([]);
  });
});
