import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { bucketCrashes, isUpload, type Stand } from '../support/bucket-crashes.ts';
import { startAdmin, startServiceProcess } from '../support/process.ts';
import { S3_CREDENTIALS, type S3Request, s3Error, startS3 } from '../support/s3.ts';

/*
 * kill -9 between the steps of what stores, deletes and moves files in a bucket: no row is without its object, and in the
 * end no object without its row.
 */

const MIB = 1024 * 1024;

const s3 = await startS3();
afterAll(s3.close);

const { stand, serve, submit, contentsOf, killAt, objectsOf, expectConsistent } = bucketCrashes(s3);

describe('a service that is killed while it stores a submission with two files', () => {
  const content = randomBytes(MIB);

  it('loses nothing that was acknowledged', async () => {
    const place = await stand();
    let service = await serve(place);
    const { id } = await service.owner.deploy();
    // Once the bucket has the first file, and before it has the second.
    const { killed } = killAt(() => service.child, 2, isUpload);
    const form = service.owner.post(`/submit/${id}`).attach('a', content, 'a').attach('b', Buffer.from('1'), 'b');
    const sent = expect(form.then()).rejects.toThrow();
    await killed;
    await sent;
    await service.result;
    s3.behave();
    service = await serve(place);
    expect((await service.owner.get(`/submissions/${id}`).expect(200)).body.total).toBe(0);
    expect(await submit(service, id, content)).toBe(200);
    expect(await contentsOf(service, id)).toEqual([content]);
    await service.stop();
    await expectConsistent(place);
  });

  it('between the upload and the commit leaves an orphan, and no row', async () => {
    const place = await stand();
    let service = await serve(place);
    const { id } = await service.owner.deploy();
    // The transaction waits for this lock.
    const holder = await place.db.transaction();
    await holder.raw('LOCK TABLE submission_files IN ACCESS EXCLUSIVE MODE');
    const sent = submit(service, id, content);
    await expect.poll(() => objectsOf(place).length).toBe(1);
    service.child.kill('SIGKILL');
    expect(await sent).toBeUndefined();
    await service.result;
    await holder.rollback();
    service = await serve(place);
    expect((await service.owner.get(`/submissions/${id}`)).body.total).toBe(0);
    expect(objectsOf(place).length).toBe(1);
    await service.stop();
    await expectConsistent(place);
    expect(objectsOf(place)).toEqual([]);
  });
});

/** Starts a service that is killed at the `n`th request that `isStep` says is one. */
async function startAndKill(place: Stand, n: number, isStep: (request: S3Request) => boolean): Promise<void> {
  const { promise: started, resolve } = Promise.withResolvers<ChildProcess>();
  let steps = 0;
  s3.intercept(async (request, response) => {
    if (!isStep(request)) return false;
    steps += 1;
    if (steps !== n) return false;
    (await started).kill('SIGKILL');
    response.socket?.destroy();
    return true;
  });
  const { child, result } = await startServiceProcess(place.settings);
  onTestFinished(() => void child.kill('SIGKILL'));
  resolve(child);
  await result;
  expect(child.signalCode).toBe('SIGKILL');
  s3.behave();
}

describe('a service that is killed while it claims its prefix', () => {
  it('has it after the next start', async () => {
    const place = await stand();
    await startAndKill(place, 5, () => true);
    const service = await serve(place);
    const { id } = await service.owner.deploy();
    expect(await submit(service, id, randomBytes(10))).toBe(200);
    await service.stop();
    await expectConsistent(place);
  });
});

