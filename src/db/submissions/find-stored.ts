import { webcrypto } from 'node:crypto';
import type { Knex } from 'knex';
import { execute, queryOne } from '../postgres/query.ts';
import type { NewFile } from './submission-file-queries.ts';

/** On another thread: all files together may have tens of megabytes. */
export const sha256 = async (content: Buffer): Promise<Buffer> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(content)));

/** Returns whether all of these files, with their names and contents, are among those that a submission was stored with. */
async function isStoredWith(
  db: Knex,
  { deploymentId, submissionId }: { deploymentId: string; submissionId: string },
  files: readonly NewFile[],
): Promise<boolean> {
  const hashes: Buffer[] = [];
  for (const { content } of files) hashes.push(await sha256(content));
  // Stored files are hashed only where the sizes fit.
  const { is_stored: isStored } = await queryOne<{ is_stored: boolean }>(
    db,
    'compare-files',
    `SELECT NOT EXISTS (
       SELECT * FROM unnest(?::bytea[], ?::bytea[]) AS sent (filename, hash)
       EXCEPT ALL
       SELECT filename, coalesce(object_sha256, sha256(coalesce((
                SELECT string_agg(content, '' ORDER BY position) FROM submission_file_chunks WHERE file_id = id), '')))
         FROM submission_files
        WHERE deployment_id = ? AND submission_id = ? AND size = ANY (?::integer[])
     ) AS is_stored`,
    [
      files.map(({ filename }) => Buffer.from(filename)),
      hashes,
      deploymentId,
      submissionId,
      files.map(({ content }) => content.length),
    ],
  );
  return isStored;
}

/**
 * Finds out if a deployment has stored the submission with this id, perhaps as spam or in the trash, because a submission that is sent again
 * may have been stored before. `hasFiles`: it has been stored with all of these files.
 */
export async function findStored(
  db: Knex,
  { deploymentId, id: submissionId }: { deploymentId: string; id: string },
  files: readonly NewFile[],
): Promise<{ hasFiles: boolean } | undefined> {
  const stored = await execute(
    db,
    'find-stored',
    `SELECT FROM submissions WHERE id = :submissionId AND deployment_id = :deploymentId
      UNION ALL SELECT FROM spam_submissions WHERE id = :submissionId AND deployment_id = :deploymentId
      UNION ALL SELECT FROM trashed_submissions WHERE id = :submissionId AND deployment_id = :deploymentId`,
    { submissionId, deploymentId },
  );
  if (stored === 0) return undefined;
  return { hasFiles: files.length === 0 || (await isStoredWith(db, { deploymentId, submissionId }, files)) };
}
