import { Router } from 'express';
import type { Knex } from 'knex';
import { listSubmissions, type Submission } from '../db/submissions.ts';
import type { Authenticate } from './auth.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { found, ownDeployment } from './own-deployment.ts';

const MOST = 2 ** 31 - 1;
const MOST_ON_A_PAGE = 100;

/** A query parameter that counts from 1: digits only, given at most once. */
function count(query: URLSearchParams, name: string, fallback: number): number {
  const [text, ...more] = query.getAll(name);
  if (text === undefined) return fallback;
  const value = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (more.length > 0 || value < 1 || value > MOST) {
    throw new HttpError(400, `${name} is invalid: send a whole number from 1 to ${MOST}, once.`);
  }
  return value;
}

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
      const query = new URLSearchParams(/\?(.*)/s.exec(request.url)?.[1] ?? '');
      const page = count(query, 'page', 1);
      const limit = Math.min(count(query, 'limit', 50), MOST_ON_A_PAGE);
      const { submissions, total } = found(await listSubmissions(db, owner.id, id, { page, limit }));
      const items = submissions.map(toJson).join(',');
      response.type('json').send(`{"submissions":[${items}],"total":${total},"page":${page},"limit":${limit}}`);
    })
    .all(methodNotAllowed('GET, HEAD'));

  return router;
}
