import { describe, expect, it } from 'vitest';
import { unknownFieldsNotice } from '../../src/http/request/unknown-fields.ts';
import { NOTICE } from '../../src/http/response/notice-header.ts';
import { testService } from '../support/test-service.ts';

const service = await testService();
const PREFIX = 'Ignored, because no field has this name: ';

describe('unknown fields of a body', () => {
  it('are ignored, and named with the field that was probably meant', async () => {
    const owner = await service.owner();
    const made = await owner
      .post('/deploy')
      .send({ html: '<p>Hello', slgu: 'hello', 'ünknown;\n': { html: 'x' } })
      .expect(201);
    expect(made.headers[NOTICE]).toBe(`${PREFIX}slgu (did you mean slug?), ?nknown;?`);
    const { id } = made.body;
    const patch = (body: object) => owner.change(id, body);
    const changed = await patch({ redirectUrl: 'https://example.com/', language: 'de', language2: 1 });
    expect(changed.headers[NOTICE]).toBe(
      `${PREFIX}redirectUrl (did you mean redirect_url?), language2 (did you mean language?)`,
    );
    const spam = { blocklst: ['casino'], captcha: { provider: 'altcha', sitekey: 'x', ü: 1 } };
    expect((await patch({ langage: 'de', spam })).headers[NOTICE]).toBe(
      [
        `${PREFIX}langage (did you mean language?)`,
        `${PREFIX}spam.blocklst (did you mean spam.blocklist?)`,
        `${PREFIX}spam.captcha.sitekey (did you mean spam.captcha.site_key?), spam.captcha.?`,
      ].join('; '),
    );
    const known = { language: 'fr', spam: { blocklist: [], captcha: null } };
    expect((await patch(known)).headers).not.toHaveProperty(NOTICE);
    const refused = await owner.post('/deploy').send({ htlm: '<p>Hello' }).expect(400);
    expect(refused.headers[NOTICE]).toBe(`${PREFIX}htlm (did you mean html?)`);
    await service.anonymous.post(`/submit/${id}`).send({ anything: 1 }).expect(200);
  });

  it.each([
    [{ names: ['HTML'], count: 1 }, 'HTML (did you mean html?)'],
    [{ names: ['title'], count: 1 }, 'title'],
    [{ names: ['', 'x'.repeat(99)], count: 9 }, `(an empty name), ${'x'.repeat(40)}... and 7 more`],
  ])('%j is told as %s', (unknown, told) => {
    expect(unknownFieldsNotice(unknown, ['html', 'slug'])).toBe(PREFIX + told);
  });
});
