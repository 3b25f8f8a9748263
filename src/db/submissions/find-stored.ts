import { webcrypto } from 'node:crypto';
import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { execute, query } from '../postgres/query.ts';
import type { NewFile } from './submission-files.ts';

/*
 * Whether a submission that is sent again has been stored before.
 */

const sha256 = async (content: Buffer): Promise<string> =>
  // On another thread: all files together may have tens of megabytes.
  Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(content))).toString('hex');

/** A text that is the same for two files with the same name and content; `hashes`: of its chunks. */
const fingerprint = (filename: string, hashes: readonly string[]): string => JSON.stringify([filename, ...hashes]);

/** The same for files in the bucket, whose hash is of all of their content. */
const wholeFingerprint = (filename: string, hash: string): string => JSON.stringify([filename, 'whole', hash]);

async function fingerprintOf({ filename, content }: NewFile): Promise<string> {
  const hashes: string[] = [];
  for (let from = 0; from < content.length; from += SIZES.file.chunkBytes) {
    hashes.push(await sha256(content.subarray(from, from + SIZES.file.chunkBytes)));
  }
  return fingerprint(filename, hashes);
}

/** Whether all of these files, with their names and contents, are among those that a submission was stored with. */
async function isStoredWith(
  db: Knex,
  { deploymentId, submissionId }: { deploymentId: string; submissionId: string },
  files: readonly NewFile[],
): Promise<boolean> {
  // Hashed only where the sizes fit: that costs as much as the upload did.
  const rows = await query<{ filename: Buffer; hash: string | null; hashes: string[] }>(
    db,
    'find-file-hashes',
    `SELECT filename, encode(object_sha256, 'hex') AS hash, ARRAY(
              SELECT encode(sha256(content), 'hex') FROM submission_file_chunks WHERE file_id = id ORDER BY position
            ) AS hashes
       FROM submission_files
      WHERE deployment_id = ? AND submission_id = ? AND size = ANY (?::integer[])`,
    [deploymentId, submissionId, files.map(({ content }) => content.length)],
  );
  const stored = rows.map(({ filename, hash, hashes }) =>
    hash === null ? fingerprint(filename.toString(), hashes) : wholeFingerprint(filename.toString(), hash),
  );
  if (stored.length < files.length) return false;
  const hasWhole = rows.some(({ hash }) => hash !== null);
  for (const file of files) {
    let index = stored.indexOf(await fingerprintOf(file));
    if (index < 0 && hasWhole) index = stored.indexOf(wholeFingerprint(file.filename, await sha256(file.content)));
    if (index < 0) return false;
    stored.splice(index, 1);
  }
  return true;
}

/** Whether a deployment has stored the submission with this id, be it as spam, and with all of these files. */
export async function findStored(
  db: Knex,
  deploymentId: string,
  id: string,
  files: readonly NewFile[],
): Promise<{ hasFiles: boolean } | undefined> {
  const stored = await execute(
    db,
    'find-stored',
    `SELECT FROM submissions WHERE id = :id AND deployment_id = :deploymentId
      UNION ALL SELECT FROM spam_submissions WHERE id = :id AND deployment_id = :deploymentId`,
    { id, deploymentId },
  );
  if (stored === 0) return undefined;
  return { hasFiles: files.length === 0 || (await isStoredWith(db, { deploymentId, submissionId: id }, files)) };
}
