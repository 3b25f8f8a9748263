import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { pageUrl } from '../../../config.ts';
import { PROJECT } from '../../../lib/project.ts';
import type { App } from '../../app.ts';
import type { Endpoint } from '../../request/declaration.ts';
import { publicEndpoint } from '../../request/endpoint.ts';
import { namesHtml } from '../../response/accept.ts';
import { notModified, StaticFile } from '../../response/static-file.ts';

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

type PageFile<Path extends string> = {
  path: Path;
  name: string;
  summary: string;
  description?: string;
  isHidden?: boolean;
  folder: string;
  file: string;
  type: 'text/html' | 'text/javascript' | 'text/css';
  example: string;
};

/** A file of the page that shows the reference. */
function pageFile<const Path extends string>({ folder, file, type, example, ...described }: PageFile<Path>) {
  const page = new StaticFile(type, PAGE_HEADERS, () => readFile(join(folder, file)));
  return publicEndpoint({
    ...described,
    method: 'GET',
    tag: 'Service',
    answer: { status: 200, description: 'A page for a browser.', type, schema: z.string(), example },
    otherAnswers: { 304: notModified },
    handle: () => page.send,
  });
}

/** The reference, as OpenAPI and as a page. */
export function referenceEndpoints({ config }: App, endpoints: () => readonly Endpoint[]) {
  const { baseUrl, abuseContact: contact } = config;
  const start: z.infer<typeof Start> = {
    service: 'formhost',
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
  };

  const document = new StaticFile('json', REVALIDATE, async () => {
    // Loaded on demand: it takes time and memory.
    const { createReference } = await import('./reference/document.ts');
    const urlOf = (slug: string): string => pageUrl(config, slug);
    return Buffer.from(JSON.stringify(createReference({ baseUrl, contact, urlOf, endpoints: endpoints() })));
  });

  return {
    start: publicEndpoint({
      method: 'GET',
      path: '/',
      name: 'getPlaces',
      tag: 'Service',
      summary: 'Get the addresses of the reference',
      description:
        'For programs and people who know the address of the service only. A browser is sent to the dashboard.',
      answer: { status: 200, description: 'The addresses.', schema: Start, example: start },
      otherAnswers: {
        302: {
          description: 'To `/dashboard`, for a browser (an Accept that names text/html).',
          headers: { Location: { schema: { const: '/dashboard' } } },
        },
      },
      handle: (request) => (response) => {
        response.vary('Accept');
        if (namesHtml(request.headers)) response.status(302).set('Location', '/dashboard').end();
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
      handle: () => document.send,
    }),

    page: pageFile({
      path: '/docs',
      name: 'getReferencePage',
      summary: 'Get this document as a page that can send requests',
      description:
        'For a browser. The page loads its parts from this service only. With an ETag; 304 where the client has it.',
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
