import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { PROJECT } from '../../project.ts';
import { Ready, Up } from '../health.ts';
import { SECURITY_TXT } from '../security-txt.ts';
import { answer, anyone, noContact } from './answers.ts';
import { deploymentPaths } from './deployments.ts';
import { submissionPaths } from './submissions.ts';
import { webhookPaths } from './webhooks.ts';

export const Places = z.strictObject({
  service: z.literal('formhost'),
  docs: z.string().meta({ format: 'uri', description: 'This reference, as a page that can send requests.' }),
  openapi: z.string().meta({ format: 'uri', description: 'This reference, as OpenAPI 3.1.' }),
});

type Options = Parameters<typeof deploymentPaths>[0] &
  Parameters<typeof submissionPaths>[0] &
  Parameters<typeof webhookPaths>[0] & {
    baseUrl: string;
    /** Where the page of a slug is. */
    urlOf(slug: string): string;
  };

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', PROJECT), 'utf8')));

const describe = (baseUrl: string, page: string): string => `\
Publishes HTML pages, takes what their forms submit, and gives it back: as a list, to webhooks and Slack, by mail.

**Begin**: \`POST /deploy\` with a page whose form has \`action="{{FORM_ACTION}}"\`; open the \`url\` of the answer; submit the
form; \`GET /submissions/{deployId}\`.

**Keys**: every endpoint but \`POST /submit\`, the health checks and this reference needs \`Authorization: Bearer <API_KEY>\`. The
operator of the service makes keys with its \`keys\` command. What belongs to another owner is a 404.

**Bodies** are JSON in UTF-8, but for \`POST /submit\`, which takes forms too. Unknown fields are ignored, null is a wrong type,
and a body that is absent reads as \`{}\`. gzip, deflate and br are undone.

**Errors** are \`{"error": "<a sentence that says what to do>"}\`, found in this order: 400 for a path that can't be decoded, 404
for a path that isn't here and 405 (with \`Allow\`) for a method that isn't, 401, 404 for what the path names, 415, 413, 400, 403,
409, 429. A request with an \`Expect\` that can't be met is a 417. Each answer carries an \`x-request-id\`, which is in the
service's log as well.

**Pages** are not at \`${baseUrl}\`, where this API is, but each at a host of its own, such as \`${page}\`. GET and HEAD of \`/\`
answer the page, with an ETag; \`POST /\` takes a submission as \`POST /submit/{deployId}\` does, for forms without an action; every
other path is a 404 page.`;

/** The reference as an OpenAPI 3.1 document, of the schemas that validate. */
export const createReference = ({ baseUrl, urlOf, ...options }: Options) =>
  createDocument({
    openapi: '3.1.0',
    info: { title: 'formhost', version, description: describe(baseUrl, urlOf('spring-sale')) },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Deployments', description: 'Pages, and where they are.' },
      { name: 'Submissions', description: "What pages' forms submit." },
      { name: 'Webhooks', description: 'Where each submission is posted to.' },
      { name: 'Deliveries', description: 'What was sent, with what success.' },
      { name: 'Service', description: 'Its health, and this reference.' },
    ],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `fh_` and 43 characters.' },
      },
    },
    paths: {
      ...deploymentPaths(options),
      ...submissionPaths(options),
      ...webhookPaths(options),
      '/': {
        get: {
          operationId: 'getPlaces',
          tags: ['Service'],
          summary: 'Where things are',
          security: [],
          responses: {
            200: answer('Where the reference is.', Places, {
              service: 'formhost',
              docs: `${baseUrl}/docs`,
              openapi: `${baseUrl}/openapi.json`,
            }),
            302: {
              description: 'To `/docs`, for a browser (an Accept that names text/html).',
              headers: { Location: { schema: { const: '/docs' } } },
            },
            ...anyone,
          },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'getReference',
          tags: ['Service'],
          summary: 'This document',
          description: 'With an ETag; 304 for who has it.',
          security: [],
          responses: {
            200: {
              description: 'OpenAPI 3.1.',
              content: { 'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.0' } } },
            },
            304: { description: 'It is the one of If-None-Match.' },
            ...anyone,
          },
        },
      },
      '/docs': {
        get: {
          operationId: 'getReferencePage',
          tags: ['Service'],
          summary: 'This document as a page that can send requests',
          security: [],
          responses: {
            200: {
              description: 'A page for a browser.',
              content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>' } },
            },
            304: { description: 'It is the one of If-None-Match.' },
            ...anyone,
          },
        },
      },
      [SECURITY_TXT]: {
        get: {
          operationId: 'getSecurityTxt',
          tags: ['Service'],
          summary: 'Whom to tell of abuse and of holes (RFC 9116)',
          security: [],
          responses: {
            200: {
              description: 'The contact of the operator.',
              content: {
                'text/plain': {
                  schema: { type: 'string' },
                  example:
                    'Contact: mailto:abuse@example.org\nExpires: 2027-05-20T11:08:48.298Z\nPreferred-Languages: en\n',
                },
              },
            },
            ...anyone,
            404: noContact,
          },
        },
      },
      '/healthz': {
        get: {
          operationId: 'isUp',
          tags: ['Service'],
          summary: 'Whether the process is up',
          security: [],
          responses: { 200: answer('It is.', Up, { status: 'ok' }), 400: anyone[400] },
        },
      },
      '/readyz': {
        get: {
          operationId: 'isReady',
          tags: ['Service'],
          summary: 'Whether it can serve: the database is reached and migrated',
          security: [],
          responses: { 200: answer('It can.', Ready, { status: 'ready' }), ...anyone },
        },
      },
    },
  });
