import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Config } from '../../src/config.ts';
import { createReference } from '../../src/http/api/service/reference/reference-document.ts';
import { endpointsOf as boundEndpoints } from '../../src/http/endpoints.ts';
import type { Tagged } from '../../src/http/operation/declaration.ts';
import { Hosts } from '../../src/http/request/hosts.ts';
import { RATE_LIMIT_HEADERS } from '../../src/http/request/rate-limit.ts';
import { ERROR_CODE } from '../../src/http/response/errors.ts';
import { NOTICE } from '../../src/http/response/notice-header.ts';
import { PROBLEM_TYPE } from '../../src/problems/problem-document.ts';
import { idleApp } from './test-app.ts';

/*
 * Holds what services answer against the reference: whatever a test asks of a service that startTestService has
 * started, the status, the headers, the content type and the body of each answer of the API have to be what the
 * document says.
 */

/** Longer bodies are not looked into. */
const MAX_BYTES = 64 * 1024;

export type Reference = ReturnType<typeof createReference>;

/** All endpoints of a service with these settings, to be looked at and not called. */
export const endpointsOf = (config: Config): readonly Tagged[] => boundEndpoints(idleApp(config));

/** The reference of a service with these settings. */
export const referenceOf = (config: Config): Reference => createReference(config, endpointsOf(config));

