import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiHeaderObject,
  type ZodOpenApiHeadersObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type Config, pageUrl } from '../../../../config.ts';
import { LICENSE, VERSION } from '../../../../lib/project.ts';
import { PROBLEM_TYPE, problemOf } from '../../../../problems/problem-document.ts';
import { inApiWords } from '../../../../problems/sentence.ts';
import { MAX_VALUE_ERRORS, VALUE_CODES } from '../../../../problems/value-errors.ts';
import { SIZES } from '../../../../sizes.ts';
import type { Endpoint, Tagged } from '../../../operation/declaration.ts';
import { OPTIONAL_RATE_LIMIT_HEADERS } from '../../../request/rate-limit.ts';
import { answerObject } from '../../../request/shared-fields.ts';
import { type DeclaredError, ERROR_CODE } from '../../../response/errors.ts';
import { codesOf } from '../error-page-endpoints.ts';
import { webhookRequests } from './reference-webhooks.ts';

const TAGS = {
  Account: 'The owner of the key, what the plan allows, and API keys.',
  Deployments: 'Pages and their addresses.',
  Submissions: 'Data that the forms of pages have sent.',
  Spam: 'Submissions that the setting `spam` keeps apart, and ALTCHA, which tells people from robots.',
  Webhooks: 'The addresses to which submissions are posted.',
  Deliveries: 'Requests to webhooks and mails, and their outcome.',
  Operators: 'All owners and pages of a service, for the owners whose addresses ADMIN_EMAILS has.',
  Links: 'The links in mails. The signature in the query takes the place of a key.',
  Agents: 'For AI agents: tools over the Model Context Protocol, and what an agent needs to know.',
  OAuth: 'How owners allow programs to act for them, without a key (OAuth 2.1).',
  Service: 'Health of the service, and this reference.',
} as const;
export type Tag = keyof typeof TAGS;

const ErrorBody = answerObject('Error', {
  error: z.string().meta({ description: 'A sentence that says what to do.' }),
});

const WrongValue = answerObject('WrongValue', {
  code: z.enum(Object.keys(VALUE_CODES)).meta({ description: 'How the value is wrong.', example: 'missing' }),
  detail: z.string().meta({ description: 'A sentence that says what to send.' }),
  pointer: z.string().optional().meta({ description: 'A field of the body, as a JSON Pointer (RFC 6901).' }),
  parameter: z.string().optional().meta({ description: 'A parameter of the query.' }),
  header: z.string().optional().meta({ description: 'A header.' }),
  limit: z.number().optional().meta({ description: 'The limit, with each code that begins with `too-`.' }),
});

const ProblemBody = answerObject('Problem', {
  type: z.string().meta({ format: 'uri', description: 'A page about the code.' }),
  title: z.string().meta({ description: 'The code in words.' }),
  status: z.int().meta({ description: 'The status of the answer.' }),
  detail: z.string().meta({ description: 'A sentence that says what to do.' }),
  code: z.string().meta({ description: `The name of the error, as in the header \`${ERROR_CODE}\`.` }),
  errors: z
    .array(WrongValue)
    .max(MAX_VALUE_ERRORS)
    .optional()
    .meta({ description: 'The values that are wrong, one error for each, in the order of the declaration.' }),
  next: z.string().optional().meta({ description: 'Only with `detail=template`: where what a path names is listed.' }),
});

const ERROR_HEADERS: ZodOpenApiHeadersObject = {
  [ERROR_CODE]: { $ref: '#/components/headers/ErrorCode' },
  'Retry-After': { description: 'In how many seconds to try again.', schema: { type: 'integer' } },
  'WWW-Authenticate': {
    description:
      'The scheme, `Bearer`. At `/mcp` with the address of the metadata by which programs are allowed (RFC 9728).',
    schema: { type: 'string' },
  },
};