// A service deletes what is due when it starts, and every some seconds then.
describe('a service that is killed while it deletes from the bucket', () => {
  it('deletes the rest later', async () => {
    const place = await stand();
    let service = await serve(place);
    const { id } = await service.owner.deploy();
    for (let n = 0; n < 2; n += 1) expect(await submit(service, id, randomBytes(10))).toBe(200);
    const { body } = await service.owner.get(`/submissions/${id}`).expect(200);
    for (const { id: one } of body.submissions)
      await service.owner.delete(`/submissions/${id}/${one}?permanent=1`).expect(200);
    await service.stop();
    const makeDue = () => place.db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
    await makeDue();
    // The bucket has deleted one of two, and has not answered.
    await startAndKill(place, 2, ({ method }) => method === 'DELETE');
    await makeDue();
    service = await serve(place);
    await expect.poll(() => objectsOf(place)).toEqual([]);
    await expect.poll(() => place.db('removed_objects').select()).toEqual([]);
    await service.stop();
  });

  it('in a sweep goes on at the next one, and deletes nothing that is named', async () => {
    const place = await stand();
    let service = await serve(place);
    const { id } = await service.owner.deploy();
    const content = randomBytes(10);
    expect(await submit(service, id, content)).toBe(200);
    await service.stop();
    const old = new Date(Date.now() - 48 * 60 * 60 * 1_000);
    for (const object of s3.objects.values()) object.modifiedAt = old;
    for (const n of [1, 2]) {
      const key = `${place.prefix}/files/obj_${'0'.repeat(23)}${n}`;
      s3.objects.set(key, { content: Buffer.from('x'), modifiedAt: old });
    }
    const sweepNow = () => place.db.raw('UPDATE bucket_use SET next_sweep_at = now()');
    await sweepNow();
    // After the list and the first of two.
    await startAndKill(place, 4, ({ isList, method }) => isList || method === 'DELETE');
    await sweepNow();
    service = await serve(place);
    await expect.poll(() => objectsOf(place).length).toBe(1);
    expect(await contentsOf(service, id)).toEqual([content]);
    await service.stop();
    await expectConsistent(place);
  });
});

describe('files move that is killed', () => {
  it.each(['bucket', 'database'])(
    'at any step on the way to the %s can be run again, and loses nothing',
    async (to) => {
      const place = await stand();
      const FILES_URL = `${place.settings.FILES_URL}${to === 'bucket' ? '&new=database' : ''}`;
      const service = await serve(place, { FILES_URL });
      const { id } = await service.owner.deploy();
      const contents = [10, 3 * MIB + 1].map((size) => randomBytes(size));
      for (const content of contents) expect(await submit(service, id, content)).toBe(200);
      const move = () => startAdmin(['files', 'move', '--to', to], place.settings);
      let kills = 0;
      for (let step = 1; ; step += 1) {
        const { child, result } = move();
        const { killed } = killAt(
          () => child,
          step,
          ({ isList }) => !isList,
        );
        const ended = await Promise.race([killed.then(() => 'killed'), result.then(() => 'ended')]);
        await result;
        s3.behave();
        expect((await contentsOf(service, id)).toReversed()).toEqual(contents);
        if (ended === 'ended') break;
        kills += 1;
      }
      expect(kills).toBeGreaterThan(3);
      expect((await move().result).stdout).toBe(`moved 0 files to the ${to}\n`);
      await service.stop();
      await expectConsistent(place);
      expect(objectsOf(place).length).toBe(to === 'bucket' ? contents.length : 0);
    },
  );
});

it('logs why the bucket fails, and never its key, names of files or what was submitted', async () => {
  const place = await stand();
  const more = { LOG_LEVEL: 'trace', AWS_SESSION_TOKEN: 'tokentoken' };
  const service = await serve(place, more);
  const { id } = await service.owner.deploy();
  s3.intercept((_request, response) => s3Error(response, 403, 'AccessDenied'));
  await service.owner.post(`/submit/${id}`).attach('cv', Buffer.from('content-of-the-file'), 'cv.pdf').expect(503);
  const { code, stderr } = await service.stop();
  expect(code).toBe(0);
  expect(stderr).toContain('AccessDenied');
  const secrets = [...Object.values(S3_CREDENTIALS), 'tokentoken', 'cv.pdf', 'content-of-the-file', 'Signature='];
  expect(secrets.filter((secret) => stderr.includes(secret))).toEqual([]);
});
