import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Scope } from '../../db/account/api-keys.ts';
import type { Owner } from '../../db/account/owners.ts';
import type { Limits } from '../../limits.ts';
import { badRequest, type DeclaredError, failed, HttpError, unavailable } from '../response/errors.ts';
import { addNotice } from '../response/notice.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { type Authentication, keyRefused, readOnlyKey, tooManyUnknownKeys, unauthorized } from './auth.ts';
import type { BodyReader } from './body.ts';
import { bodyErrors, wrongPageType } from './body-errors.ts';
import { PARAMETERS } from './fields.ts';
import { type BodyForm, checkFields } from './json-body.ts';
import type { OwnerQueue } from './owner-queue.ts';
import { badQuery, checkQuery, readQuery } from './query.ts';

/*
 * Each endpoint of the API is declared once, by endpoint() or publicEndpoint(), and listed in endpoints.ts. Its declaration
 * makes its route, the 405 of its path, the order of its checks (401, 404, query or body), its part of the reference,
 * and its name in the metrics.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
export type Tag =
  | 'Account'
  | 'Deployments'
  | 'Submissions'
  | 'Spam'
  | 'Webhooks'
  | 'Deliveries'
  | 'Links'
  | 'Agents'
  | 'Service';

type ParameterOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;
type PathParameters<Path extends string> = Readonly<Record<ParameterOf<Path>, string>>;

export type EndpointRequest = Request<Record<string, string>>;

/** `required: false`: some of the answers have it. */
type Header = { description?: string; required?: false; schema: { type?: 'string' | 'integer'; const?: string } };
type Headers = Readonly<Record<string, Header>>;
/** A body by its media type. The example is a real one: tests send it, or compare it with its schema. */
type Content = Readonly<Record<string, { schema: z.ZodType; example: unknown }>>;
/** An answer that is not an error. */
type DeclaredAnswer = { description: string; headers?: Headers; content?: Content };

/** The answer to a request that succeeds, as `application/json` unless it has another `type`. */
type Success<Answer> = {
  status: number;
  description: string;
  headers?: Headers;
  type?: string;
  schema: z.ZodType<unknown, Answer>;
  example: NoInfer<Answer>;
};
type NoContent = { status: 204 | 303; description: string; headers?: Headers };

type Described<M extends Method, Path extends string, Answer> = {
  method: M;
  /** As Express has it: `/deploy/:id`. */
  path: Path;
  /** The operation's id in the reference: unique, and never changed. */
  name: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** Whether the reference leaves it out. */
  isHidden?: boolean;
  /** Whether machines ask it all the time: its requests are not logged. */
  isPolled?: boolean;
  /** Whether it answers while the service is starting; others wait. */
  answersWhileStarting?: boolean;
  answer: Success<Answer> | NoContent;
  /** Other answers that are not errors, by their status. */
  otherAnswers?: Readonly<Record<number, DeclaredAnswer>>;
  /** Errors besides those that follow from the rest of the declaration. Each replaces one of the same status. */
  errors?: readonly DeclaredError[];
};

/** Writes the answer itself: a stream, a file, a redirect. */
type Send = (response: Response) => void | Promise<void>;

/** The body of the answer, or a function that writes it. */
type Result<Answer> = NoInfer<Answer> | Send;

/** The body of an answer as a JSON text in pieces, of which `bytes` are in memory at a time. */
export class JsonPieces {
  readonly bytes: number;
  readonly pieces: AsyncIterable<string> | Iterable<string>;

  constructor(bytes: number, pieces: AsyncIterable<string> | Iterable<string>) {
    this.bytes = bytes;
    this.pieces = pieces;
  }
}

export const jsonText = (text: string): JsonPieces => new JsonPieces(text.length, [text]);

