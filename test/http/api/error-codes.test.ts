import { describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { JSON_TYPE, PAGES_DOMAIN, sendRaw, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const service = await testService({ MAX_HTML_BYTES: '100', SMTP_URL: 'smtp://127.0.0.1:1' });
const owner = await service.owner();
const { id, slug } = await owner.deploy();
const reader: string = (await owner.post('/keys').send({ name: 'reads', scope: 'read' })).body.key;

type Sent = { key?: string | undefined; headers?: Record<string, string>; body?: string };

async function codeOf(method: string, path: string, { key = owner.key, headers = JSON_TYPE, body }: Sent = {}) {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...headers },
    ...(body !== undefined && { body }),
  });
  await response.arrayBuffer();
  return [response.status, response.headers.get('error-code')];
}

// test/support/reference.ts compares the codes of the answers in all tests with the list in the reference.
describe('the header error-code', () => {
  it.each<[string, string, Sent, number, string]>([
    ['GET', '/nothing', {}, 404, 'not-found'],
    ['POST', '/healthz', {}, 405, 'method-not-allowed'],
    ['GET', '/%ff', {}, 400, 'bad-request'],
    ['GET', '/deploy', { key: 'fh_no' }, 401, 'unauthorized'],
    ['GET', `/deploy/${UNKNOWN_ID}`, {}, 404, 'no-such-deployment'],
    ['GET', '/deploy?page=0', {}, 400, 'bad-query'],
    ['POST', '/deploy', { headers: { 'Content-Type': 'text/plain' }, body: 'x' }, 415, 'wrong-type'],
    ['POST', '/deploy', { body: '{' }, 400, 'bad-request'],
    ['POST', '/deploy', { body: '{}' }, 400, 'invalid-field'],
    ['POST', '/deploy', { body: `{"html":"${'x'.repeat(101)}"}` }, 413, 'too-large'],
    ['POST', '/deploy', { body: `{"html":"x","slug":"${slug}"}` }, 409, 'slug-taken'],
    ['POST', '/deploy', { key: reader, body: '{"html":"x"}' }, 403, 'narrow-scope'],
    // A kind that is made of another has its own name.
    ['POST', `/deploy/${id}/mails/dl_0/retry`, {}, 404, 'no-such-mail'],
    ['POST', '/submit/d_0', { body: '{}' }, 404, 'no-such-form'],
  ])('names the error of %s %s: %j', async (method, path, sent, status, code) => {
    expect(await codeOf(method, path, sent)).toEqual([status, code]);
  });

  it('is on the pages that visitors see', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' };
    expect(await codeOf('POST', `/submit/${UNKNOWN_ID}`, { headers, body: 'a=1' })).toEqual([404, 'no-such-form']);
    expect(await codeOf('GET', `/submit/${UNKNOWN_ID}/thanks`)).toEqual([404, 'no-such-form']);
    expect(await codeOf('GET', `/submit/${id}`, { headers })).toEqual([405, 'method-not-allowed']);
    expect(await codeOf('GET', `/confirm/${id}/rcp_0`)).toEqual([404, 'no-such-confirmation-link']);
  });

  it.each([
    ['what is no HTTP', 'hello\r\n\r\n', '400 Bad Request', 'bad-request'],
    [
      'large headers',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(SIZES.internalHeaders.maxBytes)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      'headers-too-large',
    ],
    ['CONNECT', `CONNECT ${PAGES_DOMAIN}:80 HTTP/1.1\r\nHost: a\r\n\r\n`, '501 Not Implemented', 'not-implemented'],
  ])('names the error of a request that no endpoint sees: %s', async (_what, bytes, status, code) => {
    const answer = await sendRaw(service.url, bytes);
    const [, first = '', named] = /^HTTP\/1\.1 ([^\r]*)\r\n(?:[^\r]+\r\n)*?error-code: ([^\r]*)\r\n/.exec(answer) ?? [];
    expect([first, named]).toEqual([status, code]);
  });
});
