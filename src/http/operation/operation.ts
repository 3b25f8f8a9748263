import type { Response } from 'express';
import { z } from 'zod';
import { type Action, type Actor, actingAs, record } from '../../db/account/audit-queries.ts';
import { NO_ACCOUNT, type Owner } from '../../db/account/owner-queries.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { numberOfClient } from '../../lib/public-address.ts';
import type { App } from '../app.ts';
import { keyRefused, tooManyUnknownKeys, unauthorized } from '../request/auth.ts';
import { bodyErrors } from '../request/body-errors.ts';
import { readHeaders } from '../request/conditions.ts';
import { pathOf } from '../request/hosts.ts';
import { type BodyForm, checkFields } from '../request/json-body.ts';
import { LINK_HEADER, pageLinks } from '../request/link-header.ts';
import { badQuery, checkQuery, readQuery } from '../request/query-values.ts';
import { IF_MISSING, PARAMETERS } from '../request/shared-fields.ts';
import { badRequest, type DeclaredError, failed, noSuchDeployment, unavailable } from '../response/errors.ts';
import { addNotice, NOTICE_HEADER } from '../response/notice-header.ts';
import { type NeededScope, refusalOf, refusalsFor, visibleTo } from './access.ts';
import { NEEDS_NO_KEY } from './command.ts';
import {
  type Content,
  type Declaration,
  type Described,
  type Endpoint,
  type EndpointRequest,
  forService,
  JsonPieces,
  type Method,
  type Operation,
  type PublicDeclaration,
  type ToolCall,
  withDatabase,
} from './declaration.ts';
import { exampleOf } from './example.ts';
import { actingOn, guestRefusals, neededOf, OF_PAGE, refusalOfGuest } from './guests.ts';

/*
 * Each operation of the API is declared once, by operation() or publicOperation(), and listed in endpoints.ts. Its declaration
 * makes its route, the 405 of its path, the order of its checks (401, 404, query or body), its part of the reference,
 * and its name in the metrics.
 */

export const parameterNames = (path: string): string[] =>
  Array.from(path.matchAll(/[:*](\w+)/g), ([, name = '']) => name);

function parametersOf(path: string): z.ZodObject | undefined {
  const names = parameterNames(path);
  const unknown = names.filter((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown.length > 0)
    throw new Error(`${path} has parameters that shared-fields.ts does not have: ${unknown.join(', ')}`);
  const fields = Object.entries(PARAMETERS).filter(([name]) => names.includes(name));
  return names.length > 0 ? z.object(Object.fromEntries(fields)) : undefined;
}

const LOCATION = {
  Location: { description: 'The path of what was created.', schema: { type: 'string' } },
} as const;

/**
 * The headers of an answer: callers are told of fields in a body that do not exist, where the other pages of a list are, and
 * where what they made is.
 */
const headersOf = ({ answer, query, body }: Bound) => ({
  ...(body && NOTICE_HEADER),
  ...(query && 'page' in query.shape && LINK_HEADER),
  ...(answer.status === 201 && LOCATION),
  ...answer.headers,
});

/** The answers of an endpoint that are not errors, by their status. */
function answersOf({ answer, otherAnswers }: Pick<Described<unknown>, 'answer' | 'otherAnswers'>): Endpoint['answers'] {
  const { status = 200, description, headers } = answer;
  const content =
    'schema' in answer
      ? Object.fromEntries(
          [answer.type ?? 'application/json', ...(answer.otherTypes ?? [])].map((type) => [
            type,
            { schema: answer.schema, example: answer.example ?? exampleOf(answer.schema) },
          ]),
        )
      : undefined;
  return { [status]: { description, ...(headers && { headers }), ...(content && { content }) }, ...otherAnswers };
}

type AnyBody = BodyForm<z.ZodObject> & { example: Readonly<Record<string, unknown>> };

const BYTES = { schema: z.string().meta({ format: 'binary' }), example: '' };

/** The forms of a body, and the query that belongs to those that are not JSON, as the reference shows them. */
function formsOf({ schema, example, others = [], isFile }: AnyBody): { content: Content; query?: z.ZodObject } {
  const inBody = new Set(others.flatMap(({ fields }) => fields));
  const types = others.flatMap(({ type = [] }) => type);
  const rest = Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !inBody.has(name)));
  const parameters = Object.entries(types.length > 0 ? rest : {}).map(([name, field]) => [
    name,
    field.meta({ description: `As the field of the body. Only with \`Content-Type: ${types.join('` or `')}\`.` }),
  ]);
  const shown = others.map(({ type = '*/*', fields: [field = ''], parts, text }) => {
    if (text !== undefined) return [type, { ...BYTES, example: text }];
    if (parts) return [type, { ...parts, schema: parts.schema.extend(rest) }];
    return [type, type.startsWith('text/') ? { schema: schema.shape[field], example: example[field] } : BYTES];
  });
  return {
    content: {
      ...(types.length === others.length && !isFile && { 'application/json': { schema, example } }),
      ...Object.fromEntries(shown),
    },
    ...(parameters.length > 0 && { query: z.object(Object.fromEntries(parameters)) }),
  };
}

