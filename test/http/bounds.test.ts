import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answer, refused } from '../support/answers.ts';
import { getPage, testService } from '../support/test-service.ts';

const service = await testService({ BASE_URL: 'http://forms.pages.test', PLAN_LIMITS: 'free:3,unlimited:none' });
const owner = await service.owner();

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };

describe('what a few bytes can stand for', () => {
  const bomb = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\n'),
    Buffer.alloc(24 * 1024 * 1024),
    Buffer.from('\r\n--b--'),
  ]);

  it('is bounded: a multipart body of 24 MiB in brotli is a 413', async () => {
    const { id } = await owner.deploy();
    const response = await service.anonymous
      .post(`/submit/${id}`)
      .set({ ...MULTIPART, 'Content-Encoding': 'br' })
      .send(brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }));
    expect(answer(response)).toEqual(refused(413));
  });

  it('takes a compressed form that is no larger than it may be', async () => {
    const { id } = await owner.deploy();
    const form = gzipSync('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--\r\n');
    const response = await service.anonymous
      .post(`/submit/${id}`)
      .set(MULTIPART)
      .set('Content-Encoding', 'gzip')
      .send(form);
    expect(response.status).toBe(200);
    expect((await owner.get(`/submissions/${id}`)).body.submissions[0].data).toEqual({ a: 'x' });
  });
});

describe('a page that could never be seen', () => {
  it('is refused: the slug that would make the host of BASE_URL', async () => {
    const response = await owner.post('/deploy').send({ html: 'x', slug: 'forms' });
    expect(answer(response)).toEqual(refused(400));
  });

  it('is not made of a title either', async () => {
    const { slug } = await owner.deploy({ html: '<title>Forms</title>' });
    expect(slug).not.toBe('forms');
    expect((await getPage(service.url, slug)).text).toBe('<title>Forms</title>');
  });
});
