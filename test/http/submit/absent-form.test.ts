import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failure } from '../../support/answers.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const BROWSER = { ...FORM, Accept: 'text/html' };

const service = await testService({ BASE_URL: 'http://api.test', PAGES_DOMAIN: 'pages.test' });
const owner = await service.owner();

async function post(id: string, body: string | Buffer, headers: Record<string, string> = FORM) {
  const sent = Uint8Array.from(Buffer.from(body));
  const response = await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: sent, headers });
  return { status: response.status, text: await response.text() };
}

/** Bodies that are refused once they are read, or decompressed. */
const UNREADABLE: [what: string, status: number, body: string | Buffer, headers: Record<string, string>][] = [
  ['a body that is not in its encoding', 400, 'a=1', { ...FORM, 'Content-Encoding': 'br' }],
  ['few bytes for many', 413, brotliCompressSync(Buffer.alloc(2 ** 21, 'a')), { ...FORM, 'Content-Encoding': 'br' }],
  ['bytes that are not UTF-8', 400, 'a=%ff', FORM],
  ['too many bytes', 413, 'x'.repeat(1024 * 1024), FORM],
  ['broken JSON', 400, '{', { 'Content-Type': 'application/json' }],
  ['another type', 415, 'x', { 'Content-Type': 'text/plain' }],
];

describe('a submission to a form that does not exist', () => {
  it.each(UNREADABLE)('is a 404 before its body is read: %s', async (_what, status, body, headers) => {
    const { id } = await owner.deploy();
    expect((await post(id, body, headers)).status).toBe(status);
    await owner.delete(`/deploy/${id}`).expect(200);
    for (const absent of [id, UNKNOWN_ID]) {
      const answer = await post(absent, body, headers);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([404, failure]);
    }
  });

  it('is counted', async () => {
    const { id } = await owner.deploy();
    await owner.delete(`/deploy/${id}`).expect(200);
    const registry = await service.exposeMetrics();
    const counted = async (): Promise<number> => {
      const text = await registry.metrics();
      return Number(/^formhost_submissions_total\{outcome="no-deployment"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    await post(id, 'a=1');
    expect(await counted()).toBe(before + 1);
  });
});

it('gives a visitor the form back when forms can not be read', async () => {
  const { id } = await owner.deploy();
  await service.db.raw('ALTER TABLE form_rules RENAME TO form_rules_elsewhere');
  try {
    const { status, text } = await post(id, 'a=written+long', BROWSER);
    expect([status, /<textarea name="a" hidden>\n(.*)<\/textarea>/.exec(text)?.[1]]).toEqual([500, 'written long']);
    expect((await post(id, 'a=%ff')).status).toBe(400);
  } finally {
    await service.db.raw('ALTER TABLE form_rules_elsewhere RENAME TO form_rules');
  }
  expect((await post(id, 'a=1')).status).toBe(200);
});
