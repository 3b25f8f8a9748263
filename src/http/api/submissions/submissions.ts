import { z } from 'zod';
import { listSubmissions, readBatch } from '../../../db/submissions/list-submissions.ts';
import { deleteSubmissions, findSubmission, type Submission } from '../../../db/submissions/submissions.ts';
import { isDeploymentId, isSubmissionId } from '../../../lib/ids.ts';
import type { App } from '../../app.ts';
import { endpoint, JsonPieces, jsonText } from '../../request/endpoint.ts';
import { submissionId, time, total } from '../../request/fields.ts';
import { Paging, paged } from '../../request/paging.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { deploymentOr404, noSuchDeployment, ownDeployment } from '../deployments/own-deployment.ts';

export const Listed = z
  .strictObject({
    id: submissionId,
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The fields, exactly as submitted. Of a form each value is a string, a file, or a list of these where a name repeats; ' +
        'a file is `{"filename","content_type","size","url"}`, its url a path of this API. A JSON body keeps its ' +
        'text.',
      example: { name: 'Ada', email: 'ada@example.org' },
    }),
    ip_address: z.string().meta({ description: "The client's address, IPv4 or IPv6.", example: '203.0.113.7' }),
    created_at: time,
  })
  .meta({ id: 'Submission' });
const Submissions = z.strictObject({ submissions: z.array(Listed), total, ...paged }).meta({ id: 'Submissions' });
const Deleted = z.strictObject({ message: z.string(), id: submissionId }).meta({ id: 'SubmissionDeleted' });

/** The same for an unknown submission, an unknown deployment and those of another owner. */
export const noSuchSubmission = errorKind(
  {
    id: 'NoSuchSubmission',
    description: "There is no such deployment of the key's owner, or no such submission of it.",
  },
  () => new HttpError(404, 'No such submission: check the ids, and that they belong to the owner of the API key.'),
);

export const exampleSubmission: z.infer<typeof Listed> = {
  id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
  data: { name: 'Ada', email: 'ada@example.org' },
  ip_address: '203.0.113.7',
  created_at: '2026-11-21T11:08:48.298Z',
};

/**
 * A submission in the shape of `Listed`. The stored text is sent unchanged: parsed and serialized again, it could
 * differ.
 */
export const submissionJson = ({ id, data, ipAddress, createdAt }: Submission): string =>
  `{"id":"${id}","data":${data},"ip_address":${JSON.stringify(ipAddress)},"created_at":"${createdAt.toISOString()}"}`;

/** The ids of a path; throws 404 for a text that is not an id, which Postgres may refuse (NUL). */
export function idsOf({ deployId, submissionId }: { deployId: string; submissionId: string }): [string, string] {
  if (!isDeploymentId(deployId) || !isSubmissionId(submissionId)) throw noSuchSubmission();
  return [deployId, submissionId];
}

/** What was submitted to a deployment. */
export function submissionEndpoints({ db, ownerQueue }: App) {
  return {
    list: endpoint({
      method: 'GET',
      path: '/submissions/:deployId',
      name: 'listSubmissions',
      tag: 'Submissions',
      summary: 'List the submissions of a deployment',
      description: 'Newest first.',
      find: (owner, { deployId }) => ownDeployment(db, owner, deployId),
      query: Paging,
      answer: {
        status: 200,
        description: 'A page of submissions.',
        schema: Submissions,
        example: { submissions: [exampleSubmission], total: 1, page: 1, limit: 50 },
      },
      errors: [noSuchDeployment],
      async handle({ response, owner, resource: { id }, query: { page, limit } }) {
        const listed = deploymentOr404(await listSubmissions(db, owner.id, id, { page, limit }));
        const { first, firstBytes, rest, total } = listed;
        async function* pieces(): AsyncGenerator<string> {
          yield `{"submissions":[${first.map(submissionJson).join(',')}`;
          let isFirst = first.length === 0;
          for (const batch of rest) {
            const read = await ownerQueue.run(owner.id, response, () => readBatch(db, id, batch));
            for (const submission of read) {
              yield isFirst ? submissionJson(submission) : `,${submissionJson(submission)}`;
              isFirst = false;
            }
          }
          yield `],"total":${total},"page":${page},"limit":${limit}}`;
        }
        const maxBytes = Math.max(firstBytes, ...rest.map(({ bytes }) => bytes));
        return new JsonPieces(maxBytes, pieces());
      },
    }),

    // Each is one query, which also checks the deployment.
    get: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/:submissionId',
      name: 'getSubmission',
      tag: 'Submissions',
      summary: 'Get a submission',
      description: 'One submission, in the shape in which the list has it.',
      answer: { status: 200, description: 'The submission.', schema: Listed, example: exampleSubmission },
      errors: [noSuchSubmission],
      async handle({ owner, params }) {
        const submission = await findSubmission(db, owner.id, ...idsOf(params));
        if (!submission) throw noSuchSubmission();
        return jsonText(submissionJson(submission));
      },
    }),

    delete: endpoint({
      method: 'DELETE',
      path: '/submissions/:deployId/:submissionId',
      name: 'deleteSubmission',
      tag: 'Submissions',
      summary: 'Delete a submission',
      description: 'Permanently, with its files and its pending deliveries.',
      answer: {
        status: 200,
        description: 'The submission is deleted.',
        schema: Deleted,
        example: { message: 'Submission deleted', id: exampleSubmission.id },
      },
      errors: [noSuchSubmission],
      async handle({ owner, params }) {
        const [deploymentId, id] = idsOf(params);
        if ((await deleteSubmissions(db, owner.id, deploymentId, [id])) === 0) throw noSuchSubmission();
        return { message: 'Submission deleted', id };
      },
    }),
  };
}
