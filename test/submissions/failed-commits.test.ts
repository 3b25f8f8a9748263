import { afterAll, expect, it } from 'vitest';
import { multipartBody } from '../support/multipart-body.ts';
import { forgetfulProxyTo } from '../support/postgres-proxy.ts';
import { startS3 } from '../support/s3.ts';
import { testService } from '../support/test-service.ts';

/*
 * A submission that is sent again after a 503 is stored once, and with its files, whether the commit of the first attempt
 * failed or only its answer was lost.
 */

const s3 = await startS3();
afterAll(() => s3.close());
const service = await testService(s3.settings());
const owner = await service.owner();
const proxy = await forgetfulProxyTo(service.databaseUrl);
afterAll(() => proxy.close());
/** A process that keeps files in the bucket, and reaches the database through the proxy. */
const { url } = await service.another({ DATABASE_URL: proxy.url });

const PLAIN = { 'Content-Type': 'application/json' };
const WITH_FILE = { 'Content-Type': 'multipart/form-data; boundary=b' };

it.each<[string, 'lose' | 'loseAnswerTo', Record<string, string>, string | Uint8Array]>([
  ['a submission whose commit fails', 'lose', PLAIN, '{"name":"Ada"}'],
  ['a submission whose answer is lost', 'loseAnswerTo', PLAIN, '{"name":"Ada"}'],
  ['files whose commit fails', 'lose', WITH_FILE, fileBody()],
  ['files whose answer is lost', 'loseAnswerTo', WITH_FILE, fileBody()],
])('%s: sent again with its Idempotency-Key, it is stored once', async (_name, fault, headers, body) => {
  const { id } = await owner.deploy();
  const submit = () =>
    fetch(`${url}/submit/${id}`, {
      method: 'POST',
      body,
      headers: { ...headers, 'Idempotency-Key': `"key of ${id}"` },
    });
  const list = async () => (await owner.get(`/submissions/${id}`).expect(200)).body;

  proxy[fault]('COMMIT', 'store-submission');
  expect((await submit()).status).toBe(503);
  expect(proxy.isWaiting()).toBe(false);
  expect((await list()).total).toBe(fault === 'lose' ? 0 : 1);

  const again = await submit();
  const { id: submissionId } = JSON.parse(await again.text());
  expect(again.status).toBe(200);
  const { total, submissions } = await list();
  expect([total, submissions[0].id]).toEqual([1, submissionId]);
  if (headers !== WITH_FILE) return;
  const file = await owner.get(submissions[0].data.cv.url).expect(200);
  expect(String(file.body)).toBe('Dear Ada');
});

function fileBody(): Uint8Array {
  return new Uint8Array(multipartBody(['name="name"', 'Ada'], ['name="cv"; filename="cv.pdf"', 'Dear Ada']));
}
