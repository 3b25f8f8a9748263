import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Action } from '../../db/account/audit-queries.ts';
import type { Role } from '../../db/account/guest-queries.ts';
import type { Owner } from '../../db/account/owner-queries.ts';
import type { Database } from '../../db/postgres/connect.ts';
import type { App } from '../app.ts';
import type { BodyForm } from '../request/json-body.ts';
import type { DeclaredError } from '../response/errors.ts';
import type { NeededScope } from './access.ts';
import type { AnyCommand, Command } from './command.ts';
import type { FieldForGuests, NeededOfPerson } from './guests.ts';
import type { FurtherTool, Tool } from './tool.ts';

/*
 * The parts of the declaration of an operation, and the endpoint that operation.ts makes of it for a service.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

type ParameterOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}` | `${string}/*${infer Name}`
    ? Name
    : never;
type PathParameters<Path extends string> = Readonly<Record<ParameterOf<Path>, string>>;

export type EndpointRequest = Request<Record<string, string>>;

/** `required: false`: some of the answers have it. */
type Header = { description?: string; required?: false; schema: { type?: 'string' | 'integer'; const?: string } };
type Headers = Readonly<Record<string, Header>>;
/** A body by its media type. The example is a real one: tests send it, or compare it with its schema. */
export type Content = Readonly<Record<string, { schema: z.ZodType; example: unknown }>>;
/** An answer that is not an error. */
type DeclaredAnswer = { description: string; headers?: Headers; content?: Content };

/** The answer to a request that succeeds, as `application/json` unless it has another `type`. */
type Success<Answer> = {
  /** Left out: 200. */
  status?: number;
  description: string;
  headers?: Headers;
  type?: string;
  /** Other media types, which an Accept chooses. */
  otherTypes?: readonly string[];
  schema: z.ZodType<unknown, Answer>;
  /** Left out: made of the examples of its fields. */
  example?: NoInfer<Answer>;
};
type NoContent = { status: 204 | 303; description: string; headers?: Headers };

/** The parts of a service that its declarations depend on. */
export type Settings = Pick<App, 'config' | 'limits'> & {
  delivery: Pick<App['delivery'], 'isOwnUrl'>;
  pages: Pick<App['pages'], 'siteQueue'>;
};
/** A part of a declaration, or the function that makes it for a service. */
export type ForService<T> = T | ((settings: Settings) => T);

/** The services of which requests have got a copy, with a database that knows who acts. */
const services = new WeakMap<App, App>();

/** Returns the parts of a service for one request, with a database of its own. */
export function withDatabase(app: App, db: Database): App {
  const ofRequest = { ...app, db };
  services.set(ofRequest, app);
  return ofRequest;
}

/** Returns a function that makes something once for each service, at its first use: what operations share, or keep between requests. */
export function perService<T>(make: (app: App) => T): (app: App) => T {
  const made = new WeakMap<App, { value: T }>();
  return (given) => {
    const app = services.get(given) ?? given;
    const before = made.get(app);
    if (before) return before.value;
    const value = make(app);
    made.set(app, { value });
    return value;
  };
}

/** Returns the part of a declaration for a service. */
export function forService<T extends object | string | undefined>(part: ForService<T>, settings: Settings): T {
  return typeof part === 'function' ? part(settings) : part;
}

export type Described<Answer> = {
  /** A template (src/problems/sentence.ts), because agents see it too. */
  summary: string;
  description?: ForService<string>;
  /** The next step after a 404, as a template; left out: that of the last parameter of the path (IF_MISSING in shared-fields.ts). */
  ifMissing?: string;
  /** True if the reference leaves the endpoint out. */
  isHidden?: boolean;
  /** The reason why it has no command, in a sentence. A command that is written by hand and calls it is named: `formhost deploy`. */
  noCommand?: string;
  /** The action of its entries in the audit. `record` (src/db/account/audit-queries.ts) writes them with the change; for a GET, they are written first. */
  audit?: Action;
  /** The reason why it changes something without an entry, in a sentence. */
  noAudit?: string;
  /** True for what operators do to others: their own account and pages have no entry of it. */
  isOfOperators?: boolean;
  /** Runs before every request to its path, whatever its method. */
  before?: RequestHandler;
  /** True if machines ask all the time. The requests are not logged, and do not wait while the service starts. */
  isPolled?: boolean;
  answer: Success<Answer> | NoContent;
  /** Other answers that are not errors, by their status. */
  otherAnswers?: Readonly<Record<number, DeclaredAnswer>>;
  /** Errors besides those that follow from the rest of the declaration. The reference shows the last of each status. */
  errors?: readonly DeclaredError[];
};