type AnyDeclaration = Declaration<string, unknown, unknown, z.ZodObject, z.ZodObject, z.ZodObject>;
/** A declaration for a service, with the scope that a key needs. */
type Bound = Omit<AnyDeclaration, 'body' | 'description' | 'scope'> & {
  scope: NeededScope;
  isOfPage: boolean;
  description: string | undefined;
  body: AnyBody | undefined;
};

/** Declares an operation that needs an API key. Its checks run in this order: 401, `find`, `query`, `body`, `scope`. */
export function operation<
  const Path extends string,
  Answer,
  Resource = undefined,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodObject = z.ZodObject<Record<never, never>>,
  RequestHeaders extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(
  method: Method,
  path: Path,
  name: string,
  declaration: Declaration<Path, Answer, Resource, Query, Body, RequestHeaders>,
): Operation {
  const given: AnyDeclaration = declaration;
  const { scope = method === 'GET' ? 'read' : 'full' } = given;
  const route = { method, path, name, params: parametersOf(path) };
  return {
    ...route,
    commands: given.command ? [given.command].flat() : [],
    noCommand: given.noCommand,
    audit: given.audit,
    noAudit: given.noAudit,
    needed: neededOf(path, given),
    guestFields: given.guestFields ?? [],
    fields: (settings) => ({
      query: given.query?.shape ?? {},
      body: forService(given.body, settings)?.schema.shape ?? {},
    }),
    bind: (app) =>
      bind(
        route,
        {
          ...given,
          scope,
          isOfPage: OF_PAGE.test(path),
          description: forService(given.description, app),
          body: forService(given.body, app),
        },
        app,
      ),
  };
}

type Route = Pick<Operation, 'method' | 'path' | 'name' | 'params'>;

/** Makes the endpoint of an operation that needs a key. */
function bind(route: Route, declaration: Bound, app: App): Endpoint {
  const { find, query, body, handle, handleTool = handle, answer, errors = [] } = declaration;
  const forms = body && formsOf(body);
  return {
    ...declaration,
    ...route,
    tool: declaration.tool,
    furtherTools: declaration.furtherTools ?? [],
    ifMissing: declaration.ifMissing ?? IF_MISSING[parameterNames(route.path).at(-1) ?? ''],
    query: query ?? forms?.query,
    body: body &&
      forms && { isRequired: !body.schema.safeParse({}).success, content: forms.content, schema: body.schema },
    answers: answersOf({ ...declaration, answer: { ...answer, headers: headersOf(declaration) } }),
    errors: [
      ...[badRequest, failed, unavailable, unauthorized, tooManyUnknownKeys],
      ...(find ? [noSuchDeployment] : []),
      ...(query ? [badQuery] : []),
      ...(body ? bodyErrors : []),
      ...guestRefusals(declaration, declaration.isOfPage),
      ...refusalsFor(declaration),
      ...errors,
    ],
    handle: (request, response) => answerRequest(declaration, request, response, app),
    call: ({ input, ...exchange }) =>
      run({ ...declaration, handle: handleTool }, exchange, app, async () => ({
        query: query ? checkQuery(input, query) : {},
        body: body ? checkFields(input, body.schema) : {},
        headers: {},
      })),
  };
}

