import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parseFilesUrl } from '../../src/environment/files-url.ts';
import { BackupBucket, newBackupName } from '../../src/files/backup-bucket.ts';
import { S3_CREDENTIALS, type S3Request, startS3 } from '../support/s3.ts';
import { testLimits } from '../support/test-limits.ts';

const PART_BYTES = 1_000;

const s3 = await startS3({ minPartBytes: PART_BYTES, maxListed: 2 });
afterAll(s3.close);
afterEach(() => {
  s3.behave();
  s3.objects.clear();
  s3.requests.length = 0;
  expect([...s3.uploads.keys()], 'uploads that take space').toEqual([]);
});

const bucket = new BackupBucket(
  {
    ...parseFilesUrl(s3.settings('b').FILES_URL),
    accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
    sessionToken: undefined,
  },
  testLimits(),
);

async function upload(name: string, content: Buffer, chunkBytes = 300): Promise<void> {
  const out = bucket.upload(name, PART_BYTES);
  for (let at = 0; at < content.length; at += chunkBytes) {
    if (!out.write(content.subarray(at, at + chunkBytes))) await once(out, 'drain');
  }
  out.end();
  await finished(out);
}

const steps = (): (string | undefined)[] => s3.requests.map(({ step }) => step);

describe('an upload of a backup', () => {
  it.each([
    [1, 1],
    [PART_BYTES, 1],
    [2 * PART_BYTES + 1, 3],
    [5 * PART_BYTES, 5],
  ])('of %i bytes has %i parts, and is read in pieces as it was written', async (bytes, parts) => {
    const content = randomBytes(bytes);
    await upload('one', content);
    expect(steps()).toEqual(['begin', ...Array(parts).fill('part'), 'complete']);
    expect([...s3.objects.keys()]).toEqual(['b/one']);
    expect((await buffer(bucket.read('one', 700))).equals(content)).toBe(true);
    expect((await buffer(bucket.read('one'))).equals(content)).toBe(true);
  });

  it('is no object until it has been put together', async () => {
    const { promise: completing, resolve } = Promise.withResolvers<void>();
    s3.intercept(async ({ step, isDone }) => {
      if (step !== 'complete' || isDone) return false;
      expect([...s3.objects.keys()]).toEqual([]);
      resolve();
      return false;
    });
    await upload('late', randomBytes(3 * PART_BYTES));
    await completing;
    expect([...s3.objects.keys()]).toEqual(['b/late']);
  });

  it('leaves nothing when it is destroyed', async () => {
    const out = bucket.upload('half', PART_BYTES);
    const ended = finished(out);
    const { promise: uploading, resolve } = Promise.withResolvers<void>();
    s3.intercept(({ step }) => {
      if (step === 'part') resolve();
      return false;
    });
    out.write(randomBytes(2 * PART_BYTES));
    await uploading;
    out.destroy(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    expect(out.closed).toBe(true);
    expect([...s3.objects.keys(), ...s3.uploads.keys()]).toEqual([]);
  });

  it.each<[string, (request: S3Request) => boolean]>([
    ['a part', ({ step, isDone }) => step === 'part' && isDone],
    ['the end', ({ step, isDone }) => step === 'complete' && isDone],
  ])('is whole though the answer about %s is lost', async (_what, isLost) => {
    let lost = 0;
    s3.intercept((request, response) => {
      if (!isLost(request) || lost > 0) return false;
      lost += 1;
      response.socket?.destroy();
      return true;
    });
    const content = randomBytes(2.5 * PART_BYTES);
    await upload('lost', content);
    expect(lost).toBe(1);
    expect(s3.objects.get('b/lost')?.content.equals(content)).toBe(true);
  });

  it('fails where the parts cannot be put together, though the answer has the status 200', async () => {
    s3.intercept(({ step }, response) => {
      if (step !== 'complete') return false;
      response.writeHead(200, { 'Content-Type': 'application/xml' });
      response.end('<?xml version="1.0"?><Error><Code>InternalError</Code></Error>');
      return true;
    });
    await expect(upload('broken', randomBytes(10))).rejects.toThrow(
      'the bucket did not put the parts together: InternalError',
    );
    await expect.poll(() => s3.uploads.size).toBe(0);
  });
});

describe('reading a backup', () => {
  it('fails where another object takes its place meanwhile', async () => {
    await upload('same', randomBytes(1_000));
    const pieces = bucket.read('same', 400);
    expect((await pieces.next()).value?.length).toBe(400);
    s3.objects.set('b/same', { content: randomBytes(1_000), modifiedAt: new Date() });
    await expect(pieces.next()).rejects.toThrow('PreconditionFailed');
  });

  it('says which one is missing', async () => {
    await expect(buffer(bucket.read('none'))).rejects.toThrow('the bucket has no b/none');
  });
});

describe('the newest backup', () => {
  it('is the last by its name, in lists of several answers', async () => {
    expect(await bucket.newest()).toBeUndefined();
    const names = [1, 2, 3, 4, 5].map((day) => newBackupName(new Date(Date.UTC(2026, 10, day, 3, 17))));
    expect(names[0]).toBe('formhost-20261101T031700Z.backup');
    for (const name of [...names, 'formhost-notes.txt', 'other']) {
      s3.objects.set(`b/${name}`, { content: Buffer.from('x'), modifiedAt: new Date() });
    }
    expect(await bucket.newest()).toBe('formhost-20261105T031700Z.backup');
  });
});
