import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Request, type Response, Router } from 'express';
import Negotiator from 'negotiator';
import type { z } from 'zod';
import { PROJECT } from '../project.ts';
import { methodNotAllowed } from './errors.ts';
import type { createReference, Places } from './reference/document.ts';

const REVALIDATE = {
  'Cache-Control': 'public, max-age=0, must-revalidate',
  'X-Content-Type-Options': 'nosniff',
} as const;
const PAGE_HEADERS = {
  ...REVALIDATE,
  // Swagger UI draws some of its icons as data: images.
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
} as const;

const PAGE = fileURLToPath(new URL('src/http/reference/page/', PROJECT));
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
/** What the page is made of, and the folder that each file is in. */
const FILES = [
  ['/docs', PAGE, 'index.html'],
  ['/docs/start.js', PAGE, 'start.js'],
  ['/docs/page.css', PAGE, 'page.css'],
  ['/docs/swagger-ui.css', SWAGGER_UI, 'swagger-ui.css'],
  ['/docs/swagger-ui-bundle.js', SWAGGER_UI, 'swagger-ui-bundle.js'],
] as const;

const etagOf = (content: string | Buffer): string => `"${createHash('sha256').update(content).digest('base64url')}"`;

/** Whether the Accept of a request names text/html, in whatever case (RFC 9110, 8.3.1). */
const isBrowser = ({ headers: { accept = '' } }: Request): boolean =>
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes('text/html');

/** `/`, `/openapi.json` and `/docs`: answered without a key. Nothing of them is read or made before it is asked for. */
export function referenceRouter(options: Parameters<typeof createReference>[0]): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { baseUrl } = options;

  router
    .route('/')
    .get((request, response: Response<z.infer<typeof Places>>) => {
      response.vary('Accept');
      if (isBrowser(request)) response.status(302).set('Location', '/docs').end();
      else response.json({ service: 'formhost', docs: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json` });
    })
    .all(methodNotAllowed('GET, HEAD'));

  async function makeDocument(): Promise<{ text: string; etag: string }> {
    const { createReference } = await import('./reference/document.ts');
    const text = JSON.stringify(createReference(options));
    return { text, etag: etagOf(text) };
  }
  let document: ReturnType<typeof makeDocument> | undefined;
  router
    .route('/openapi.json')
    .get(async (_request, response) => {
      document ??= makeDocument().catch((error) => {
        document = undefined;
        throw error;
      });
      const { text, etag } = await document;
      response
        .set({ ...REVALIDATE, ETag: etag })
        .type('json')
        .send(text);
    })
    .all(methodNotAllowed('GET, HEAD'));

  for (const [path, root, name] of FILES) {
    let etag: string | undefined;
    router
      .route(path)
      .get(async (_request, response) => {
        // The packages' files all have the same date.
        etag ??= etagOf(await readFile(join(root, name)));
        response
          .set({ ...PAGE_HEADERS, ETag: etag })
          .sendFile(name, { root, cacheControl: false, lastModified: false });
      })
      .all(methodNotAllowed('GET, HEAD'));
  }

  return router;
}