type Sent = Record<'query' | 'body' | 'headers', Record<string, unknown>>;

/** Whose part of what owners share a request uses. Guests without an account are told apart by their sessions. */
const clientOf = ({ id, credentialId }: Owner): number => (id === NO_ACCOUNT ? numberOfClient(credentialId) : id);

/** Answers a request to an endpoint that needs a key. */
async function answerRequest(
  declaration: Bound,
  request: EndpointRequest,
  response: Response,
  app: App,
): Promise<void> {
  const owner = await app.requests.authentication.ofRequest(request, response);
  const { status = 200 } = declaration.answer;
  const exchange = {
    ...{ request, response, owner, params: request.params },
    queue: <T>(work: () => Promise<T>): Promise<T> => app.requests.ownerQueue.run(clientOf(owner), response, work),
    notify: (template: string): void => addNotice(response, template),
    setHeaders: (headers: Readonly<Record<string, string>>): void => void response.set(headers),
  };
  response.status(status);
  const body = await run(declaration, exchange, app, () => readSent(declaration, exchange, app));
  if (body === undefined) return;
  response.set(pageLinks(request, body));
  if (status === 201 && body instanceof Object && 'id' in body) response.location(`${pathOf(request)}/${body.id}`);
  // `no-cache` asks for this comparison, and fetch adds it to a request with If-None-Match; Express would not compare.
  delete request.headers['cache-control'];
  // The client has the content with this ETag.
  if (request.fresh) response.status(304).end();
  else if (body instanceof JsonPieces) await app.requests.responseWriter.json(response, clientOf(owner), body);
  else response.json(body);
}

/** The answer that follows the look-up of the key. `read` is called once the path is known to lead to something. */
async function run(
  declaration: Bound,
  { params: given, ...exchange }: Omit<ToolCall, 'input'>,
  app: App,
  read: () => Promise<Sent>,
): Promise<unknown> {
  const { find, takesLong, audit, isOfOperators = false, handle } = declaration;
  const { request, queue } = exchange;
  // Before the first await: a socket that has closed has no address.
  const ipAddress = app.requests.clientAddress(request);
  // Postgres refuses a NUL in a text. No id has the character that replaces it, so the answer is 404.
  const named = Object.fromEntries(
    // Express gives the segments of a wildcard: the path of a file of a site, which may have no NUL.
    Object.entries(given).map(([name, text]) => [
      name,
      Array.isArray(text) ? text.join('/') : text.replaceAll('\0', '\ufffd'),
    ]),
  );
  const params = visibleTo(exchange.owner, named);
  const pageId = declaration.isOfPage ? (params.id ?? params.deployId) : undefined;
  const act = (): Promise<Owner> => queue(() => actingOn(exchange.owner, pageId, app.db));
  const first = pageId === undefined ? exchange.owner : await act();
  const resource = find && (await queue(() => find(first, params, app)));
  const sent = await read();
  // A body can take minutes, in which a guest is removed.
  const owner = first.guest && declaration.body ? await act() : first;
  if (owner.id !== first.id) throw noSuchDeployment();
  const refusal = refusalOfGuest(declaration, owner, sent.body) ?? refusalOf(declaration, owner);
  if (refusal) throw refusal;
  const actor = audit && actorOf(exchange.owner, owner, { audit, isOperator: isOfOperators }, ipAddress);
  const acting = actor ? withDatabase(app, actingAs(app.db, actor)) : app;
  // A tool calls it by a POST.
  if (audit === 'submission.export' && request.method !== 'HEAD') await queue(() => recordReading(acting.db, resource));
  const work = async (): Promise<unknown> => handle({ ...exchange, owner, params, resource, ...sent }, acting);
  return takesLong ? work() : queue(work);
}

