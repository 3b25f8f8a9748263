import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { answer, aTime, refused } from '../../support/answers.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const PATH = '/.well-known/security.txt';
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

const service = await testService({ ABUSE_CONTACT: 'abuse+forms@e.example' });
const silent = await service.another({ ABUSE_CONTACT: '' });

describe('GET /.well-known/security.txt', () => {
  it.each(['api.test', `hello.${PAGES_DOMAIN}`, `no_slug.${PAGES_DOMAIN}`])(
    'names ABUSE_CONTACT for less than a year, at %s',
    async (host) => {
      await (await service.owner()).deploy({ slug: 'hello' }).catch(() => undefined);
      const { status, headers, text } = await request(service.url).get(`${PATH}?x=1`).set('Host', host);
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      const [, expires = ''] = /^Expires: (.*)$/m.exec(text) ?? [];
      expect(text).toBe(`Contact: mailto:abuse%2Bforms@e.example\nExpires: ${expires}\nPreferred-Languages: en\n`);
      expect(expires).toEqual(aTime);
      const left = Date.parse(expires) - Date.now();
      expect([left > YEAR_MS / 12, left < YEAR_MS]).toEqual([true, true]);
    },
  );

  it('answers HEAD, and no other method', async () => {
    const { status, headers, text } = await request(service.url).head(PATH);
    expect([status, Number(headers['content-length']) > 0, text]).toEqual([200, true, undefined]);
    const posted = await request(service.url).post(PATH).send({ a: 1 });
    expect([answer(posted), posted.headers.allow]).toEqual([refused(405), 'GET, HEAD']);
  });

  it('is not there when there is no ABUSE_CONTACT', async () => {
    const somewhere = await request(silent.url).get('/.well-known/nothing');
    const { status, text } = await request(silent.url).get(PATH);
    expect([status, text]).toEqual([404, somewhere.text]);
    const onPage = await request(silent.url).get(PATH).set('Host', `hello.${PAGES_DOMAIN}`);
    expect([onPage.status, onPage.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});
