// @module-tag slow
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/db/owners.ts';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { cleanBucket, namedObjects } from '../support/bucket-files.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { multipartBody } from '../support/multipart.ts';
import { startProgram, startServiceProcess } from '../support/process.ts';
import { type S3, type S3Request, startS3 } from '../support/s3.ts';
import { asOwner, BASE_URL, PAGES_DOMAIN } from '../support/service.ts';

/*
 * kill -9 between every two steps of what stores, deletes and moves files in a bucket: no row is without its object, and in the
 * end no object without its row.
 */

const MIB = 1024 * 1024;
const PATIENCE = { timeout: 30_000, interval: 50 };

let s3: S3;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.close());

type Stand = {
  database: FreshDatabase;
  db: Database;
  settings: { DATABASE_URL: string; FILES_URL: string };
  key: string;
  prefix: string;
};

let stands = 0;
/** A database with an owner, and a prefix of its own. */
async function stand(): Promise<Stand> {
  stands += 1;
  const prefix = `kill${stands}`;
  const database = await cloneDatabase();
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  onTestFinished(async () => {
    s3.behave();
    await db.close();
    await database.drop();
  });
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  const settings = {
    ...s3.settings(prefix),
    ...{ DATABASE_URL: database.url, BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' },
  };
  return { database, db, settings, key, prefix };
}

async function serve({ settings, key }: Stand, more: Record<string, string> = {}) {
  const service = await startServiceProcess({ ...settings, ...more });
  await vi.waitFor(() => service.ready(), { timeout: 90_000 });
  return { ...service, owner: asOwner(service.url, key) };
}
type Serving = Awaited<ReturnType<typeof serve>>;

/** Sends a file; the status, or undefined when there was no answer. */
async function submit({ url }: Pick<Serving, 'url'>, id: string, content: Buffer): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/submit/${id}`, {
      method: 'POST',
      body: new Uint8Array(multipartBody(['name="a"; filename="a"', content])),
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function contentsOf({ url, owner }: Serving, id: string): Promise<Buffer[]> {
  const { body } = await owner.get(`/submissions/${id}`).expect(200);
  const contents: Buffer[] = [];
  for (const { data } of body.submissions) {
    const response = await fetch(url + data.a.url, { headers: { Authorization: `Bearer ${owner.key}` } });
    expect(response.status).toBe(200);
    contents.push(Buffer.from(await response.arrayBuffer()));
  }
  return contents;
}

/** Kills a process at the `n`th request that `isStep` says is one, before the bucket has done it or before it answers. */
function killAt(
  child: () => ChildProcess,
  n: number,
  isStep: (request: S3Request) => boolean,
): { killed: Promise<void> } {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  let steps = 0;
  s3.intercept((request, response) => {
    if (!isStep(request)) return false;
    steps += 1;
    if (steps !== n) return false;
    child().kill('SIGKILL');
    response.socket?.destroy();
    resolve();
    return true;
  });
  return { killed };
}

const objectsOf = ({ prefix }: Stand): string[] => s3.files().filter((key) => key.startsWith(`${prefix}/`));

/** Every row has its object, and, once all that is due has been done, every object its row. */
async function expectConsistent(place: Stand): Promise<void> {
  s3.behave();
  const { db, prefix, settings } = place;
  const named = await namedObjects(db, s3, prefix);
  const objects = objectsOf(place);
  expect(named.filter((key) => !objects.includes(key))).toEqual([]);
  await cleanBucket(db, s3, settings);
  expect(objectsOf(place)).toEqual(await namedObjects(db, s3, prefix));
}

const isUpload = ({ method, key }: S3Request): boolean => method === 'PUT' && key.includes('/files/');

describe('a service that is killed while it stores a submission with two files', () => {
  const content = randomBytes(MIB);
  const form = (n: number): Buffer =>
    multipartBody(['name="a"; filename="a"', content], ['name="b"; filename="b"', `${n}`]);

  // Two files, each before the bucket has it and after.
  it.each([1, 2, 3, 4])('at step %i loses nothing that was acknowledged', async (step) => {
    const place = await stand();
    let service = await serve(place);
    const { id } = await service.owner.deploy();
    const { killed } = killAt(() => service.child, step, isUpload);
    const sent = fetch(`${service.url}/submit/${id}`, {
      method: 'POST',
      body: new Uint8Array(form(1)),
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    }).then(
      (response) => response.status,
      () => undefined,
    );
    await killed;
    expect(await sent).toBeUndefined();
    await service.result;
    s3.behave();
    service = await serve(place);
    const { body } = await service.owner.get(`/submissions/${id}`).expect(200);
    expect(body.total).toBe(0);
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
    await vi.waitFor(() => expect(objectsOf(place).length).toBe(1), PATIENCE);
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

  it('again and again, whatever it does, keeps every file of each acknowledged submission', async () => {
    const place = await stand();
    let service = await serve(place);
    const ids = await Promise.all(Array.from({ length: 12 }, async () => (await service.owner.deploy()).id));
    const acknowledged = new Map<string, Buffer[]>();
    for (let round = 0; round < 6; round += 1) {
      const { killed } = killAt(() => service.child, 3 + 3 * round, isUpload);
      const sending = ids.map(async (id) => {
        const own = randomBytes(100_000);
        if ((await submit(service, id, own)) === 200) acknowledged.set(id, [own, ...(acknowledged.get(id) ?? [])]);
      });
      const all = Promise.all(sending);
      await Promise.race([killed, all]);
      service.child.kill('SIGKILL');
      await all;
      await service.result;
      s3.behave();
      service = await serve(place);
    }
    let lost = 0;
    for (const [id, contents] of acknowledged) {
      const found = await contentsOf(service, id);
      for (const content of contents) if (!found.some((one) => one.equals(content))) lost += 1;
    }
    const sent = [...acknowledged.values()].flat().length;
    console.log(`6 kills while files were stored: ${sent} acknowledged, ${lost} lost`);
    expect([lost, sent > 0]).toEqual([0, true]);
    await service.stop();
    await expectConsistent(place);
  });
});

describe('a service that is killed while it claims its prefix', () => {
  it.each([1, 2, 3, 4, 5, 6])('at step %i has it after the next start', async (step) => {
    const place = await stand();
    const { promise: started, resolve } = Promise.withResolvers<ChildProcess>();
    let steps = 0;
    s3.intercept(async (_request, response) => {
      steps += 1;
      if (steps !== step) return false;
      (await started).kill('SIGKILL');
      response.socket?.destroy();
      return true;
    });
    const first = await startServiceProcess(place.settings);
    resolve(first.child);
    await first.result;
    s3.behave();
    const service = await serve(place);
    const { id } = await service.owner.deploy();
    expect(await submit(service, id, randomBytes(10))).toBe(200);
    await service.stop();
    await expectConsistent(place);
  });
});

describe('a service that is killed while it deletes from the bucket', () => {
  it.each([1, 2, 3, 4])('at step %i deletes it later', async (step) => {
    const place = await stand();
    let service = await serve(place);
    const { id } = await service.owner.deploy();
    for (let n = 0; n < 2; n += 1) expect(await submit(service, id, randomBytes(10))).toBe(200);
    const { body } = await service.owner.get(`/submissions/${id}`).expect(200);
    const { killed } = killAt(
      () => service.child,
      step,
      ({ method }) => method === 'DELETE',
    );
    for (const { id: one } of body.submissions) await service.owner.delete(`/submissions/${id}/${one}`).expect(200);
    await place.db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
    await killed;
    await service.result;
    s3.behave();
    await place.db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
    service = await serve(place);
    await vi.waitFor(() => expect(objectsOf(place)).toEqual([]), PATIENCE);
    await vi.waitFor(async () => expect(await place.db('removed_objects').select()).toEqual([]), PATIENCE);
    await service.stop();
  });

  it.each([1, 2, 3, 4])(
    'at step %i of a sweep, the next one goes on, and deletes nothing that is named',
    async (step) => {
      const place = await stand();
      let service = await serve(place);
      const { id } = await service.owner.deploy();
      const content = randomBytes(10);
      expect(await submit(service, id, content)).toBe(200);
      const old = new Date(Date.now() - 48 * 60 * 60 * 1_000);
      for (const object of s3.objects.values()) object.modifiedAt = old;
      for (const n of [1, 2]) {
        const key = `${place.prefix}/files/obj_${'0'.repeat(23)}${n}`;
        s3.objects.set(key, { content: Buffer.from('x'), modifiedAt: old });
      }
      const sweepNow = () => place.db.raw('UPDATE bucket_use SET next_sweep_at = now()');
      const { killed } = killAt(
        () => service.child,
        step,
        ({ isList, method }) => isList || method === 'DELETE',
      );
      await sweepNow();
      await killed;
      await service.result;
      s3.behave();
      await sweepNow();
      service = await serve(place);
      await vi.waitFor(() => expect(objectsOf(place).length).toBe(1), PATIENCE);
      expect(await contentsOf(service, id)).toEqual([content]);
      await service.stop();
      await expectConsistent(place);
    },
  );
});

describe('files move that is killed', () => {
  it.each(['bucket', 'database'])(
    'at any step on the way to the %s can be run again, and loses nothing',
    async (to) => {
      const place = await stand();
      const FILES_URL = `${place.settings.FILES_URL}${to === 'bucket' ? '&new=database' : ''}`;
      const service = await serve(place, { FILES_URL });
      const { id } = await service.owner.deploy();
      const contents = [10, MIB, 3 * MIB + 1].map((size) => randomBytes(size));
      for (const content of contents) expect(await submit(service, id, content)).toBe(200);
      const move = () => startProgram(process.execPath, ['src/commands/files.ts', 'move', '--to', to], place.settings);
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
      console.log(`files move --to ${to}: killed ${kills} times`);
      expect(kills).toBeGreaterThan(3);
      expect((await move().result).stdout).toBe(`moved 0 files to the ${to}\n`);
      await service.stop();
      await expectConsistent(place);
      expect(objectsOf(place).length).toBe(to === 'bucket' ? 3 : 0);
    },
  );
});