/** Any place in the document, by its way from the top, and its JSON pointer; what is only referred to is followed. */
export function lookUp(reference: Reference, ...way: string[]): { value: unknown; pointer: string } {
  const steps = [...way];
  let value: unknown = reference;
  let pointer = '#';
  for (;;) {
    const target: unknown = value instanceof Object ? Reflect.get(value, '$ref') : undefined;
    if (typeof target === 'string') {
      steps.unshift(...target.slice(2).split('/'));
      value = reference;
      pointer = '#';
    }
    const step = steps.shift();
    if (step === undefined) return { value, pointer };
    value = value instanceof Object ? Reflect.get(value, step) : undefined;
    pointer += `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
  }
}

export type Exchange = {
  method: string;
  path: string;
  status: number;
  headers: ReadonlyMap<string, string>;
  /** Undefined when it was too long to be kept. */
  body: string | undefined;
};

/** The part of an answer that is not as the reference says; undefined when all is. */
export type Hold = (exchange: Exchange) => string | undefined;

const ERROR_POINTER = '#/components/schemas/Error';
const FOREIGN_ERROR_POINTER = '#/components/schemas/ForeignFormError';
/** The address of forms made for other services. */
const FOREIGN_PATH = /^\/f\/[^/]+$/;
const PROBLEM_POINTER = '#/components/schemas/Problem';
const OAUTH_ERROR_POINTER = '#/components/schemas/OAuthError';
/** The addresses that programs ask for, and not the dashboard. */
const PROGRAM_PATH = /^\/oauth\/(?!consent$)/;
/** Answers that the service gives before it knows what is asked for. */
const BEFORE_ROUTES = [400, 417, 431, 500, 503];

const isPage = (headers: Exchange['headers']): boolean => headers.get('content-type') === 'text/html; charset=utf-8';

export function holdAgainst(reference: Reference): Hold {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
  ajv.addSchema(reference, 'reference');
  const { value: codes } = lookUp(reference, 'components', 'headers', 'ErrorCode', 'schema', 'enum');
  const isCode = (code: string | undefined): boolean => Array.isArray(codes) && codes.includes(code);
  // The more is fixed in a path, the earlier it is looked at.
  const paths = Object.keys(reference.paths ?? {})
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({
      path,
      pattern: new RegExp(
        `^${path
          .replaceAll('.', '\\.')
          .replaceAll('{path}', '.+')
          .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      ),
    }));

  function problemOfBody(pointer: string, body: string | undefined): string | undefined {
    if (body === undefined) return undefined;
    const validate = ajv.getSchema(`reference${pointer}`);
    if (!validate) return `has no schema at ${pointer}`;
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return 'is no JSON';
    }
    return validate(value) ? undefined : `does not fit: ${ajv.errorsText(validate.errors, { dataVar: 'it' })}: ${body}`;
  }

  /** A document of RFC 9457 says what the status and the headers say. */
  function problemOfDocument({ status, headers, body }: Exchange): string | undefined {
    if (headers.get('content-type') !== PROBLEM_TYPE) return `has the type ${headers.get('content-type')}`;
    if (!body) return undefined;
    const { code, ...said } = { code: headers.get(ERROR_CODE), ...Object(JSON.parse(body)) };
    const isSame = said.status === status && code === headers.get(ERROR_CODE);
    return isSame ? problemOfBody(PROBLEM_POINTER, body) : `is a problem of another status or code: ${body}`;
  }

  function problemOfError(exchange: Exchange): string | undefined {
    const { path, headers, body } = exchange;
    const type = headers.get('content-type');
    if (type === PROBLEM_TYPE) return problemOfDocument(exchange);
    if (type !== 'application/json; charset=utf-8') return `has the type ${type}`;
    const pointer =
      PROGRAM_PATH.test(path) && [404, 405].includes(exchange.status) ? OAUTH_ERROR_POINTER : ERROR_POINTER;
    return body === '' ? undefined : problemOfBody(FOREIGN_PATH.test(path) ? FOREIGN_ERROR_POINTER : pointer, body);
  }

  function problemOf(exchange: Exchange): string | undefined {
    const { method, path, status, headers, body } = exchange;
    // Browsers get these, and no program.
    if (
      /^\/(?:(?:docs|claim|invitations|dashboard|session\/mail|me\/email)\/|session\/oidc(?:\/|$))/.test(path) ||
      path === '/dashboard'
    )
      return undefined;
    const code = headers.get(ERROR_CODE);
    if (status >= 400 && !isCode(code)) return `has the code ${code}, which is not documented`;
    const documented = paths.find(({ pattern }) => pattern.test(path))?.path;
    if (documented === undefined) {
      // A browser gets a page.
      if (status === 404 && isPage(headers)) return undefined;
      return [404, ...BEFORE_ROUTES].includes(status)
        ? problemOfError(exchange)
        : 'is of a path that is not documented';
    }
    const isForm = documented === '/submit/{deployId}' || FOREIGN_PATH.test(path);
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const way = ['paths', documented, name];
    if (lookUp(reference, ...way).value === undefined) {
      if (status === 405 && !headers.has('allow')) return 'has no Allow';
      // A form without method="post".
      if (status === 405 && isForm && name === 'get' && isPage(headers)) return undefined;
      return [404, 405, ...BEFORE_ROUTES].includes(status)
        ? problemOfError(exchange)
        : 'is of a method that is not documented';
    }
    if (status === 417 || status === 431) {
      return isForm && isPage(headers) ? undefined : problemOfError(exchange);
    }
    way.push('responses', String(status));
    if (lookUp(reference, ...way).value === undefined) return `has a status that is not documented`;
    const documentedHeaders = Object.keys(lookUp(reference, ...way, 'headers').value ?? {});
    const isOptional = (header: string) => lookUp(reference, ...way, 'headers', header, 'required').value === false;
    const missing = documentedHeaders.find((header) => !headers.has(header.toLowerCase()) && !isOptional(header));
    if (missing !== undefined) return `has no ${missing}`;
    const notice = headers.get(NOTICE);
    // The reference says once that errors may have it.
    if (notice !== undefined && status < 400 && !documentedHeaders.includes(NOTICE))
      return `has a ${NOTICE} that is not documented`;
    if (notice !== undefined && !/^[\x20-\x7e]+$/.test(notice)) return `has a ${NOTICE} that is not ASCII`;
    const isCounted = Object.keys(RATE_LIMIT_HEADERS).some((name) => headers.has(name.toLowerCase()));
    // The reference says once that other errors may have them.
    if (isCounted && (status < 400 || status === 401 || status === 429) && !documentedHeaders.includes('RateLimit'))
      return 'has a RateLimit that is not documented';
    const content = lookUp(reference, ...way, 'content').value;
    if (content === undefined) return body ? `has a body: ${body}` : undefined;
    const type = headers.get('content-type') ?? '';
    const essence = type.replace(/;.*/, '');
    // Only the text of the reference says that browsers get pages for a success.
    if (path.startsWith('/submit/') && status === 200 && type.startsWith('text/html')) return undefined;
    const isAny = Object.hasOwn(Object(content), '*/*');
    if (!isAny && !Object.hasOwn(Object(content), essence)) return `has the type ${type}`;
    if (essence === PROBLEM_TYPE) return problemOfDocument(exchange);
    if (method === 'HEAD' || isAny || essence !== 'application/json') return undefined;
    if (type !== 'application/json; charset=utf-8') return `has the type ${type}`;
    return problemOfBody(lookUp(reference, ...way, 'content', essence, 'schema').pointer, body);
  }

  return (exchange) => {
    const problem = problemOf(exchange);
    const { method, path, status } = exchange;
    return problem === undefined
      ? undefined
      : `${method} ${path} answered ${status}, and the answer ${problem}: mend it, or its declaration (src/http/api)`;
  };
}

