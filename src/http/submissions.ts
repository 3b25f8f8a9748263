import { Router } from 'express';
import type { Knex } from 'knex';
import { z } from 'zod';
import { listSubmissions, type Submission } from '../db/submissions.ts';
import type { Authenticate } from './auth.ts';
import { methodNotAllowed } from './errors.ts';
import { submissionId, time, total } from './fields.ts';
import { found, ownDeployment } from './own-deployment.ts';
import { paged, readPaging } from './paging.ts';

const Submitted = z
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
  .strictObject({ submissions: z.array(Submitted), total, ...paged })
  .meta({ id: 'Submissions' });

/** The stored text goes into the answer as it is: read and written again, it would not be what was sent. */
const toJson = ({ id, data, ipAddress, createdAt }: Submission): string =>
  `{"id":"${id}","data":${data},"ip_address":${JSON.stringify(ipAddress)},"created_at":"${createdAt.toISOString()}"}`;

export function submissionsRouter({ db, authenticate }: { db: Knex; authenticate: Authenticate }): Router {
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

  return router;
}
