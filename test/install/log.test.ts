import { randomBytes } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createKey } from '../../src/db/account/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { startService } from '../../src/service.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { type ServiceProcess, startProgram, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, getPage, type Owner, PAGES_DOMAIN } from '../support/service.ts';

let database: FreshDatabase;
let key: string;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await db.close();
});
afterAll(async () => {
  await Promise.all(processes.map(({ stop }) => stop()));
  await database.drop();
});

/** A process of the service, and an owner's way to it. */
async function startProcess(settings: Record<string, string>) {
  const service = await startServiceProcess({ BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, ...settings });
  processes.push(service);
  await service.ready();
  return { ...service, owner: asOwner(service.url, key) };
}

type Line = Record<string, unknown>;
const linesOf = (stderr: string): Line[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const isAbout = (requestId: string) => (line: Line) => Object.values(line).includes(requestId);

/** Notes the request ids of answers, by what was asked. */
function notebook() {
  const ids = new Map<string, string>();
  return {
    ids,
    async note(what: string, status: number, asked: request.Test): Promise<request.Response> {
      const answer = await asked;
      expect([what, answer.status]).toEqual([what, status]);
      ids.set(what, answer.headers['x-request-id'] ?? '');
      return answer;
    },
  };
}

const secrets = new Map<string, string>();
/** Something that must not be in the log; the name says what it is. */
function secret(name: string): string {
  const value = randomBytes(12).toString('hex');
  secrets.set(name, value);
  return value;
}

/** Sends bytes that the server ends the connection for. */
async function sendNonsense(url: string, bytes: string): Promise<void> {
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 4/);
}

const MULTIPART = 'multipart/form-data; boundary=xx';
const filePart = (filename: string, content: string): string =>
  `--xx\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n${content}\r\n--xx--\r\n`;

