import { Writable } from 'node:stream';
import { pino } from 'pino';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../src/service.ts';
import { startProgram } from '../support/process.ts';
import { testLimits } from '../support/test-limits.ts';
import { asOwner, getPage, PAGES_DOMAIN, testService, UNKNOWN_KEY } from '../support/test-service.ts';

const service = await testService();
const { key } = await service.owner();

type Line = Record<string, unknown>;
const isAbout = (requestId: string) => (line: Line) => Object.values(line).includes(requestId);

/** A service whose log is read, an owner's way to it, and `note`, which notes the request ids of answers by what was asked. */
async function startLogged(level: string) {
  const lines: Line[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  const logged = await startService(service.config, pino({ level }, stream), { limits: testLimits() });
  onTestFinished(() => logged.close());
  await logged.ready;
  const ids = new Map<string, string>();
  async function note(what: string, status: number, asked: request.Test): Promise<request.Response> {
    const answer = await asked;
    expect([what, answer.status]).toEqual([what, status]);
    ids.set(what, answer.headers['x-request-id'] ?? '');
    return answer;
  }
  return { url: logged.url, owner: asOwner(logged.url, key), lines, ids, note, close: () => logged.close() };
}

// test/faults/secrets.test.ts tests what the log may not have.
describe('the log', () => {
  it('has, at the level trace, the x-request-id of every answer, which is its own, and one in every line about a request', async () => {
    const { url, owner, lines, ids, note, close } = await startLogged('trace');
    const { body } = await note('POST /deploy', 201, owner.post('/deploy').send({ html: 'x', slug: 'hello' }));
    const submit = () => request(url).post(`/submit/${body.id}`);
    await note('unknown key', 401, asOwner(url, UNKNOWN_KEY).get(`/deploy/${body.id}`));
    await note('JSON', 200, submit().send({ a: 'b' }));
    await note('honeypot', 200, submit().type('form').send('_hp=x'));
    await note('malformed JSON', 400, submit().type('json').send('{'));
    await note('another type', 415, submit().type('text/plain').send('x'));
    const tooLarge = `a=${'x'.repeat(300_000)}`;
    await note('too large', 413, submit().type('form').send(tooLarge));
    await note('thanks', 200, request(url).get(`/submit/${body.id}/thanks`));
    await note('no deployment', 404, request(url).post('/submit/d_00000000000000000000').send({ a: 'b' }));
    await note('list', 200, owner.get(`/webhooks/${body.id}`));
    await note('a page', 200, request(url).get('/').set('Host', `hello.${PAGES_DOMAIN}`));
    await note('unknown path', 404, owner.get('/nothing'));
    await service.db.raw('ALTER TABLE submissions ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const broken = await note('broken submission', 500, submit().send({ a: 'b' }));
    await service.db.raw('ALTER TABLE submissions DROP CONSTRAINT broken');
    expect(broken.body).toEqual({ error: 'Internal server error' });
    await close();

    const known = [...ids.values()];
    expect(new Set(known).size).toBe(ids.size);
    expect([...ids].filter(([, requestId]) => !lines.some(isAbout(requestId)))).toEqual([]);
    const others = lines.filter((line) => !known.some((requestId) => isAbout(requestId)(line)));
    const paths = /"\/(deploy|submit|submissions|webhooks|nothing)/;
    expect(others.filter((line) => paths.test(JSON.stringify(line)))).toEqual([]);
  });

  it('has, at the default level, a line for each call of the API, and none for pages and submissions that were taken', async () => {
    const { url, owner, lines, ids, note, close } = await startLogged('info');
    const { body } = await note('POST /deploy', 201, owner.post('/deploy').send({ html: 'x', slug: 'quiet' }));
    const page = () => getPage(url, 'quiet');
    const { headers } = await note('page', 200, page());
    await note('page again', 304, page().set('If-None-Match', headers.etag ?? ''));
    await note('JSON', 200, request(url).post(`/submit/${body.id}`).send({ a: 'b' }));
    await note('urlencoded', 200, request(url).post(`/submit/${body.id}`).type('form').send({ a: 'b' }));
    await note('POST /', 200, request(url).post('/').set('Host', `quiet.${PAGES_DOMAIN}`).send({ a: 'b' }));
    await note('GET /submissions/:deployId', 200, owner.get(`/submissions/${body.id}`));
    const file = `/submissions/${body.id}/sub_${'0'.repeat(24)}/files/file_${'0'.repeat(24)}`;
    await note('a file', 404, owner.get(file));
    await note('without a key', 401, request(url).get(`/deploy/${body.id}`));
    await note('DELETE /deploy/:id', 200, owner.delete(`/deploy/${body.id}`));
    await close();
    const logged = [...ids].flatMap(([what, requestId]) => lines.filter(isAbout(requestId)).map(() => what));
    expect(logged).toEqual([
      ...['POST /deploy', 'GET /submissions/:deployId', 'a file', 'without a key', 'DELETE /deploy/:id'],
    ]);
    expect(lines.find(isAbout(ids.get('a file') ?? ''))).toEqual(expect.objectContaining({ path: file }));
  });

  it('that can not be written ends nothing', async () => {
    const program = `
      const { createLog } = await import('./src/lib/log.ts');
      for (let line = 0; line < 100; line += 1) createLog('info').info('x'.repeat(10_000));
      console.log('still here');`;
    const args = ['-c', 'exec "$0" --input-type=module -e "$1" 2>/dev/full', process.execPath, program];
    expect(await startProgram('sh', args, {}).result).toEqual({ code: 0, stdout: 'still here\n', stderr: '' });
  });
});