/** A request that has passed its checks; `resource`: what `find` has found. */
type Call<Path extends string, Resource, Query extends z.ZodObject, Body extends z.ZodObject> = {
  request: EndpointRequest;
  /** For its end, and its deadline. What it says is returned. */
  response: Response;
  owner: Owner;
  params: PathParameters<Path>;
  resource: Resource;
  query: z.infer<Query>;
  body: z.infer<Body>;
  /** Adds a sentence to the header `formhost-notice` of the answer, which is declared with NOTICE_HEADER. */
  notify(sentence: string): void;
};

/** A call of an endpoint by a tool, with the request that brought it. `input`: fields of the query and the body. */
export type ToolCall = {
  request: EndpointRequest;
  response: Response;
  owner: Owner;
  ownerQueue: OwnerQueue;
  params: Readonly<Record<string, string>>;
  input: Readonly<Record<string, unknown>>;
  notify(sentence: string): void;
};

type Declaration<
  M extends Method,
  Path extends string,
  Answer,
  Resource,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
> = Described<M, Path, Answer> & {
  /** The scope that a key needs. Left out: `read` for GET, `full` for what changes something. */
  scope?: Scope;
  /** Refuses a request before its key is looked up. */
  precheck?: (request: EndpointRequest) => void;
  /** Looks up what the path names, before query and body are read. Throws 404. */
  find?: (owner: Owner, params: PathParameters<Path>) => Promise<Resource>;
  query?: Query;
  body?: BodyForm<Body> & { example: z.input<Body> };
  /** Whether `handle` runs what uses the database in the owner's queue itself: it may wait for long. */
  queuesItself?: boolean;
  /** The error in place of a 400 about the body, whose message is given. */
  badBody?: (message: string) => HttpError;
  handle: (call: Call<Path, Resource, Query, Body>) => Promise<Result<Answer> | JsonPieces>;
};

type PublicDeclaration<M extends Method, Path extends string, Answer> = Described<M, Path, Answer> & {
  requestHeaders?: z.ZodObject;
  /** The body that it accepts. The handler reads it itself. */
  content?: Content;
  /** Whether it also answers while the service starts or the database is out of reach: it declares no 500 or 503. */
  isAlwaysUp?: boolean;
  /** Whether the path exists for the client of a request; otherwise every method is answered 404. */
  isThere?: (request: EndpointRequest) => boolean;
  /** A browser that posts a form gets a page with the same status, except for these errors. */
  pagesExcept?: readonly DeclaredError[];
  /** For links that people open: errors are small pages with this title. */
  errorPageTitle?: string;
  /** Query parameters that it reads, for the reference. The handler reads them itself. */
  query?: z.ZodObject;
  /** Absent where listener.ts answers, ahead of Express. */
  handle?: (request: EndpointRequest) => Result<Answer> | Promise<Result<Answer>>;
};

/** The parts of the service that endpoints with a key are run with. */
export type EndpointTools = {
  authentication: Pick<Authentication, 'ofRequest' | 'isCredentialValid'>;
  ownerQueue: OwnerQueue;
  bodyReader: Pick<BodyReader, 'fields'>;
  responseWriter: Pick<ResponseWriter, 'json'>;
  limits: Limits;
};

/** A declared endpoint, with all that the router, the reference and agents' tools need. */
export type Endpoint<M extends Method = Method, Path extends string = string> = {
  method: M;
  path: Path;
  name: string;
  tag: Tag;
  summary: string;
  description: string | undefined;
  isHidden: boolean;
  isPolled: boolean;
  answersWhileStarting: boolean;
  needsKey: boolean;
  /** The scope that a key needs; undefined where none is needed. */
  scope: Scope | undefined;
  params: z.ZodObject | undefined;
  query: z.ZodObject | undefined;
  requestHeaders: z.ZodObject | undefined;
  body: { isRequired: boolean; content: Content } | undefined;
  /** By their status. */
  answers: Readonly<Record<number, DeclaredAnswer>>;
  /** One for each status. */
  errors: readonly DeclaredError[];
  pagesExcept: readonly DeclaredError[] | undefined;
  errorPageTitle: string | undefined;
  isThere: ((request: EndpointRequest) => boolean) | undefined;
  handle: ((request: EndpointRequest, response: Response, tools: EndpointTools) => Promise<void>) | undefined;
  /** The same for a tool: the checks from `find` on, and the answer. Undefined where no key is needed. */
  call: ((call: ToolCall) => Promise<unknown>) | undefined;
};

