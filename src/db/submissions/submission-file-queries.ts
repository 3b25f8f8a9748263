import type { Knex } from 'knex';
import { checkFresh, insertChunks, type NewObject } from '../files/stored-file-queries.ts';
import { execute } from '../postgres/query.ts';
import type { NewSubmission } from './store-submissions.ts';

/** `filename` and `contentType` as they were sent. `object`: in the bucket, if the content is there already. */
export type NewFile = {
  id: string;
  filename: string;
  contentType: string;
  content: Buffer;
  object?: NewObject | undefined;
};

/** The bytes of all of these files. */
export const bytesOf = (files: readonly NewFile[]): number =>
  files.reduce((sum, { content }) => sum + content.length, 0);

const NO_BYTES = Buffer.alloc(0);

export async function insertFiles(
  transaction: Knex,
  submission: Pick<NewSubmission, 'id' | 'deploymentId'>,
  files: readonly NewFile[],
): Promise<void> {
  for (const { object } of files) if (object) checkFresh(object);
  await execute(
    transaction,
    'insert-files',
    `INSERT INTO submission_files
       (id, deployment_id, submission_id, filename, content_type, size, object_id, object_sha256)
     SELECT id, ?, ?, filename, content_type, size, nullif(object_id, ''), nullif(object_sha256, '')
       FROM unnest(?::text[], ?::bytea[], ?::text[], ?::integer[], ?::text[], ?::bytea[])
         AS file (id, filename, content_type, size, object_id, object_sha256)`,
    [
      submission.deploymentId,
      submission.id,
      files.map(({ id }) => id),
      files.map(({ filename }) => Buffer.from(filename)),
      files.map(({ contentType }) => contentType),
      files.map(({ content }) => content.length),
      files.map(({ object }) => object?.id ?? ''),
      files.map(({ object }) => object?.sha256 ?? NO_BYTES),
    ],
  );
  for (const { id, content, object } of files) if (!object) await insertChunks(transaction, id, content);
}