const describe = (baseUrl: string, page: string): string => `\
Publishes HTML pages and receives what their forms submit: you get it as a list, by webhooks, in Slack and by mail.

**Begin**: \`POST /deploy\` with a page whose form has \`action="{{FORM_ACTION}}"\`; open the \`url\` of the answer; submit the
form; \`GET /submissions/{deployId}\`.

**Keys**: every endpoint except \`POST /submit\` and \`POST /f\`, the links in mails, the health checks and this reference needs
\`Authorization: Bearer <API_KEY>\`. The operator of the service makes keys with its \`keys\` command, and their owner with
\`POST /keys\`. A resource of another owner is a 404.

**Bodies** are JSON in UTF-8, except for \`POST /submit\`, which accepts forms too, and for pages, which may be sent as
\`text/html\`. Unknown fields are ignored, and \`formhost-notice\`, of errors too, names them; null is a wrong type, and an absent body reads as \`{}\`. Bodies may be compressed with gzip, deflate or br.

**Errors** are \`{"error": "<a sentence that says what to do>"}\`. A client whose \`Accept\` names \`${PROBLEM_TYPE}\` gets them as
RFC 9457, with the list of wrong values; with \`${PROBLEM_TYPE}; detail=template\`, sentences name fields, operations and some words in braces, for a client that has other names for them. Checks run in this order: 400 for a path that can't be decoded, 404
for an unknown path, 405 (with \`Allow\`) for a method that the path does not have, 401, 404 for what the path names, 415, 413, 400, 403,
409, 422, 429. A request with an \`Expect\` that can't be met is a 417, and headers of more than ${SIZES.internalHeaders.maxBytes / 1024} KiB are
a 431. Each answer has an \`x-request-id\`, which is in the
service's log as well. The header \`${ERROR_CODE}\` names an error for programs.

**Limits**: answers to requests that a limit of the service has counted have the headers \`RateLimit\` and \`RateLimit-Policy\` of the IETF's
draft, such as \`"tests"; r=19; t=60\`: 19 more in the next 60 seconds. Those that find an error after they were counted have them
too. \`POST /submit\` never has them.

**Pages** are not at \`${baseUrl}\`, where this API is, but each at a host of its own, such as \`${page}\`. GET and HEAD of \`/\`
answer the page, with an ETag; \`POST /\` accepts a submission as \`POST /submit/{deployId}\` does, for forms without an action; every
other path is a 404 page, except for \`/thanks\`, the page that a browser shows after a submission.`;

/** The header that names an error, with all names that the API has. */
function errorCodeHeader(endpoints: readonly Endpoint[]): ZodOpenApiHeaderObject {
  return {
    description: 'The name of the error, for programs.',
    required: true,
    schema: { type: 'string', enum: codesOf(endpoints).map(({ code }) => code) },
  };
}

/** The parameters of an operation that has none of a kind. */
const NONE = z.object({});

/** An error as an answer that operations refer to by its id. */
const toResponse = (
  { id, description, schema, isCounted, example }: DeclaredError,
  baseUrl: string,
): ZodOpenApiResponseObject => {
  const written = Object.entries(ERROR_HEADERS).filter(([name]) => Object.hasOwn(example.headers, name));
  return {
    id,
    description,
    headers: { ...Object.fromEntries(written), ...(isCounted && OPTIONAL_RATE_LIMIT_HEADERS) },
    content:
      schema && example.body !== undefined
        ? { 'application/json': { schema, example: JSON.parse(example.body) } }
        : {
            'application/json': { schema: ErrorBody, example: { error: example.message } },
            [PROBLEM_TYPE]: { schema: ProblemBody, example: problemOf(example, baseUrl) },
          },
  };
};

/** An answer of its own, with the headers of another error that has its status and is counted. */
const withCounts = ({ id: _shared, headers, ...response }: ZodOpenApiResponseObject): ZodOpenApiResponseObject => ({
  ...response,
  headers: { ...headers, ...OPTIONAL_RATE_LIMIT_HEADERS },
});