/** The body of an answer as a JSON text in pieces, of which `bytes` are in memory at a time. */
export class JsonPieces {
  readonly bytes: number;
  readonly pieces: AsyncIterable<string> | Iterable<string>;

  constructor(bytes: number, pieces: AsyncIterable<string> | Iterable<string>) {
    this.bytes = bytes;
    this.pieces = pieces;
  }
}

export const jsonText = (text: string): JsonPieces => new JsonPieces(Buffer.byteLength(text), [text]);

/** The body of an answer; nothing from a handler that has written the answer itself: a stream, a file, a redirect. */
type Result<Body> = Promise<Body | undefined> | Promise<void>;

/** Runs work with the database in the queue of the request's owner: it waits for others, and stops when the client leaves. */
type Queue = <T>(work: () => Promise<T>) => Promise<T>;

/** A call of an endpoint by a tool, with the request that brought it. `input`: fields of the query and the body. */
export type ToolCall = {
  request: EndpointRequest;
  /** For rate limits, to notice that the client has left, and to pause the deadline. No handler that a tool calls answers with it. */
  response: Response;
  owner: Owner;
  /** For reads after the first piece of an answer: `handle` runs in it unless it `takesLong`. */
  queue: Queue;
  params: Readonly<Record<string, string>>;
  input: Readonly<Record<string, unknown>>;
  /** Adds a sentence, given as a template, to the header `formhost-notice` of the answer, which is declared with NOTICE_HEADER. */
  notify(template: string): void;
  /** Sets headers of the answer, which a tool leaves out. */
  setHeaders(headers: Readonly<Record<string, string>>): void;
};

/** A request that has passed its checks; `resource`: what `find` has found. */
type Call<
  Path extends string,
  Resource,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  RequestHeaders extends z.ZodObject,
> = Omit<ToolCall, 'params' | 'input'> & {
  params: PathParameters<Path>;
  resource: Resource;
  query: z.infer<Query>;
  body: z.infer<Body>;
  /** The headers that the declaration names. A tool has none. */
  headers: z.infer<RequestHeaders>;
};

type OneOrMore<T> = T | readonly T[];

export type Declaration<
  Path extends string,
  Answer,
  Resource,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  RequestHeaders extends z.ZodObject,
> = Described<Answer> & {
  /** The least that a key needs (access.ts). Left out: `read` for GET, `full` for what changes something. */
  scope?: NeededScope;
  /** True if it is about the account as a whole: keys for some pages are refused. */
  isOfAccount?: boolean;
  /** The least role that it needs of a guest (guests.ts). Left out: it is the owner's alone. */
  guests?: Role;
  /** The fields of its body that need more of a guest. */
  guestFields?: readonly (FieldForGuests & { field: keyof z.infer<Body> & string })[];
  /** True if guests without an account are refused. */
  needsAccount?: boolean;
  /** True if programs that an owner has allowed may not call it: keys, sessions, grants and the account are the owner's alone. */
  isForOwnerAlone?: boolean;
  /** Looks up what the path names, before query and body are read. Throws 404: that of a deployment unless `errors` has another. */
  find?(owner: Owner, params: PathParameters<Path>, app: App): Promise<Resource>;
  query?: Query;
  /** Headers of the request that it reads, each a text that may be left out. */
  requestHeaders?: RequestHeaders;
  body?: ForService<BodyForm<Body> & { example: z.input<Body> }>;
  /** True if `handle` waits or writes for long. It then runs its use of the database in the owner's queue itself. */
  takesLong?: boolean;
  handle(call: Call<Path, Resource, Query, Body, RequestHeaders>, app: App): Result<NoInfer<Answer> | JsonPieces>;
  /** Offers the operation to agents. */
  tool?: Tool;
  /** Offers it to agents in other ways, too. */
  furtherTools?: readonly FurtherTool[];
  /** Offers the operation on the command line: as a command, or as several. */
  command?: OneOrMore<Command<NoInfer<Answer>>>;
  /** In place of `handle` when a tool calls it: for an answer that `handle` writes itself. */
  handleTool?(call: Call<Path, Resource, Query, Body, RequestHeaders>, app: App): Promise<unknown>;
};

