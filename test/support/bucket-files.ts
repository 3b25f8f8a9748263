import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../src/db/postgres/connect.ts';
import { parseFilesUrl } from '../../src/environment/files-url.ts';
import { Bucket } from '../../src/files/bucket.ts';
import { deleteRemovedObjects, sweepOrphans } from '../../src/files/files-bucket.ts';
import { type S3, S3_CREDENTIALS } from './s3.ts';
import { testLimits } from './test-limits.ts';

const DAYS_2 = 2 * 24 * 60 * 60 * 1_000;

/** A client of the bucket that a service with these settings has. */
export const bucketOf = ({ FILES_URL }: { FILES_URL: string }) =>
  new Bucket(
    {
      ...parseFilesUrl(FILES_URL),
      accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
      secretAccessKey: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      sessionToken: undefined,
    },
    testLimits(),
  );

/** The keys of the objects that files in the database name, each of which is there with the content that was stored. */
export async function namedObjects(db: Database, s3: S3, prefix = 'a'): Promise<string[]> {
  const { rows } = await db.raw(
    'SELECT id, size, object_id, object_sha256 FROM submission_files WHERE object_id IS NOT NULL ORDER BY object_id',
  );
  return rows.map((row: { size: number; object_id: string; object_sha256: Buffer }) => {
    const key = `${prefix}/files/${row.object_id}`;
    const content = s3.objects.get(key)?.content;
    expect(content?.length, 'an object with the size of its file').toBe(row.size);
    const hash = createHash('sha256')
      .update(content ?? '')
      .digest();
    expect(hash.equals(row.object_sha256)).toBe(true);
    return key;
  });
}

/** Does at once what the service does in a minute and in a day, as if all objects were old. */
export async function cleanBucket(db: Database, s3: S3, settings: { FILES_URL: string }): Promise<void> {
  const bucket = bucketOf(settings);
  await db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
  await deleteRemovedObjects(db, bucket, testLimits());
  for (const object of s3.objects.values()) object.modifiedAt = new Date(object.modifiedAt.getTime() - DAYS_2);
  await sweepOrphans(db, bucket);
}
