import { expect, it } from 'vitest';
import { answer, refused } from '../support/answers.ts';
import { testService } from '../support/test-service.ts';

const service = await testService();

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (path: string, headers: Record<string, string>) => service.anonymous.get(path).set(headers);

it.each(['/nothing', '/nothing/at/all?a=b', '/submissions', '/%3Cb%3E'])(
  'a browser gets a page that leads to the dashboard, in its language: %s',
  async (path) => {
    const { status, headers, text } = await get(path, { Accept: HTML, 'Accept-Language': 'de' });
    expect([status, headers['content-type'], headers['error-code']]).toEqual([
      404,
      'text/html; charset=utf-8',
      'not-found',
    ]);
    expect(text).toContain('<html lang="de" dir="ltr">');
    expect(text).toContain('<a class="button" href="/dashboard">Zum Dashboard</a>');
    expect(text).not.toMatch(/nothing|<b>/);
  },
);

it('others get JSON, and so does a browser where something is', async () => {
  for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }, { Accept: 'text/html;q=0, */*' }]) {
    expect([headers, answer(await get('/nothing', headers))]).toEqual([headers, refused(404)]);
  }
  expect(answer(await service.anonymous.post('/nothing').set({ Accept: HTML }))).toEqual(refused(404));
  expect(answer(await get('/deploy', { Accept: HTML }))).toEqual(refused(401));
  expect(answer(await get('/check', { Accept: HTML }))).toEqual(refused(405));
});
