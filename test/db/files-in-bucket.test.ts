import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLinks } from '../../src/db/account/link-secret.ts';
import { listContentsOutside, moveToDatabase } from '../../src/db/files/bucket-file-queries.ts';
import type { Database } from '../../src/db/postgres/connect.ts';
import type { Bucket } from '../../src/files/bucket.ts';
import { deleteRemovedObjects, sweepOrphans } from '../../src/files/files-bucket.ts';
import { resubmitQuery } from '../../src/http/submit/resubmit-query.ts';
import { newObjectId, newSubmissionId } from '../../src/lib/ids.ts';
import type { LimitOverrides } from '../../src/limits.ts';
import { bucketOf, cleanBucket, namedObjects } from '../support/bucket-files.ts';
import { multipartBody } from '../support/multipart-body.ts';
import { s3Error, startS3 } from '../support/s3.ts';
import { testLimits } from '../support/test-limits.ts';
import { asOwner, type TestService, testService } from '../support/test-service.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1_000;
const TYPE = 'multipart/form-data; boundary=b';
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

const s3 = await startS3({ maxListed: 20 });
afterEach(() => s3.behave());
afterAll(() => s3.close());
const service = await testService(s3.settings(), undefined, {
  // The tests decide what is deleted, and when.
  limits: { files: { retryMs: 5, deletionsIntervalMs: HOUR_MS } },
});
const owner = await service.owner();

/** Another service on the same database and bucket, up to the end of the test. */
async function startBeside(files: NonNullable<LimitOverrides['files']>): Promise<TestService> {
  const shared = { name: 'shared', url: service.databaseUrl, clear: async () => {}, drop: async () => {} };
  return testService(s3.settings(), shared, { limits: { files } });
}

type Answered = { status: number; retryAfter: string | null; body: { id: string; message?: string; error?: string } };

async function submit(
  id: string,
  content: Buffer | string,
  { headers = {} as Record<string, string>, query = '', url = service.url } = {},
): Promise<Answered> {
  const form = multipartBody(['name="name"', 'Ada'], ['name="cv"; filename="../cv.pdf"', content]);
  const response = await fetch(`${url}/submit/${id}${query}`, {
    method: 'POST',
    body: new Uint8Array(form),
    headers: { 'Content-Type': TYPE, ...headers },
  });
  const retryAfter = response.headers.get('Retry-After');
  return { status: response.status, retryAfter, body: JSON.parse(await response.text()) };
}

/** The path of the file of a form's newest submission. */
async function fileUrl(id: string): Promise<string> {
  const { body } = await owner.get(`/submissions/${id}`).expect(200);
  return body.submissions[0].data.cv.url;
}

async function download(path: string, method = 'GET', url = service.url) {
  const response = await fetch(url + path, { method, headers: { Authorization: `Bearer ${owner.key}` } });
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
}

const deploy = async (): Promise<string> => (await owner.deploy()).id;
async function count(table: string): Promise<number> {
  const { rows } = await service.db.raw('SELECT count(*) AS n FROM ??', [table]);
  return Number(rows[0].n);
}

/** A form with a submission that has a file. */
async function stored(content: Buffer | string = 'Dear Ada'): Promise<{ id: string; path: string; object: string }> {
  const id = await deploy();
  const before = new Set(s3.files());
  expect(await submit(id, content)).toMatchObject({ status: 200 });
  const [object = ''] = s3.files().filter((key) => !before.has(key));
  return { id, path: await fileUrl(id), object };
}

const unavailable = {
  status: 503,
  retryAfter: '5',
  body: { error: 'The service cannot reach its files just now: try again shortly.' },
};

