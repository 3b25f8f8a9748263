import { Router } from 'express';
import type { Knex } from 'knex';
import { listSubmissions, type Submission } from '../db/submissions.ts';
import type { Authenticate } from './auth.ts';
import { methodNotAllowed } from './errors.ts';
import { found, ownDeployment } from './own-deployment.ts';
import { readPaging } from './paging.ts';

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
