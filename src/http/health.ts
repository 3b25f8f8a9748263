import { type Response, Router } from 'express';
import { z } from 'zod';
import { HttpError, methodNotAllowed } from './errors.ts';

export const Up = z.strictObject({ status: z.literal('ok') });
export const Ready = z.strictObject({ status: z.literal('ready') });

/** `/healthz`: the process is up. `/readyz`: it can serve, as `isReady` finds out. */
export function healthRouter(isReady: () => Promise<boolean>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/healthz')
    .get((_request, response: Response<z.infer<typeof Up>>) => {
      response.json({ status: 'ok' });
    })
    .all(methodNotAllowed('GET, HEAD'));
  router
    .route('/readyz')
    .get(async (_request, response: Response<z.infer<typeof Ready>>) => {
      if (!(await isReady())) {
        throw new HttpError(503, 'The database is not reached, or not migrated yet: try again shortly.', {
          'Retry-After': '2',
        });
      }
      response.json({ status: 'ready' });
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}
