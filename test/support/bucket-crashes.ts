import type { ChildProcess } from 'node:child_process';
import request from 'supertest';
import { expect, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/db/postgres/connect.ts';
import { cleanBucket, namedObjects } from './bucket-files.ts';
import { type FreshDatabase, openDatabase, testDatabase } from './fresh-database.ts';
import { startServiceProcess } from './process.ts';
import type { S3, S3Request } from './s3.ts';
import { keyIn } from './test-process.ts';
import { asOwner, BASE_URL, type Owner, PAGES_DOMAIN } from './test-service.ts';

/*
 * Services that keep their files in a bucket, and are killed at one of their requests to it.
 */

export const isUpload = ({ method, key }: S3Request): boolean => method === 'PUT' && key.includes('/files/');

export type Stand = {
  database: FreshDatabase;
  db: Database;
  settings: { DATABASE_URL: string; FILES_URL: string };
  key: string;
  prefix: string;
};

/** `s3`: the server of the bucket. */
export function bucketCrashes(s3: S3) {
  let stands = 0;
  /** A database with an owner, and a prefix of its own. */
  async function stand(): Promise<Stand> {
    stands += 1;
    const prefix = `kill${stands}`;
    const database = await testDatabase();
    const db = openDatabase(database.url);
    onTestFinished(s3.behave);
    const key = await keyIn(database.url);
    const settings = {
      ...s3.settings(prefix),
      ...{ DATABASE_URL: database.url, BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' },
    };
    return { database, db, settings, key, prefix };
  }

  async function serve({ settings, key }: Stand, more: Record<string, string> = {}) {
    const service = await startServiceProcess({ ...settings, ...more });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await vi.waitFor(() => service.ready(), { timeout: 90_000 });
    return { ...service, owner: asOwner(service.url, key) };
  }

  /** Sends a file; the status, or undefined when there was no answer. */
  const submit = ({ url }: { url: string }, id: string, content: Buffer): Promise<number | undefined> =>
    request(url)
      .post(`/submit/${id}`)
      .attach('a', content, 'a')
      .then(
        ({ status }) => status,
        () => undefined,
      );

  async function contentsOf({ url, owner }: { url: string; owner: Owner }, id: string): Promise<Buffer[]> {
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
  function killAt(child: () => ChildProcess, n: number, isStep: (request: S3Request) => boolean) {
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

  return { stand, serve, submit, contentsOf, killAt, objectsOf, expectConsistent };
}