/** Pages have them under shop.example in all tests. */
const customDomains = {
  pageAt: (domain: string) => (domain.endsWith('.shop.example') ? { slug: null } : undefined),
  domainsOf: () => [],
};

/** The services that are held, by their ports. */
const held = new Map<number, { hold: Hold; hosts: Hosts }>();
const problems = new Set<string>();
let hold: Hold | undefined;

const portOf = (url: string): number => Number(new URL(url).port);

/** Holds every answer of the API of a service from now on. */
export function holdService(url: string, config: Config): void {
  // Settings change what is said of requests only.
  hold ??= holdAgainst(referenceOf(config));
  held.set(portOf(url), { hold, hosts: new Hosts(config, customDomains) });
}

/** Ends that: another server may get the port of a service that is closed. */
export const releaseService = (url: string): boolean => held.delete(portOf(url));

/** Has each answer's end told of, with what was written; the answer itself stays as it is. */
function onEnd(response: ServerResponse, tell: (head: string, body: Buffer | undefined) => void): void {
  const { write, end } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(Buffer.from(chunk));
  };
  Object.assign(response, {
    write(...given: unknown[]): unknown {
      keep(given[0]);
      return Reflect.apply(write, response, given);
    },
    end(...given: unknown[]): unknown {
      if (response.writableEnded) return Reflect.apply(end, response, given);
      keep(given[0]);
      // end() itself may go through write().
      Object.assign(response, { write });
      const ended = Reflect.apply(end, response, given);
      tell(String(Reflect.get(response, '_header')), size > MAX_BYTES ? undefined : Buffer.concat(chunks));
      return ended;
    },
  });
}

const headersOf = (head: string): ReadonlyMap<string, string> =>
  new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );

/** The text of a body; none was sent in answer to HEAD. */
function decoded(body: Buffer, encoding: string | undefined): string {
  if (body.length === 0 || encoding === undefined) return body.toString();
  return (encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
}

type Started = { request: IncomingMessage; response: ServerResponse };
const isStarted = (message: unknown): message is Started =>
  message instanceof Object &&
  'request' in message &&
  message.request instanceof IncomingMessage &&
  'response' in message &&
  message.response instanceof ServerResponse;

// Node itself tells of each request that comes in, before the service sees it.
subscribe('http.server.request.start', (message) => {
  if (!isStarted(message)) return;
  const { request, response } = message;
  const service = held.get(request.socket.localPort ?? 0);
  if (!service) return;
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? [];
  if (service.hosts.slugOf(authority ?? request.headers.host ?? '') !== undefined) return;
  const path = (rest ?? request.url ?? '').replace(/\?.*$/s, '');
  // Only a proxy in front asks these.
  if (path === '/internal/tls') return;
  onEnd(response, (head, body) => {
    // Nobody gets it.
    if (request.socket.destroyed) return;
    const { method = '' } = request;
    const headers = headersOf(head);
    const text = body && decoded(body, headers.get('content-encoding'));
    const problem = service.hold({ method, path, status: response.statusCode, headers, body: text });
    if (problem !== undefined) problems.add(problem);
  });
});

/** The faults found since the last call. */
export function takeProblems(): string[] {
  const found = [...problems];
  problems.clear();
  return found;
}