/** Returns an answer that is also a page for a browser. */
function withPage({ id: _shared, content, ...response }: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  if (!content) return response;
  return {
    ...response,
    content: { ...content, 'text/html': { schema: { type: 'string' }, example: '<!doctype html>' } },
  };
}

function toOperation(
  { name, tag, summary, description, scope, params, query, requestHeaders, body, ...endpoint }: Tagged,
  responseOf: (error: DeclaredError) => ZodOpenApiResponseObject,
): ZodOpenApiOperationObject {
  const { answers, errors, pagesExcept, errorPageTitle } = endpoint;
  const isPageToo = (error: DeclaredError): boolean =>
    errorPageTitle !== undefined || (pagesExcept !== undefined && !pagesExcept.includes(error));
  const counted = new Set(errors.filter(({ isCounted }) => isCounted).map(({ example }) => example.status));
  const shownOf = (error: DeclaredError): ZodOpenApiResponseObject =>
    !error.isCounted && counted.has(error.example.status) ? withCounts(responseOf(error)) : responseOf(error);
  const responses: [string, ZodOpenApiResponseObject][] = [
    // A client is not a browser: with a page as an alternative, generated clients would get a text or an object.
    ...Object.entries(answers),
    ...errors.map((error): [string, ZodOpenApiResponseObject] => [
      String(error.example.status),
      isPageToo(error) ? withPage(shownOf(error)) : shownOf(error),
    ]),
  ];
  return {
    operationId: name,
    tags: [tag],
    summary: inApiWords(summary),
    ...(description !== undefined && { description }),
    ...(scope === undefined && { security: [] }),
    requestParams: { path: params ?? NONE, query: query ?? NONE, header: requestHeaders ?? NONE },
    ...(body && { requestBody: { ...(body.isRequired && { required: true }), content: body.content } }),
    // The last of each status.
    responses: Object.fromEntries(responses),
  };
}

function toPaths(endpoints: readonly Tagged[], baseUrl: string): ZodOpenApiPathsObject {
  // The document refers to an error by its id where it is one and the same object.
  const responses = new Map<DeclaredError, ZodOpenApiResponseObject>();
  function responseOf(error: DeclaredError): ZodOpenApiResponseObject {
    const response = responses.get(error) ?? toResponse(error, baseUrl);
    responses.set(error, response);
    return response;
  }
  const paths: Record<string, ZodOpenApiPathsObject[string]> = {};
  for (const endpoint of endpoints) {
    if (endpoint.isHidden) continue;
    const path = endpoint.path.replaceAll(/[:*](\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(endpoint, responseOf) };
  }
  return paths;
}

/** The operator answers questions, since each service has its own. */
function toContact(contact: Config['abuseContact']): { name: string; email?: string; url?: string } {
  const name = 'The operator of this service';
  if (contact === undefined) return { name };
  return contact.uri.startsWith('mailto:') ? { name, email: contact.text } : { name, url: contact.uri };
}

/** The reference as an OpenAPI 3.1 document, made of the endpoints' declarations. */
export const createReference = (config: Config, endpoints: readonly Tagged[]) =>
  createDocument(referenceOf(config, endpoints), {
    // Agents and the command line show it in place of the description.
    override: ({ jsonSchema }) => void Reflect.deleteProperty(jsonSchema, 'short'),
  });

const referenceOf = (config: Config, endpoints: readonly Tagged[]): ZodOpenApiObject => ({
  openapi: '3.1.0',
  info: {
    title: 'formhost',
    version: VERSION,
    description: describe(config.baseUrl, pageUrl(config, 'spring-sale')),
    contact: toContact(config.abuseContact),
    license: { name: LICENSE, identifier: LICENSE },
  },
  servers: [{ url: config.baseUrl, description: 'This service.' }],
  security: [{ apiKey: [] }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  components: {
    headers: { ErrorCode: errorCodeHeader(endpoints) },
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `fh_` and at least 43 characters.' },
    },
  },
  paths: toPaths(endpoints, config.baseUrl),
  webhooks: webhookRequests,
});
