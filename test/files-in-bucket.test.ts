import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { multipartBody } from './support/multipart.ts';
import { type S3, s3Error, startS3 } from './support/s3.ts';
import { type Owner, startTestService, type TestService } from './support/service.ts';

const MIB = 1024 * 1024;
const TYPE = 'multipart/form-data; boundary=b';

vi.setConfig({ testTimeout: 60_000 });

let s3: S3;
let service: TestService;
let owner: Owner;
beforeAll(async () => {
  s3 = await startS3();
  service = await startTestService(s3.settings());
  owner = await service.owner();
});
afterEach(() => s3.behave());
afterAll(async () => {
  await service.close();
  await s3.close();
});

type Answered = { status: number; retryAfter: string | null; body: { id: string; error?: string } };

async function submit(id: string, content: Buffer | string, headers: Record<string, string> = {}): Promise<Answered> {
  const response = await fetch(`${service.url}/submit/${id}`, {
    method: 'POST',
    body: new Uint8Array(multipartBody(['name="name"', 'Ada'], ['name="cv"; filename="../cv.pdf"', content])),
    headers: { 'Content-Type': TYPE, ...headers },
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('Retry-After'),
    body: JSON.parse(await response.text()),
  };
}

/** Where the file of a form's only submission is, over the API. */
async function fileUrl(id: string): Promise<string> {
  const { body } = await owner.get(`/submissions/${id}`).expect(200);
  return body.submissions[0].data.cv.url;
}

async function download(url: string) {
  const response = await fetch(service.url + url, { headers: { Authorization: `Bearer ${owner.key}` } });
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
}

const deploy = async (): Promise<string> => (await owner.deploy()).id;
const chunks = async (): Promise<number> => {
  const { rows } = await service.db.raw('SELECT count(*) AS n FROM submission_file_chunks');
  return Number(rows[0].n);
};

describe('a service with FILES_URL', () => {
  it.each([
    ['a small file', 10],
    ['a file of exactly one piece', MIB / 4],
    ['a file of many pieces', 5 * MIB + 1],
  ])('keeps %s in the bucket and gives it back', async (_name, size) => {
    const id = await deploy();
    const before = s3.files().length;
    const content = randomBytes(size);
    expect(await submit(id, content)).toMatchObject({ status: 200 });
    expect(s3.files().length).toBe(before + 1);
    expect(await chunks()).toBe(0);
    const { status, headers, content: got } = await download(await fileUrl(id));
    expect([status, headers.get('Content-Length')]).toEqual([200, String(size)]);
    expect(got.equals(content)).toBe(true);
  });
});