describe('a service with FILES_URL', () => {
  it.each([
    ['a file of exactly one piece', MIB / 4],
    ['a file of many pieces', 5 * MIB + 1],
  ])('keeps %s in the bucket and gives it back', async (_name, size) => {
    const content = randomBytes(size);
    const { path, object } = await stored(content);
    expect(object).toMatch(/^a\/files\/obj_[0-9A-Za-z]{24}$/);
    expect(await count('submission_file_chunks')).toBe(0);
    const { status, headers, content: got } = await download(path);
    expect([status, headers.get('Content-Length')]).toEqual([200, String(size)]);
    expect(headers.get('Content-Disposition')).toBe('attachment; filename=cv.pdf');
    expect(got.equals(content)).toBe(true);
    const head = await download(path, 'HEAD');
    expect([head.status, head.headers.get('Content-Length'), head.content.length]).toEqual([200, String(size), 0]);
  });

  it('keeps no object for an empty file', async () => {
    const id = await deploy();
    const before = s3.files();
    expect(await submit(id, '')).toMatchObject({ status: 200 });
    expect(s3.files()).toEqual(before);
    expect((await download(await fileUrl(id))).status).toBe(200);
  });

  it.runIf(hasIpv6)('has a bucket at an address of IPv6', async () => {
    const there = await startS3({ host: '[::1]' });
    onTestFinished(() => there.close());
    const bucket = bucketOf(there.settings());
    const { id } = await bucket.put(Buffer.from('over six'));
    expect(String(await bucket.read(id, { from: 0, length: 8 }, 60_000))).toBe('over six');
  });

  it('puts nothing into the bucket that would not be accepted', async () => {
    const id = await deploy();
    for (let n = 0; n < 10; n += 1) await owner.post(`/submit/${id}`).send({ n }).expect(200);
    const puts = () => s3.requests.filter(({ method }) => method === 'PUT').length;
    const before = puts();
    const many = await Promise.all(Array.from({ length: 20 }, () => submit(id, 'x')));
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 429));
    expect(puts()).toBe(before);
  });

  it('leaves no object of what is refused after it was uploaded', async () => {
    const id = await deploy();
    const before = s3.files().length;
    s3.intercept(async ({ method, isDone }) => {
      if (method === 'PUT' && isDone) {
        await service.db('deployments').where({ id }).update({ deleted_at: new Date() });
      }
      return false;
    });
    expect(await submit(id, 'x')).toMatchObject({ status: 404 });
    await expect.poll(() => s3.files().length).toBe(before);
  });

  it('stores a submission once that is sent again, and knows its file by the hash', async () => {
    const id = await deploy();
    const attempt = newSubmissionId();
    const query = resubmitQuery(attempt, [['name', 'Ada']], new Set(), await createLinks(service.db, service.url)());
    const first = await submit(id, 'one', { query });
    const again = await submit(id, 'one', { query });
    const other = await submit(id, 'two', { query });
    expect([first.status, again, other.status]).toEqual([200, first, 200]);
    expect(other.body.id).not.toBe(first.body.id);
    const headers = { 'Idempotency-Key': 'k' };
    const keyed = await submit(id, 'three', { headers });
    expect(await submit(id, 'three', { headers })).toEqual(keyed);
    expect(await submit(id, 'four', { headers })).toMatchObject({ status: 422 });
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.total).toBe(3);
    expect((await namedObjects(service.db, s3)).length).toBe(await count('submission_files').then((all) => all - 1));
  });

  it('keeps the file of spam, and of what is released from it', async () => {
    const id = await deploy();
    const spam = { blocklist: ['ada'], captcha: null };
    await owner.change(id, { spam });
    expect(await submit(id, 'kept apart')).toMatchObject({ status: 200 });
    const { body } = await owner.get(`/deploy/${id}/spam`).expect(200);
    await owner.post(`/deploy/${id}/spam/${body.submissions[0].id}/release`).expect(200);
    expect((await download(await fileUrl(id))).content.toString()).toBe('kept apart');
  });

  it('keeps the files of a deleted page until it is purged', async () => {
    const { id, path, object } = await stored('in the trash');
    await owner.delete(`/deploy/${id}`).expect(200);
    await cleanBucket(service.db, s3, s3.settings());
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    expect((await download(path)).content.toString()).toBe('in the trash');
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.delete(`/trash/${id}`).expect(200);
    await expect.poll(() => count('removed_objects')).toBeGreaterThan(0);
    await cleanBucket(service.db, s3, s3.settings());
    expect(s3.objects.has(object)).toBe(false);
  });

  it('deletes the object of a deleted submission by itself, and tries again until that succeeds', async () => {
    const { id, path, object } = await stored();
    const submissionId = path.split('/')[3];
    await owner.delete(`/submissions/${id}/${submissionId}?permanent=1`).expect(200);
    // It stays for a while, for a backup that has begun.
    expect(s3.objects.has(object)).toBe(true);
    await service.db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
    let refused = 0;
    s3.intercept(({ method }, response) => {
      if (method !== 'DELETE') return false;
      refused += 1;
      return s3Error(response, 403, 'AccessDenied');
    });
    await startBeside({ deletionsIntervalMs: 50, deletionsRetryMs: 50, deletionDueAgainMs: 50 });
    await expect.poll(() => refused).toBeGreaterThan(1);
    expect(await count('removed_objects')).toBe(1);
    s3.behave();
    await expect.poll(() => s3.objects.has(object)).toBe(false);
    await expect.poll(() => count('removed_objects')).toBe(0);
    expect((await download(path)).status).toBe(404);
  });

  it('moves a file into the database once, of several processes that do it at the same time', async () => {
    const { object } = await stored('moved');
    for await (const file of listContentsOutside(service.db, 'database')) {
      if (!object.endsWith(`/${file.object?.id}`)) continue;
      const move = () => moveToDatabase(service.db, file, Buffer.from('moved'));
      expect([await move(), await move()]).toEqual([true, false]);
    }
    expect(await count('submission_file_chunks')).toBe(1);
  });

  it('sweeps only what is old, and named by nothing', async () => {
    const { object: named } = await stored();
    const { id, path, object: pending } = await stored();
    await owner.delete(`/submissions/${id}/${path.split('/')[3]}?permanent=1`).expect(200);
    const old = new Date(Date.now() - 25 * 60 * 60 * 1_000);
    const young = new Date(Date.now() - 23 * 60 * 60 * 1_000);
    const put = (key: string, modifiedAt: Date) => s3.objects.set(key, { content: Buffer.from('x'), modifiedAt });
    const [orphan, recent] = [`a/files/${newObjectId()}`, `a/files/${newObjectId()}`];
    const kept = [named, pending, recent, 'a/files/notes.txt', `b/files/${newObjectId()}`, `ab/files/${newObjectId()}`];
    for (const key of [recent, ...kept.slice(3)]) put(key, key === recent ? young : old);
    for (const key of [named, pending]) Object.assign(s3.objects.get(key) ?? {}, { modifiedAt: old });
    // More than one answer lists.
    const many = Array.from({ length: 50 }, () => `a/files/${newObjectId()}`);
    for (const key of [orphan, ...many]) put(key, old);
    const bucket = bucketOf(s3.settings());
    expect(await sweepOrphans(service.db, bucket)).toBe(51);
    expect(kept.filter((key) => !s3.objects.has(key))).toEqual([]);
    for (const key of kept.slice(2)) s3.objects.delete(key);
    await cleanBucket(service.db, s3, s3.settings());
    expect(s3.files()).toEqual(await namedObjects(service.db, s3));
  });

  it('writes no object under a prefix of another installation, and sweeps none', async () => {
    const other = await testService(s3.settings());
    const { id } = await (await other.owner()).deploy();
    const before = s3.files();
    expect(await submit(id, 'x', { url: other.url })).toEqual(unavailable);
    expect(await submit(id, '', { url: other.url })).toMatchObject({ status: 200 });
    expect(s3.files()).toEqual(before);
  });
});

