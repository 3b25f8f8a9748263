import { describe, expect, it } from 'vitest';
import { answer, failure } from '../../support/answers.ts';
import { asOwner, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const FIRST = '<h1>First</h1>';
/** A page and its settings: where each is read, and two changes of it. */
const CONTENTS = [
  { name: 'html', change: 'put', first: { html: '<h1>One</h1>' }, second: { html: '<h1>Two</h1>' } },
  { name: 'settings', change: 'patch', first: { retention_days: 1 }, second: { language: 'de' } },
] as const;

describe.each(CONTENTS)('GET /deploy/:id/$name', ({ name, change, first, second }) => {
  const read = (id: string) => owner.get(`/deploy/${id}/${name}`);
  const etagOf = async (id: string): Promise<string> => (await read(id).expect(200)).headers.etag ?? '';
  const send = (id: string, body: object, ifMatch?: string) => {
    const request = owner[change](`/deploy/${id}`);
    return (ifMatch === undefined ? request : request.set('If-Match', ifMatch)).send(body);
  };
  const deploy = async (): Promise<string> => (await owner.deploy({ html: FIRST })).id;

  it('has a strong ETag: the same for the same content, in each process', async () => {
    const [id, other] = [await deploy(), await deploy()];
    const etag = await etagOf(id);
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    const { url } = await service.another();
    const { headers } = await asOwner(url, owner.key).get(`/deploy/${id}/${name}`);
    expect([await etagOf(other), headers.etag]).toEqual([etag, etag]);
    await send(id, first).expect(200);
    expect(await etagOf(id)).not.toBe(etag);
  });

  it('is a 304 for a client that has it, in a list, weakly compared, or for *', async () => {
    const id = await deploy();
    const etag = await etagOf(id);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await read(id).set('If-None-Match', tags);
      expect([status, text, headers.etag]).toEqual([304, '', etag]);
    }
    expect((await owner.get(`/deploy/${id}/${name}`).set('If-None-Match', '"other"')).status).toBe(200);
  });

  // fetch adds it to every request with a condition.
  it('is a 304 with Cache-Control: no-cache, which asks for this comparison', async () => {
    const id = await deploy();
    const tags = { 'If-None-Match': await etagOf(id), 'Cache-Control': 'no-cache' };
    expect((await owner.get(`/deploy/${id}/${name}`).set(tags)).status).toBe(304);
  });

  it('is changed only while it has an ETag that If-Match names', async () => {
    const id = await deploy();
    const etag = await etagOf(id);
    for (const tags of ['"other"', `W/${etag}`, etag.slice(1, -1), '']) {
      const refused = await send(id, first, tags);
      expect([answer(refused), refused.headers['error-code']]).toEqual([
        { status: 412, body: failure },
        'changed-meanwhile',
      ]);
    }
    expect(await etagOf(id)).toBe(etag);
    const changed = await send(id, first, `"other" , ${etag}`).expect(200);
    expect(changed.headers.etag).toBe(await etagOf(id));
    await send(id, second, etag).expect(412);
    // The answer to a change leads to the next one.
    const again = await send(id, second, changed.headers.etag).expect(200);
    expect(again.headers.etag).toBe(await etagOf(id));
  });

  it('is changed by any request without If-Match, or with *', async () => {
    const id = await deploy();
    await send(id, first, '*').expect(200);
    const { headers } = await send(id, second).expect(200);
    expect(headers.etag).toBe(await etagOf(id));
  });

  it('is changed by one of two that have seen the same', async () => {
    const id = await deploy();
    const etag = await etagOf(id);
    const answers = await Promise.all([send(id, first, etag), send(id, second, etag)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect(await etagOf(id)).toBe(winner?.headers.etag);
  });
});

it('an ETag of settings changes when a recipient confirms, which no PATCH has done', async () => {
  const { id } = await owner.deploy();
  await owner.patch(`/deploy/${id}`).send({ recipients: ['ada@example.org'] });
  const { headers } = await owner.get(`/deploy/${id}/settings`);
  await service.db('mail_recipients').where({ deployment_id: id }).update({ confirmed_at: new Date() });
  const later = await owner.get(`/deploy/${id}/settings`).set('If-None-Match', String(headers.etag));
  expect([later.status, later.body.recipients]).toEqual([200, [{ email: 'ada@example.org', confirmed: true }]]);
});