/** `person`: whose credentials the request has; `owner`: whose account or page it is about, unless an operator acts on others. */
const actorOf = (
  person: Owner,
  owner: Owner,
  { audit, isOperator }: { audit: Action; isOperator: boolean },
  ipAddress: string,
): Actor => ({
  ...{ action: audit, name: person.email, via: person.via, ipAddress, isOperator },
  ownerId: isOperator || owner.id === NO_ACCOUNT ? null : owner.id,
});

/** Writes the entry of a request that takes something out of the service, before it does. */
async function recordReading(db: Database, resource: unknown): Promise<void> {
  const id = z.object({ id: z.string() }).parse(resource).id;
  await record(db, { target: id, deploymentId: id });
}

/** Reads a request. A key that has ended while a slow body arrived is refused. */
async function readSent(
  { query, body, requestHeaders }: Bound,
  { request, owner, notify }: Pick<ToolCall, 'request' | 'owner' | 'notify'>,
  { requests: { authentication, bodyReader }, limits }: App,
): Promise<Sent> {
  const since = performance.now();
  const sent = {
    query: query ? readQuery(request.url, query) : {},
    body: body ? await bodyReader.fields(request, clientOf(owner), body, notify) : {},
    headers: requestHeaders ? readHeaders(request, requestHeaders) : {},
  };
  const isSlow = performance.now() - since > limits.requests.slowBodyMs;
  if (isSlow && !(await authentication.isCredentialValid(owner.credentialId))) throw keyRefused();
  return sent;
}

/** The answer of an endpoint that people open in a browser. */
export const pageAnswer = (description: string) =>
  ({ description, type: 'text/html', schema: z.string(), example: '<!doctype html>' }) as const;

/** The header of an answer that pages of any origin may read. */
export const ANY_ORIGIN_HEADER = {
  'Access-Control-Allow-Origin': { description: 'Pages of any origin may read it.', schema: { const: '*' } },
} as const;

/** Declares an operation that needs no key. */
export function publicOperation<Answer>(
  method: Method,
  path: string,
  name: string,
  declaration: PublicDeclaration<Answer>,
): Operation {
  const route = { method, path, name, params: parametersOf(path) };
  const { noCommand = NEEDS_NO_KEY, audit, noAudit = audit ? undefined : NEEDS_NO_KEY } = declaration;
  return {
    ...{ ...route, commands: [], noCommand, audit, noAudit },
    ...{ needed: 'anybody', guestFields: [] },
    fields: () => ({ query: {}, body: {} }),
    bind: (app) => bindPublic(route, declaration, app),
  };
}

/** Makes the endpoint of an operation that needs no key. */
function bindPublic<Answer>(route: Route, declaration: PublicDeclaration<Answer>, app: App): Endpoint {
  const { content, isAlwaysUp = false, answer, errors = [], pagesExcept, handle } = declaration;
  const { errorAs = (error: DeclaredError) => error } = declaration;
  const all = [badRequest, ...(isAlwaysUp ? [] : [failed, unavailable]), ...(content ? bodyErrors : []), ...errors];
  return {
    ...declaration,
    ...(pagesExcept && { pagesExcept: pagesExcept.map(errorAs) }),
    ...route,
    description: forService(declaration.description, app),
    ifMissing: declaration.ifMissing,
    scope: undefined,
    query: declaration.query,
    body: content && { isRequired: true, content },
    answers: answersOf(declaration),
    errors: all.map(errorAs),
    handle:
      handle &&
      (async (request, response) => {
        response.status(answer.status ?? 200);
        const body = await handle(request, response, app);
        if (body !== undefined) response.json(body);
      }),
    tool: undefined,
    furtherTools: [],
    call: undefined,
  };
}
