import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PROJECT } from '../../../lib/project.ts';
import { type EndpointsOf, perService } from '../../operation/declaration.ts';
import { pageAnswer, publicOperation } from '../../operation/operation.ts';
import { uriField } from '../../request/shared-fields.ts';
import { namesHtml, prefersMarkdown } from '../../response/accept.ts';
import { notModified, StaticFile } from '../../response/static-file.ts';
import { errorPageOperation } from './error-page-endpoints.ts';
import { guideOperations, sendGuideList } from './guide-endpoints.ts';

const PAGE_HEADERS = {
  // Swagger UI draws some of its icons as data: images.
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
} as const;

const PAGE = fileURLToPath(new URL('src/http/api/service/reference/page/', PROJECT));
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

/** Where programs begin that know the address of the service only (RFC 8288, RFC 8631). */
const LINK = [
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</mcp>; rel="service-desc"; title="MCP"',
  '</docs>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="service-doc"; type="text/plain"',
].join(', ');
const linkHeader = { Link: { description: 'To the reference, `/llms.txt` and `/mcp`.', schema: { const: LINK } } };

/** A file of the page that shows the reference. */
function pageFile(
  path: string,
  name: string,
  file: string,
  described: { summary: string; description?: string; isHidden?: boolean },
) {
  const pageOf = perService(() => new StaticFile(extname(file), () => readFile(file), PAGE_HEADERS));
  return publicOperation('GET', path, name, {
    ...described,
    answer: pageAnswer('A page for a browser.'),
    otherAnswers: { 304: notModified },
    handle: (_request, response, app) => pageOf(app).send(response),
  });
}

const docsPageOf = perService(() => new StaticFile('html', () => readFile(join(PAGE, 'index.html')), PAGE_HEADERS));

const docsOperation = publicOperation('GET', '/docs', 'getReferencePage', {
  summary: 'Get this document as a page that can send requests',
  description:
    'The page loads its parts from this service only. Where the Accept prefers text/markdown, the answer is the list of the guides. With an ' +
    'ETag; 304 where the client has it.',
  answer: { ...pageAnswer('A page for a browser, or the guides for an agent.'), otherTypes: ['text/markdown'] },
  otherAnswers: { 304: notModified },
  handle(request, response, app) {
    response.vary('Accept');
    return prefersMarkdown(request.headers) ? sendGuideList(response, app) : docsPageOf(app).send(response);
  },
});

/** A file that the page loads. */
const pagePart = (path: string, folder: string, name: string) =>
  pageFile(path, name, join(folder, basename(path)), { summary: 'A part of the page', isHidden: true });

const Start = z.strictObject({
  service: z.literal('formhost'),
  docs: uriField('This reference, as a page that can send requests.', 'https://forms.example.org/docs'),
  openapi: uriField('This reference, as OpenAPI 3.1.', 'https://forms.example.org/openapi.json'),
  llms: uriField('All that an agent needs to know, in one page.', 'https://forms.example.org/llms.txt'),
  mcp: uriField('Tools for agents, over the Model Context Protocol.', 'https://forms.example.org/mcp'),
  dashboard: uriField('The dashboard, for people.', 'https://forms.example.org/dashboard'),
});

const startOperation = publicOperation('GET', '/', 'getPlaces', {
  summary: 'Get the addresses of the reference, and where agents begin',
  description: 'For those who know the address of the service only. A browser is sent to the dashboard.',
  answer: { description: 'The addresses.', headers: linkHeader, schema: Start },
  otherAnswers: {
    302: {
      description: 'To `/dashboard`, for a browser (an Accept that names text/html).',
      headers: { ...linkHeader, Location: { schema: { const: '/dashboard' } } },
    },
  },
  async handle(request, response, { config: { baseUrl } }) {
    response.vary('Accept').set('Link', LINK);
    if (namesHtml(request.headers)) return void response.status(302).set('Location', '/dashboard').end();
    return {
      service: 'formhost' as const,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
      llms: `${baseUrl}/llms.txt`,
      mcp: `${baseUrl}/mcp`,
      dashboard: `${baseUrl}/dashboard`,
    };
  },
});

function documentOperation(endpointsOf: EndpointsOf) {
  const documentOf = perService(
    (app) =>
      new StaticFile('json', async () => {
        // Loaded on demand: it takes time and memory.
        const { createReference } = await import('./reference/reference-document.ts');
        return Buffer.from(JSON.stringify(createReference(app.config, endpointsOf(app))));
      }),
  );
  return publicOperation('GET', '/openapi.json', 'getReference', {
    summary: 'Get this document',
    description: 'With an ETag; 304 where the client has it.',
    answer: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()), example: { openapi: '3.1.0' } },
    otherAnswers: { 304: notModified },
    handle: (_request, response, app) => documentOf(app).send(response),
  });
}

/** The reference, as OpenAPI and as a page. */
export const referenceOperations = (endpointsOf: EndpointsOf) => [
  startOperation,
  documentOperation(endpointsOf),
  docsOperation,
  errorPageOperation(endpointsOf),
  ...guideOperations,
  pagePart('/docs/start.js', PAGE, 'getReferenceScript'),
  pagePart('/docs/page.css', PAGE, 'getReferenceStyles'),
  pagePart('/docs/swagger-ui.css', SWAGGER_UI, 'getSwaggerStyles'),
  pagePart('/docs/swagger-ui-bundle.js', SWAGGER_UI, 'getSwaggerScript'),
];
