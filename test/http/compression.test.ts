import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';

import { testService } from '../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
/** A deployment with lists that are long. */
const { id } = await owner.deploy({ html: `<p>${'A page. '.repeat(10_000)}` });
for (const slug of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']) await owner.deploy({ slug });
let webhookId = '';
for (let count = 0; count < 10; count += 1) {
  const webhook = await owner.post(`/webhooks/${id}`).send({ url: `https://hooks.example.org/${count}` });
  webhookId = webhook.body.id;
  await owner.patch(`/webhooks/${id}/${webhookId}`).send({ active: false });
}
for (let count = 0; count < 8; count += 1) {
  await owner.post(`/submit/${id}`).send({ name: `Ada ${count}`, text: 'x'.repeat(200) });
}

type Received = { status: number; headers: Record<string, unknown>; bytes: Buffer };

/** An answer as it is sent: neither undici nor this decodes it. */
async function ask(path: string, acceptEncoding?: string, more: Record<string, string> = {}, method = 'GET') {
  const { statusCode, headers, body } = await request(service.url + path, {
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    headers: {
      Authorization: `Bearer ${owner.key}`,
      ...(acceptEncoding === undefined ? {} : { 'Accept-Encoding': acceptEncoding }),
      ...more,
    },
  });
  const received: Received = { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
  return received;
}

function textOf({ headers, bytes }: Received): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes).toString();
  if (headers['content-encoding'] === 'gzip') return gunzipSync(bytes).toString();
  return bytes.toString();
}

/** The headers that say what is sent. Transfer-Encoding is absent in answers to HEAD. */
const described = ({ headers }: Received): [string, unknown][] =>
  Object.entries(headers)
    .filter(([name]) => !/^(date|x-request-id|connection|keep-alive|transfer-encoding)$/.test(name))
    .toSorted();

const LISTS = ['/submissions/ID', '/deploy/ID/html', '/submissions/ID/export.csv'];
const FIXED = ['/openapi.json', '/docs/swagger-ui-bundle.js'];
const pathOf = (path: string): string => path.replace('ID', id).replace('WEBHOOK', webhookId);

describe.each([...LISTS, ...FIXED])('GET %s', (named) => {
  it.each(['br', 'gzip'])('is sent as %s to clients that accept that, and the same otherwise', async (encoding) => {
    const path = pathOf(named);
    const plain = await ask(path);
    const answer = await ask(path, encoding);
    expect([plain, answer].map(({ status, headers }) => [status, headers['content-encoding'], headers.vary])).toEqual([
      [200, undefined, 'Accept-Encoding'],
      [200, encoding, 'Accept-Encoding'],
    ]);
    expect(textOf(answer)).toBe(plain.bytes.toString());
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
    expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
    const { 'content-length': length, 'transfer-encoding': transfer } = answer.headers;
    expect([String(answer.bytes.length), undefined]).toContain(length);
    expect(transfer).toBe(length === undefined ? 'chunked' : undefined);
  });

  it('has the same headers in answer to HEAD, without a Content-Encoding that would be made for the body', async () => {
    for (const encoding of FIXED.includes(named) ? ['br', 'gzip', 'identity'] : ['identity']) {
      const expected = described(await ask(pathOf(named), encoding));
      const head = await ask(pathOf(named), encoding, {}, 'HEAD');
      expect([head.status, head.bytes.length, described(head)]).toEqual([200, 0, expected]);
    }
  });
});

describe('what is sent as it is', () => {
  it.each(['/healthz', '/submissions/ID?limit=1'])('is a short answer: GET %s', async (path) => {
    const { status, headers, bytes } = await ask(pathOf(path), 'br, gzip');
    expect([status, headers['content-encoding'], headers.vary, headers['content-length']]).toEqual([
      200,
      undefined,
      undefined,
      String(bytes.length),
    ]);
  });
});

it('sends what is too large for memory as a stream', async () => {
  const encoding = 'br';
  const large = await owner.deploy();
  for (let count = 0; count < 6; count += 1) {
    await owner.post(`/submit/${large.id}`).send({ text: `${count}é${'0123456789'.repeat(20_000)}` });
  }
  const plain = await ask(`/submissions/${large.id}`);
  const answer = await ask(`/submissions/${large.id}`, encoding);
  expect([plain, answer].map(({ headers }) => headers['transfer-encoding'])).toEqual(['chunked', 'chunked']);
  expect(answer.headers['content-encoding']).toBe(encoding);
  expect(textOf(answer) === plain.bytes.toString()).toBe(true);
  expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 20);
  const head = await ask(`/submissions/${large.id}`, encoding, {}, 'HEAD');
  expect([head.headers['content-encoding'], head.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
});

describe('the ETag of /openapi.json', () => {
  const path = '/openapi.json';

  it('is another in each encoding, and answers 304 in that one only', async () => {
    const encodings = ['br', 'gzip', 'identity'];
    const answers = await Promise.all(encodings.map((encoding) => ask(path, encoding)));
    const tags = answers.map(({ headers }) => String(headers.etag));
    expect(new Set(tags).size).toBe(encodings.length);
    for (const [index, encoding] of encodings.entries()) {
      const statuses = await Promise.all(
        tags.map(async (tag) => (await ask(path, encoding, { 'If-None-Match': tag })).status),
      );
      expect(statuses).toEqual(tags.map((_tag, at) => (at === index ? 304 : 200)));
    }
    const unchanged = await ask(path, 'br', { 'If-None-Match': `"another", W/${tags[0]}` });
    const { etag, vary, 'content-encoding': encoding } = unchanged.headers;
    expect([unchanged.status, unchanged.bytes.length, etag, vary, encoding]).toEqual([
      304,
      0,
      tags[0],
      'Accept-Encoding',
      undefined,
    ]);
  });
});