/** The ways in which a bucket fails. */
const FAULTS = Object.entries<(response: ServerResponse) => unknown>({
  'answers 503 SlowDown': (response) => s3Error(response, 503, 'SlowDown'),
  'breaks off in the middle of an answer': (response) =>
    response.writeHead(200, { 'Content-Length': 100 }).write('h', () => response.socket?.destroy()),
  'resets connections': (response) => response.socket?.resetAndDestroy(),
});
const SILENCE = 'does not answer';
const REFUSALS = Object.entries<(response: ServerResponse) => unknown>({
  'answers 403': (response) => s3Error(response, 403, 'AccessDenied'),
  [SILENCE]: () => undefined,
  'answers with a redirect to another region': (response) =>
    s3Error(response.setHeader('Location', 'http://127.0.0.1:1/'), 301, 'PermanentRedirect'),
  'has a page for times of maintenance in its place': (response) => response.end('<h1>We are back soon</h1>'),
});

describe('when the bucket', () => {
  it.each([...FAULTS, ...REFUSALS])(
    '%s, submissions with files and downloads of these are a 503, and nothing else',
    async (name, fault) => {
      const { path } = await stored('x');
      const id = await deploy();
      const before = s3.files();
      const waits = name === SILENCE;
      const { url } = waits ? await startBeside({ requestTimeoutMs: 200, firstPieceTimeoutMs: 200 }) : service;
      s3.intercept((_request, response) => {
        fault(response);
        return true;
      });
      const [refused, plain, file, ready] = await Promise.all([
        submit(id, 'x', { url }),
        asOwner(url, owner.key).post(`/submit/${id}`).send({ n: 1 }),
        download(path, 'GET', url),
        fetch(`${url}/readyz`),
      ]);
      expect(refused).toEqual(unavailable);
      expect([plain.status, file.status, ready.status]).toEqual([200, 503, 200]);
      expect(file.headers.get('Retry-After')).toBe('5');
      const { body } = await owner.get(`/submissions/${id}`).expect(200);
      expect(body.total).toBe(1);
      s3.behave();
      expect(s3.files()).toEqual(before);
      // In another service, which has time enough, where the bucket was silent.
      expect(await submit(id, 'x')).toMatchObject({ status: 200 });
      expect((await download(path)).content.toString()).toBe('x');
    },
  );

  it.each(FAULTS)('%s for a moment, it is asked again', async (_name, fault) => {
    const { path } = await stored('once');
    const id = await deploy();
    const failOnce = () => {
      let failed = 0;
      s3.intercept(({ isDone }, response) => {
        if (isDone || failed === 2) return false;
        failed += 1;
        fault(response);
        return true;
      });
    };
    failOnce();
    expect(await submit(id, 'x')).toMatchObject({ status: 200 });
    failOnce();
    expect((await download(path)).content.toString()).toBe('once');
  });

  it('answers with more than was asked for, the rest is not read', async () => {
    const { path } = await stored('x');
    const { promise: wasRead, resolve } = Promise.withResolvers<boolean>();
    s3.intercept(({ method, key, isDone }, response) => {
      if (method !== 'GET' || isDone || !key.includes('/files/')) return false;
      response.once('close', () => resolve(response.writableFinished));
      response.writeHead(206, { 'Content-Range': 'bytes 0-0/1' });
      response.end(Buffer.alloc(64 * MIB));
      return true;
    });
    expect(await download(path)).toMatchObject({ status: 503 });
    expect(await wasRead).toBe(false);
  });

  it.each([
    ['says nothing', () => undefined],
    ['stops within its answer', (response: ServerResponse) => void response.writeHead(206).write('x')],
  ])('%s, the time-out ends that, whatever the garbage collector does', async (_case, fault) => {
    const { gc } = globalThis;
    if (!gc) throw new Error('The garbage collector is out of reach: see vitest.config.ts.');
    const collecting = setInterval(() => void gc(), 5);
    onTestFinished(() => clearInterval(collecting));
    s3.intercept((_request, response) => {
      fault(response);
      return true;
    });
    const part = { from: 0, length: 10 };
    await expect(bucketOf(s3.settings()).read(newObjectId(), part, 1_000)).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it.each([
    ['lists', sweepOrphans],
    [
      'deletes',
      (db: Database, bucket: Bucket, signal: AbortSignal) => deleteRemovedObjects(db, bucket, testLimits(), signal),
    ],
  ])('says nothing while the service %s, a stop does not wait for it', async (_case, work) => {
    const { id, path } = await stored('x');
    await owner.delete(`/submissions/${id}/${path.split('/')[3]}?permanent=1`).expect(200);
    await service.db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
    const stop = new AbortController();
    s3.intercept(() => {
      stop.abort();
      return true;
    });
    await expect(work(service.db, bucketOf(s3.settings()), stop.signal)).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('answers an upload after it has stored it, or not at all, the submission has its file', async () => {
    const id = await deploy();
    let failed = 0;
    s3.intercept(({ method, isDone }, response) => {
      if (method !== 'PUT' || !isDone || failed > 0) return false;
      failed += 1;
      response.socket?.resetAndDestroy();
      return true;
    });
    expect(await submit(id, 'twice')).toMatchObject({ status: 200 });
    expect((await download(await fileUrl(id))).content.toString()).toBe('twice');
  });

  const part = (response: ServerResponse, length: number, range: string, sent: Buffer): true => {
    response.writeHead(206, { 'Content-Length': length, 'Content-Range': range });
    response.write(sent, () => (sent.length < length ? response.socket?.destroy() : response.end()));
    return true;
  };
  it.each([
    ['sends less than was asked for', (response: ServerResponse) => part(response, 5, 'bytes 0-4/5', Buffer.alloc(5))],
    ['sends more', (response: ServerResponse) => part(response, 11, 'bytes 0-10/11', Buffer.alloc(11))],
    ['sends another part', (response: ServerResponse) => part(response, 10, 'bytes 5-14/20', Buffer.alloc(10))],
  ])('%s, the download is a 503', async (_name, answer) => {
    const { path } = await stored(Buffer.alloc(10));
    s3.intercept(({ method }, response) => method === 'GET' && answer(response));
    expect((await download(path)).status).toBe(503);
  });

  it('has other content than was stored, the download does not look complete', async () => {
    const { path, object } = await stored(randomBytes(2 * MIB));
    const small = await stored('small');
    for (const key of [object, small.object]) s3.objects.get(key)?.content.fill(0);
    await expect(download(path)).rejects.toThrow('terminated');
    expect((await download(small.path)).status).toBe(500);
    s3.objects.delete(small.object);
    expect((await download(small.path)).status).toBe(503);
  });

  it('fails in the middle of a download, that does not look complete', async () => {
    const { path } = await stored(randomBytes(3 * MIB));
    let gets = 0;
    s3.intercept(({ method, isDone }, response) => {
      if (method !== 'GET' || isDone) return false;
      gets += 1;
      return gets > 2 && s3Error(response, 403, 'AccessDenied');
    });
    await expect(download(path)).rejects.toThrow('terminated');
  });
});