export const parameterNames = (path: string): string[] => Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);

function parametersOf(path: string): z.ZodObject | undefined {
  const names = parameterNames(path);
  const unknown = names.filter((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown.length > 0) throw new Error(`${path} has parameters that fields.ts does not have: ${unknown.join(', ')}`);
  const fields = Object.entries(PARAMETERS).filter(([name]) => names.includes(name));
  return names.length > 0 ? z.object(Object.fromEntries(fields)) : undefined;
}

const onePerStatus = (errors: readonly DeclaredError[]): DeclaredError[] => [
  ...new Map(errors.map((error) => [error.example.status, error])).values(),
];

/** The part of an endpoint that does not depend on whether it needs a key. */
function describe<M extends Method, Path extends string, Answer>(declaration: Described<M, Path, Answer>) {
  const { method, path, name, tag, summary, description, answer, otherAnswers = {} } = declaration;
  const { isHidden = false, isPolled = false, answersWhileStarting = false } = declaration;
  const { status, headers } = answer;
  const content =
    'schema' in answer
      ? { [answer.type ?? 'application/json']: { schema: answer.schema, example: answer.example } }
      : undefined;
  const answers: Endpoint['answers'] = {
    [status]: { description: answer.description, ...(headers && { headers }), ...(content && { content }) },
    ...otherAnswers,
  };
  const flags = { isHidden, isPolled, answersWhileStarting };
  return { method, path, name, tag, summary, description, ...flags, params: parametersOf(path), answers };
}

async function respond(response: Response, status: number, result: unknown): Promise<void> {
  response.status(status);
  if (typeof result === 'function') await result(response);
  else response.type('json').send(JSON.stringify(result));
}

type AnyBody = BodyForm<z.ZodObject> & { example: Readonly<Record<string, unknown>> };

/** The other form of a body, and the query that belongs to it, as the reference shows them. */
function textFormOf({ schema, example, text }: AnyBody): { content: Content; query?: z.ZodObject } {
  if (!text) return { content: {} };
  const { [text.field]: whole, ...others } = schema.shape;
  const parameters = Object.entries(others).map(([name, field]) => [
    name,
    field.meta({ description: `As the field of the body. Only with \`Content-Type: ${text.type}\`.` }),
  ]);
  return {
    content: { [text.type]: { schema: whole, example: example[text.field] } },
    ...(parameters.length > 0 && { query: z.object(Object.fromEntries(parameters)) }),
  };
}

/** Declares an endpoint that needs an API key. Its checks run in this order: 401, `find`, `query`, `body`, `scope`. */
export function endpoint<
  const M extends Method,
  const Path extends string,
  Answer,
  Resource = undefined,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(declaration: Declaration<M, Path, Answer, Resource, Query, Body>): Endpoint<M, Path>;
// In the implementation each part is optional; the signature above gives the handler those that are declared.
export function endpoint(
  declaration: Declaration<Method, string, unknown, unknown, z.ZodObject, z.ZodObject>,
): Endpoint {
  const {
    method,
    find,
    precheck,
    query,
    body,
    badBody,
    answer,
    errors = [],
    queuesItself = false,
    handle,
  } = declaration;
  const scope = declaration.scope ?? (method === 'GET' ? 'read' : 'full');
  const text = body && textFormOf(body);

  function refuseBody(error: unknown): never {
    throw badBody && error instanceof HttpError && error.status === 400 ? badBody(error.message) : error;
  }

  /** All that follows the look-up of the key. `read` is called once the path is known to lead to something. */
  async function run(
    { params, owner, ownerQueue, ...exchange }: Omit<ToolCall, 'input'>,
    read: () => Promise<{ query: Record<string, unknown>; body: Record<string, unknown> }>,
  ): Promise<unknown> {
    const queued = <T>(work: () => Promise<T>): Promise<T> => ownerQueue.run(owner.id, exchange.response, work);
    const findResource = async (): Promise<unknown> => find?.(owner, params);
    async function finish(resource: unknown): Promise<unknown> {
      const sent = await read();
      if (scope === 'full' && owner.scope !== 'full') throw readOnlyKey();
      const work = async (): Promise<unknown> => handle({ ...exchange, params, owner, resource, ...sent });
      return body && !queuesItself ? queued(work) : work();
    }
    if (body || queuesItself) return finish(find && (await queued(findResource)));
    return queued(async () => finish(await findResource()));
  }

  return {
    ...describe(declaration),
    needsKey: true,
    scope,
    query: query ?? text?.query,
    requestHeaders: undefined,
    body: body && {
      isRequired: !body.schema.safeParse({}).success,
      content: { 'application/json': { schema: body.schema, example: body.example }, ...text?.content },
    },
    errors: onePerStatus([
      ...[badRequest, failed, unavailable, unauthorized, tooManyUnknownKeys],
      ...(query ? [badQuery] : []),
      ...(body ? bodyErrors : []),
      ...(body?.text ? [wrongPageType] : []),
      ...(scope === 'full' ? [readOnlyKey] : []),
      ...errors,
    ]),
    pagesExcept: undefined,
    errorPageTitle: undefined,
    isThere: undefined,
    async handle(request, response, tools) {
      precheck?.(request);
      const owner = await tools.authentication.ofRequest(request, response);
      const { params } = request;
      const notify = (sentence: string): void => addNotice(response, sentence);
      const { ownerQueue } = tools;
      const result = await run({ request, response, owner, ownerQueue, params, notify }, async () => {
        const since = performance.now();
        const sent = {
          query: query ? readQuery(request.url, query) : {},
          body: body ? await tools.bodyReader.fields(request, owner.id, body).catch(refuseBody) : {},
        };
        if (
          performance.now() - since > tools.limits.requests.slowBodyMs &&
          !(await tools.authentication.isCredentialValid(owner.credentialId))
        )
          throw keyRefused();
        return sent;
      });
      if (result instanceof JsonPieces) {
        response.status(answer.status);
        await tools.responseWriter.json(response, owner.id, result.bytes, result.pieces);
      } else await respond(response, answer.status, result);
    },
    call: ({ input, ...exchange }) =>
      run(exchange, async () => ({
        query: query ? checkQuery(input, query) : {},
        body: body ? checkFields(input, body.schema) : {},
      })),
  };
}

/** Declares an endpoint that needs no key. */
export function publicEndpoint<const M extends Method, const Path extends string, Answer>(
  declaration: PublicDeclaration<M, Path, Answer>,
): Endpoint<M, Path> {
  const {
    requestHeaders,
    content,
    isAlwaysUp = false,
    isThere,
    pagesExcept,
    errorPageTitle,
    query,
    answer,
    errors = [],
    handle,
  } = declaration;
  return {
    ...describe(declaration),
    needsKey: false,
    scope: undefined,
    query,
    requestHeaders,
    body: content && { isRequired: true, content },
    errors: onePerStatus([
      badRequest,
      ...(isAlwaysUp ? [] : [failed, unavailable]),
      ...(content ? bodyErrors : []),
      ...errors,
    ]),
    pagesExcept,
    errorPageTitle,
    isThere,
    handle: handle && (async (request, response) => respond(response, answer.status, await handle(request))),
    call: undefined,
  };
}
