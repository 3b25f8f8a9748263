import { Writable } from 'node:stream';
import { pino } from 'pino';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { type ServiceProcess, startProgram, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, getPage, PAGES_DOMAIN, UNKNOWN_KEY } from '../support/service.ts';
import { keyIn } from '../support/test-process.ts';

let database: FreshDatabase;
let key: string;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  key = await keyIn(database.url);
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

// What it may not have: test/faults/secrets.test.ts.
describe('the log at LOG_LEVEL=trace', () => {
  const { ids, note } = notebook();
  let stdout: string;
  let stderr: string;
  beforeAll(async () => {
    const { url, owner, stop } = await startProcess({ LOG_LEVEL: 'trace' });
    const { body } = await note('POST /deploy', 201, owner.post('/deploy').send({ html: 'x', slug: 'hello' }));
    const submit = () => request(url).post(`/submit/${body.id}`);
    await note('unknown key', 401, asOwner(url, UNKNOWN_KEY).get(`/deploy/${body.id}`));
    await note('JSON', 200, submit().send({ a: 'b' }));
    await note('honeypot', 200, submit().type('form').send('_hp=x'));
    await note('malformed JSON', 400, submit().type('json').send('{'));
    await note('another type', 415, submit().type('text/plain').send('x'));
    await note(
      'too large',
      413,
      submit()
        .type('form')
        .send(`a=${'x'.repeat(300_000)}`),
    );
    await note('thanks', 200, request(url).get(`/submit/${body.id}/thanks`));
    await note('no deployment', 404, request(url).post('/submit/d_00000000000000000000').send({ a: 'b' }));
    await note('list', 200, owner.get(`/webhooks/${body.id}`));
    await note('a page', 200, request(url).get('/').set('Host', `hello.${PAGES_DOMAIN}`));
    await note('unknown path', 404, owner.get('/nothing'));
    await runSql(database.url, 'ALTER TABLE submissions ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const broken = await note('broken submission', 500, submit().send({ a: 'b' }));
    await runSql(database.url, 'ALTER TABLE submissions DROP CONSTRAINT broken');
    expect(broken.body).toEqual({ error: 'Internal server error' });
    ({ stdout, stderr } = await stop());
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
