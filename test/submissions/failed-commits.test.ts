import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { multipartBody } from '../support/multipart.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { type S3, startS3 } from '../support/s3.ts';
import { type Owner, startTestService, type TestService } from '../support/service.ts';

/*
 * A submission that is sent again after a 503 is stored once, and with its files, whether the commit of the first attempt
 * failed or only its answer was lost.
 */

type Fault = 'none' | 'commit-fails' | 'answer-is-lost';

let s3: S3;
let service: TestService;
let owner: Owner;
/** The URL of a process that keeps files in the bucket, and reaches the database through the proxy. */
let url: string;
let proxy: Awaited<ReturnType<typeof startProxy>>;
/** What happens to the next commit of a transaction that stores a submission. */
let fault: Fault = 'none';

const startProxy = (databaseUrl: string) =>
  proxyTo(
    databaseUrl,
    () => ({ isLost: false, isStoring: false }),
    (link) => {
      link.client.on('data', (bytes) => {
        // Other work of the process commits too, on other connections or earlier on this one.
        if (bytes.includes('store-submission')) link.isStoring = true;
        const ends = bytes.includes('COMMIT');
        const isCommit = fault !== 'none' && link.isStoring && ends;
        if (ends) link.isStoring = false;
        if (isCommit && fault === 'commit-fails') {
          fault = 'none';
          return link.end();
        }
        if (isCommit) [link.isLost, fault] = [true, 'none'];
        link.postgres.write(bytes);
      });
      link.postgres.on('data', (bytes) => {
        if (link.isLost) link.end();
        else link.client.write(bytes);
      });
    },
  );

beforeAll(async () => {
  s3 = await startS3();
  service = await startTestService(s3.settings());
  owner = await service.owner();
  proxy = await startProxy(service.databaseUrl);
  url = (await service.another({ DATABASE_URL: proxy.url })).url;
});
afterEach(() => {
  fault = 'none';
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await s3.close();
});

const PLAIN = { 'Content-Type': 'application/json' };
const WITH_FILE = { 'Content-Type': 'multipart/form-data; boundary=b' };

it.each<[string, Fault, Record<string, string>, string | Uint8Array]>([
  ['a submission whose commit fails', 'commit-fails', PLAIN, '{"name":"Ada"}'],
  ['a submission whose answer is lost', 'answer-is-lost', PLAIN, '{"name":"Ada"}'],
  ['files whose commit fails', 'commit-fails', WITH_FILE, fileBody()],
  ['files whose answer is lost', 'answer-is-lost', WITH_FILE, fileBody()],
])('%s: sent again with its Idempotency-Key, it is stored once', async (_name, kind, headers, body) => {
  const { id } = await owner.deploy();
  const submit = () =>
    fetch(`${url}/submit/${id}`, {
      method: 'POST',
      body,
      headers: { ...headers, 'Idempotency-Key': `"key of ${id}"` },
    });
  const list = async () => (await owner.get(`/submissions/${id}`).expect(200)).body;

  fault = kind;
  expect((await submit()).status).toBe(503);
  expect(fault, 'the commit was seen').toBe('none');
  expect((await list()).total).toBe(kind === 'commit-fails' ? 0 : 1);

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
