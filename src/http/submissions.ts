import { type Response, Router } from 'express';
import type { Knex } from 'knex';
import { z } from 'zod';
import { deleteSubmission, findSubmission, listSubmissions, type Submission } from '../db/submissions.ts';
import { isDeploymentId, isSubmissionId } from '../ids.ts';
import type { Authenticate } from './auth.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { submissionId, time, total } from './fields.ts';
import { found, ownDeployment } from './own-deployment.ts';
import { paged, readPaging } from './paging.ts';

export const Listed = z
  .strictObject({
    id: submissionId,
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The fields, exactly as submitted. Of a form each value is a string, a file, or a list of these where a name repeats; ' +
        'a file is `{"filename","content_type","size","url"}`, its url a path of this API. A JSON body comes back as its own ' +
        'text.',
      example: { name: 'Ada', email: 'ada@example.org' },
    }),
    ip_address: z.string().meta({ description: "The client's address, IPv4 or IPv6.", example: '203.0.113.7' }),
    created_at: time,
  })
  .meta({ id: 'Submission' });
export const Submissions = z
  .strictObject({ submissions: z.array(Listed), total, ...paged })
  .meta({ id: 'Submissions' });

export const Deleted = z.strictObject({ message: z.string(), id: submissionId }).meta({ id: 'SubmissionDeleted' });

/** The stored text goes into the answer as it is: read and written again, it would not be what was sent. */
const toJson = ({ id, data, ipAddress, createdAt }: Submission): string =>
  `{"id":"${id}","data":${data},"ip_address":${JSON.stringify(ipAddress)},"created_at":"${createdAt.toISOString()}"}`;

/** The same for whatever there is not: the submission, the deployment, or this owner's part in it. */
const noSuchSubmission = (): HttpError =>
  new HttpError(404, 'No such submission: check the ids, and that they belong to the owner of the API key.');

/** The ids of a path; throws 404 for what is none, which Postgres may refuse (NUL). */
function idsOf({ deployId, submissionId }: { deployId: string; submissionId: string }): [string, string] {
  if (!isDeploymentId(deployId) || !isSubmissionId(submissionId)) throw noSuchSubmission();
  return [deployId, submissionId];
}

export function submissionsRouter({
  db,
  authenticate,
  reviewDeliveries,
}: {
  db: Knex;
  authenticate: Authenticate;
  /** Is told of a deployment whose deliveries, or where they go, have changed. */
  reviewDeliveries(deploymentId: string): void;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/submissions/:deployId')
    .get(async (request, response) => {
      const owner = await authenticate(request, response);
      const { id } = await ownDeployment(db, owner, request.params.deployId);
      const { page, limit } = readPaging(request.url);
      const { submissions, total } = found(await listSubmissions(db, owner.id, id, { page, limit }));
      const items = submissions.map(toJson).join(',');
      response.type('json').send(`{"submissions":[${items}],"total":${total},"page":${page},"limit":${limit}}`);
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/submissions/:deployId/:submissionId')
    .get(async (request, response) => {
      const owner = await authenticate(request, response);
      const submission = await findSubmission(db, owner.id, ...idsOf(request.params));
      if (!submission) throw noSuchSubmission();
      response.type('json').send(toJson(submission));
    })
    .delete(async (request, response: Response<z.infer<typeof Deleted>>) => {
      const owner = await authenticate(request, response);
      const [deploymentId, id] = idsOf(request.params);
      if (!(await deleteSubmission(db, owner.id, deploymentId, id))) throw noSuchSubmission();
      reviewDeliveries(deploymentId);
      response.json({ message: 'Submission deleted', id });
    })
    .all(methodNotAllowed('GET, HEAD, DELETE'));

  return router;
}
