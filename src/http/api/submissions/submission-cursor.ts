import type { Owner } from '../../../db/account/owners.ts';
import type { Deployment } from '../../../db/deployments/deployments.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { findSubmission } from '../../../db/submissions/submissions.ts';
import { isSubmissionId } from '../../../lib/ids.ts';
import { badQuery } from '../../request/query.ts';
import { errorKind, HttpError } from '../../response/errors.ts';

/*
 * Where reading goes on: after a number, or after the submission with an id.
 */

/** The digits of a number that JavaScript has exactly. */
const CURSOR = /^[0-9]{1,15}$/;

export const noSuchCursor = errorKind(
  {
    id: 'NoSuchCursor',
    description:
      "There is no such deployment of the key's owner, or no submission of it with the id in place of a cursor.",
  },
  () => new HttpError(404, 'No such submission: go on from the cursor of an answer, or begin with 0.'),
);

/** The number after which a cursor goes on, which the client sent as `name`; throws 400 and 404. */
export async function numberAt(
  db: Database,
  owner: Owner,
  { id, lastSubmissionNumber }: Deployment,
  { name, cursor }: { name: string; cursor: string },
): Promise<number> {
  // Beyond the last one is a cursor from before a backup was restored: what comes next would be missed.
  if (CURSOR.test(cursor)) return Math.min(Number(cursor), lastSubmissionNumber);
  if (!isSubmissionId(cursor)) {
    throw badQuery(`${name} is invalid: send 0, the id of a submission, or the cursor of an answer.`);
  }
  const submission = await findSubmission(db, owner.id, id, cursor);
  if (!submission) throw noSuchCursor();
  return submission.number;
}
