import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PROJECT } from '../../project.ts';
import { namesHtml } from '../accept.ts';
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { fileChanged } from '../errors.ts';

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

const PAGE = fileURLToPath(new URL('src/http/api/reference/page/', PROJECT));
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const Start = z.strictObject({
  service: z.literal('formhost'),
  docs: z.string().meta({ format: 'uri', description: 'This reference, as a page that can send requests.' }),
  openapi: z.string().meta({ format: 'uri', description: 'This reference, as OpenAPI 3.1.' }),
});

const notModified = { description: 'The client has this version (If-None-Match).' };

const etagOf = (content: string | Buffer): string => `"${createHash('sha256').update(content).digest('base64url')}"`;

type PageFile<Path extends string> = {
  path: Path;
  name: string;
  summary: string;
  isHidden?: boolean;
  folder: string;
  file: string;
  type: 'text/html' | 'text/javascript' | 'text/css';
  example: string;
};

/** A file of the page that shows the reference. It is read on demand. */
function pageFile<const Path extends string>({ folder, file, type, example, ...described }: PageFile<Path>) {
  let etag: string | undefined;
  return publicEndpoint({
    ...described,
    method: 'GET',
    tag: 'Service',
    answer: { status: 200, description: 'A page for a browser.', type, schema: z.string(), example },
    otherAnswers: { 304: notModified },
    errors: [fileChanged],
    handle: () => async (response) => {
      // An ETag of the content: all files of npm packages have the same date.
      etag ??= etagOf(await readFile(join(folder, file)));
      response
        .set({ ...PAGE_HEADERS, ETag: etag })
        .sendFile(file, { root: folder, cacheControl: false, lastModified: false, acceptRanges: false });
    },
  });
}

/** The reference, as OpenAPI and as a page. */
export function referenceEndpoints({
  baseUrl,
  urlOf,
  endpoints,
}: {
  baseUrl: string;
  urlOf(slug: string): string;
  /** All endpoints, these included. */
  endpoints(): readonly Endpoint[];
}) {
  const start: z.infer<typeof Start> = {
    service: 'formhost',
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
  };

  /** As bytes, which all answers share. */
  async function makeDocument(): Promise<{ content: Buffer; etag: string }> {
    // Loaded on demand: it takes time and memory.
    const { createReference } = await import('./reference/document.ts');
    const content = Buffer.from(JSON.stringify(createReference({ baseUrl, urlOf, endpoints: endpoints() })));
    return { content, etag: etagOf(content) };
  }
  let document: ReturnType<typeof makeDocument> | undefined;

  return {
    start: publicEndpoint({
      method: 'GET',
      path: '/',
      name: 'getPlaces',
      tag: 'Service',
      summary: 'Get the addresses of the reference',
      answer: { status: 200, description: 'The addresses.', schema: Start, example: start },
      otherAnswers: {
        302: {
          description: 'To `/docs`, for a browser (an Accept that names text/html).',
          headers: { Location: { schema: { const: '/docs' } } },
        },
      },
      handle: (request) => (response) => {
        response.vary('Accept');
        if (namesHtml(request.headers)) response.status(302).set('Location', '/docs').end();
        else response.json(start);
      },
    }),

    document: publicEndpoint({
      method: 'GET',
      path: '/openapi.json',
      name: 'getReference',
      tag: 'Service',
      summary: 'Get this document',
      description: 'With an ETag; 304 where the client has it.',
      answer: {
        status: 200,
        description: 'OpenAPI 3.1.',
        schema: z.record(z.string(), z.unknown()),
        example: { openapi: '3.1.0' },
      },
      otherAnswers: { 304: notModified },
      handle: () => async (response) => {
        document ??= makeDocument().catch((error) => {
          document = undefined;
          throw error;
        });
        const { content, etag } = await document;
        response
          .set({ ...REVALIDATE, ETag: etag })
          .type('json')
          .send(content);
      },
    }),

    page: pageFile({
      path: '/docs',
      name: 'getReferencePage',
      summary: 'Get this document as a page that can send requests',
      folder: PAGE,
      file: 'index.html',
      type: 'text/html',
      example: '<!doctype html>',
    }),

    pageScript: pageFile({
      path: '/docs/start.js',
      name: 'getReferenceScript',
      summary: 'What starts the page',
      isHidden: true,
      folder: PAGE,
      file: 'start.js',
      type: 'text/javascript',
      example: 'const spec = {};',
    }),

    pageStyles: pageFile({
      path: '/docs/page.css',
      name: 'getReferenceStyles',
      summary: "The page's styles",
      isHidden: true,
      folder: PAGE,
      file: 'page.css',
      type: 'text/css',
      example: 'body {}',
    }),

    swaggerStyles: pageFile({
      path: '/docs/swagger-ui.css',
      name: 'getSwaggerStyles',
      summary: "Swagger UI's styles",
      isHidden: true,
      folder: SWAGGER_UI,
      file: 'swagger-ui.css',
      type: 'text/css',
      example: 'body {}',
    }),

    swaggerScript: pageFile({
      path: '/docs/swagger-ui-bundle.js',
      name: 'getSwaggerScript',
      summary: 'Swagger UI',
      isHidden: true,
      folder: SWAGGER_UI,
      file: 'swagger-ui-bundle.js',
      type: 'text/javascript',
      example: 'const SwaggerUIBundle = () => {};',
    }),
  };
}