export type PublicDeclaration<Answer> = Described<Answer> & {
  requestHeaders?: z.ZodObject;
  /** The body that it accepts. The handler reads it itself. */
  content?: Content;
  /** True if the endpoint also answers while the service starts or the database is out of reach. It declares no 500 or 503. */
  isAlwaysUp?: boolean;
  /** A browser that posts a form gets a page with the same status, except for these errors. */
  pagesExcept?: readonly DeclaredError[];
  /** Returns an error in the form that this endpoint gives it. Left out: that of the API. */
  errorAs?(error: DeclaredError): DeclaredError;
  /** For links that people open: errors are small pages with this title. */
  errorPageTitle?: string;
  /** The view to which these pages lead. */
  errorPageDashboard?: string;
  /** Query parameters that it reads, for the reference. The handler reads them itself. */
  query?: z.ZodObject;
  /** Left out where listener.ts answers, ahead of Express. */
  handle?(request: EndpointRequest, response: Response, app: App): Result<NoInfer<Answer>>;
};

/** A declared operation. It belongs to no service. */
export type Operation = {
  method: Method;
  /** The path in the form that Express reads: `/deploy/:id`. */
  path: string;
  /** The operation's id in the reference: unique, and never changed. */
  name: string;
  params: z.ZodObject | undefined;
  commands: readonly AnyCommand[];
  noCommand: string | undefined;
  audit: Action | undefined;
  noAudit: string | undefined;
  /** The least that it needs of who calls it, and of its body's fields those that need more. */
  needed: NeededOfPerson;
  guestFields: readonly FieldForGuests[];
  /** The schemas of the fields that its commands take. */
  fields(settings: Settings): Record<'query' | 'body', Readonly<Record<string, z.ZodType>>>;
  /** Makes the endpoint of a service. */
  bind(app: App): Endpoint;
};

/** Returns the endpoints of a service. */
export type EndpointsOf = (app: App) => readonly Tagged[];

/** An operation of a service, with all that the router, the reference and agents' tools need. */
export type Endpoint = Omit<
  Described<never>,
  'noCommand' | 'audit' | 'noAudit' | 'description' | 'answer' | 'otherAnswers' | 'errors' | 'ifMissing'
> &
  Pick<PublicDeclaration<never>, 'requestHeaders' | 'pagesExcept' | 'errorPageTitle' | 'errorPageDashboard'> &
  Omit<Operation, 'bind' | 'commands' | 'noCommand' | 'audit' | 'noAudit' | 'fields' | 'needed' | 'guestFields'> & {
    description: string | undefined;
    ifMissing: string | undefined;
    /** The least that a key needs; undefined where no key is needed. */
    scope: NeededScope | undefined;
    isOfAccount?: boolean | undefined;
    guests?: Role | undefined;
    query: z.ZodObject | undefined;
    /** `schema`: of its fields, whatever its form. */
    body: { isRequired: boolean; content: Content; schema?: z.ZodObject } | undefined;
    /** The answers by their status. */
    answers: Readonly<Record<number, DeclaredAnswer>>;
    errors: readonly DeclaredError[];
    handle: ((request: EndpointRequest, response: Response) => Promise<void>) | undefined;
    tool: Tool | undefined;
    furtherTools: readonly FurtherTool[];
    /** Handles the call of a tool: makes the checks from `find` on, and returns the answer. Undefined where no key is needed. */
    call: ((call: ToolCall) => Promise<unknown>) | undefined;
  };

/** An endpoint with the part of the reference that it belongs to. */
export type Tagged = Endpoint & { tag: string };