describe('the log at LOG_LEVEL=trace', () => {
  const { ids, note } = notebook();
  let stdout: string;
  let stderr: string;
  beforeAll(async () => {
    const service = await startProcess({ LOG_LEVEL: 'trace' });
    const { url, owner } = service;
    secrets.set('the key', key);
    const { body } = await note(
      'POST /deploy',
      201,
      owner.post('/deploy').send({ html: secret('html'), slug: 'hello' }),
    );
    const { id } = body;
    await useKeys(url, id);
    await useForms(url, id);
    await useWebhooks(owner, id);
    await note(
      'a page',
      200,
      request(url)
        .get(`/?name=${secret('a form sent with GET')}`)
        .set('Host', `hello.${PAGES_DOMAIN}`),
    );
    await note('unknown path', 404, owner.get(`/nothing?key=${key}`));
    await sendNonsense(url, `${secret('bytes that are no request')}\r\n\r\n`);
    await sendNonsense(
      url,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${secret('a header that is too long').repeat(2_000)}\r\n\r\n`,
    );
    await useBrokenTables(owner, id);
    ({ stdout, stderr } = await service.stop());
  });

  async function useKeys(url: string, id: string): Promise<void> {
    const unknown = `fh_${secret('an unknown key')}${'0'.repeat(20)}`;
    await note('unknown key', 401, asOwner(url, unknown).get(`/deploy/${id}`));
    await note('malformed key', 401, asOwner(url, secret('a malformed key')).get(`/deploy/${id}`));
    const basic = `Basic ${Buffer.from(secret('a password')).toString('base64')}`;
    await note('another scheme', 401, request(url).get(`/deploy/${id}`).set('Authorization', basic));
  }

  async function useForms(url: string, id: string): Promise<void> {
    const path = `/submit/${id}?${secret('a query')}`;
    // Bytes go out as they are, which superagent would write as JSON.
    const submit = (type: string, body: string | Buffer) =>
      request(url)
        .post(path)
        .set('Content-Type', type)
        .serialize((bytes) => bytes)
        .send(body);
    const form = 'application/x-www-form-urlencoded';
    await note('JSON', 200, submit('application/json', JSON.stringify({ a: secret('JSON') })));
    await note('urlencoded', 200, submit(form, `a=${secret('urlencoded')}`));
    await note('multipart', 200, submit(MULTIPART, filePart(secret('a filename'), secret('a file'))));
    await note('honeypot', 200, submit(form, `a=${secret('from a robot')}&_hp=x`));
    await note('malformed JSON', 400, submit('application/json', `{"a":"${secret('malformed JSON')}"`));
    await note('no UTF-8', 400, submit('application/json', Buffer.from(`{"a":"${secret('no UTF-8')}\xff"}`, 'latin1')));
    await note('bad multipart', 400, submit(MULTIPART, secret('bad multipart')));
    await note('another type', 415, submit('text/plain', secret('another type')));
    await note('too large', 413, submit(form, `a=${secret('too large').repeat(50_000)}`));
    const query = `name=${secret('a form sent with GET to /submit')}`;
    await note('a form without method', 405, request(url).get(`/submit/${id}?${query}`).set('Accept', 'text/html'));
    await note('thanks', 200, request(url).get(`/submit/${id}/thanks?${query}`));
    await note(
      'no deployment',
      404,
      request(url)
        .post('/submit/d_00000000000000000000')
        .send({ a: secret('lost') }),
    );
  }

  async function useWebhooks(owner: Owner, id: string): Promise<void> {
    const add = (body: object) => owner.post(`/webhooks/${id}`).send(body);
    await note('webhook', 201, add({ url: `https://receiver.example/${secret('webhook')}` }));
    await note('list', 200, owner.get(`/webhooks/${id}`));
    await note('refused webhook', 400, add({ url: `http://10.0.0.1/${secret('refused webhook')}` }));
    await note('user', 400, add({ url: `https://${secret('user')}:${secret('password')}@receiver.example/` }));
    await note(
      'type',
      400,
      add({ url: `https://receiver.example/${secret('another webhook')}`, type: secret('type') }),
    );
  }

  /** Postgres quotes the whole row when a constraint refuses it. */
  async function useBrokenTables(owner: Owner, id: string): Promise<void> {
    const broken = { error: 'Internal server error' };
    for (const table of ['submissions', 'webhooks']) {
      await runSql(database.url, `ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`);
    }
    const submission = await note('broken submission', 500, owner.post(`/submit/${id}`).send({ a: secret('broken') }));
    const url = `https://receiver.example/${secret('broken webhook')}`;
    const webhook = await note('broken webhook', 500, owner.post(`/webhooks/${id}`).send({ url }));
    for (const table of ['submissions', 'webhooks']) {
      await runSql(database.url, `ALTER TABLE ${table} DROP CONSTRAINT broken`);
    }
    expect([submission.body, webhook.body]).toEqual([broken, broken]);
  }

  it('holds no key, no submitted value and no address of a webhook', () => {
    const leaked = [...secrets].filter(([, value]) => (stdout + stderr).includes(value)).map(([name]) => name);
    expect(leaked).toEqual([]);
    expect(secrets.size).toBeGreaterThan(20);
  });

  it('is on standard error, a JSON object a line', () => {
    expect(stdout).toBe('');
    for (const line of linesOf(stderr)) expect(line).toEqual(expect.objectContaining({}));
  });

  it('has the x-request-id of every answer, each of which has one of its own', () => {
    expect(new Set(ids.values()).size).toBe(ids.size);
    const lines = linesOf(stderr);
    const unlogged = [...ids].filter(([, requestId]) => !lines.some(isAbout(requestId))).map(([what]) => what);
    expect(unlogged).toEqual([]);
  });

  it('has a request id in every line that is about a request', () => {
    const known = [...ids.values()];
    const others = linesOf(stderr).filter((line) => !known.some((requestId) => isAbout(requestId)(line)));
    expect(
      others.filter((line) => /"\/(deploy|submit|submissions|webhooks|nothing)/.test(JSON.stringify(line))),
    ).toEqual([]);
  });
});

describe('the log at the default level', () => {
  it('has a line for each call of the API, and none for pages and for submissions that were taken', async () => {
    const lines: Line[] = [];
    const stream = new Writable({
      write(line, _encoding, done) {
        lines.push(JSON.parse(String(line)));
        done();
      },
    });
    const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url };
    const service = await startService({ ...loadConfig(settings), port: 0 }, pino({ level: 'info' }, stream), {
      limits: testLimits(),
    });
    await service.ready;
    const { url } = service;
    const owner = asOwner(url, key);
    const { ids, note } = notebook();
    const { body } = await note('POST /deploy', 201, owner.post('/deploy').send({ html: 'x', slug: 'quiet' }));
    const page = () => getPage(url, 'quiet');
    const { headers } = await note('page', 200, page());
    await note('page again', 304, page().set('If-None-Match', headers.etag ?? ''));
    await note('JSON', 200, request(url).post(`/submit/${body.id}`).send({ a: 'b' }));
    await note('urlencoded', 200, request(url).post(`/submit/${body.id}`).type('form').send({ a: 'b' }));
    await note('POST /', 200, request(url).post('/').set('Host', `quiet.${PAGES_DOMAIN}`).send({ a: 'b' }));
    await note('GET /deploy/:id', 200, owner.get(`/deploy/${body.id}`));
    await note('GET /submissions/:deployId', 200, owner.get(`/submissions/${body.id}`));
    const file = `/submissions/${body.id}/sub_${'0'.repeat(24)}/files/file_${'0'.repeat(24)}`;
    await note('a file', 404, owner.get(file));
    await note('without a key', 401, request(url).get(`/deploy/${body.id}`));
    await note('DELETE /deploy/:id', 200, owner.delete(`/deploy/${body.id}`));
    await service.close();
    const counts = [...ids].map(([what, requestId]) => [what, lines.filter(isAbout(requestId)).length]);
    expect(Object.fromEntries(counts)).toEqual({
      'POST /deploy': 1,
      page: 0,
      'page again': 0,
      JSON: 0,
      urlencoded: 0,
      'POST /': 0,
      'GET /deploy/:id': 1,
      'GET /submissions/:deployId': 1,
      'a file': 1,
      'without a key': 1,
      'DELETE /deploy/:id': 1,
    });
    expect(lines.find(isAbout(ids.get('a file') ?? ''))).toEqual(expect.objectContaining({ path: file }));
  });
});

it('a log that can not be written ends nothing', async () => {
  const program = `
    const { createLog } = await import('./src/lib/log.ts');
    for (let line = 0; line < 100; line += 1) createLog('info').info('x'.repeat(10_000));
    console.log('still here');`;
  const { result } = startProgram(
    'sh',
    ['-c', 'exec "$0" --input-type=module -e "$1" 2>/dev/full', process.execPath, program],
    {},
  );
  expect(await result).toEqual({ code: 0, stdout: 'still here\n', stderr: '' });
});
