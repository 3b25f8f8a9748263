import type { IncomingHttpHeaders } from 'node:http';
import cors from 'cors';
import { SIZES } from '../../sizes.ts';
import type { App } from '../app.ts';
import {
  type Endpoint,
  type EndpointRequest,
  type EndpointsOf,
  jsonText,
  type Operation,
  perService,
} from '../operation/declaration.ts';
import { ANY_ORIGIN_HEADER, operation, publicOperation } from '../operation/operation.ts';
import { unauthorized } from '../request/auth.ts';
import { pageBodyBytes, siteLimits } from '../request/json-body.ts';
import { mcpMetadataUrl } from '../request/oauth-resource.ts';
import { OPTIONAL_RATE_LIMIT_HEADERS, RATE_LIMIT_HEADERS } from '../request/rate-limit.ts';
import { acceptsJson } from '../response/accept.ts';
import { ERROR_CODE, errorKind, HttpError, unavailable } from '../response/errors.ts';
import { Answer, badMessage, Message, PARSE_ERROR, unknownMethod } from './message.ts';
import type { McpProtocol } from './protocol.ts';

/** The parameters of a message and the arguments of a tool: a page is among them, or a list of edits. */
const LONG_LEVELS = 2;

const notAcceptable = errorKind(
  { id: 'NotAcceptable', description: 'The `Accept` does not allow application/json.' },
  () => new HttpError(406, 'The answer is JSON: send Accept: application/json, text/event-stream.'),
);

const example = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

/** A session does not stand for the key here: with it, a page of any origin could act for the owner. */
function refuseWithoutKey({ headers }: EndpointRequest): void {
  if (headers.authorization === undefined) throw unauthorized();
}

/** Says where programs are allowed to call the tools (RFC 9728, 5.1). */
function withMetadata(error: unknown, { authorization }: IncomingHttpHeaders, baseUrl: string): unknown {
  if (!(error instanceof HttpError) || error.status !== 401) return error;
  const { template, code, headers } = error;
  // A program that has sent no token learns no more (RFC 6750, 3.1).
  const reason = authorization === undefined ? '' : 'error="invalid_token", ';
  const challenge = `Bearer ${reason}resource_metadata="${mcpMetadataUrl(baseUrl)}"`;
  const named = new HttpError(401, template, { ...headers, 'WWW-Authenticate': challenge });
  named.code = code;
  return named;
}

/** Clients may be pages of any origin: they have the key, and send no cookies. */
const allowAnyOrigin = cors({
  methods: 'POST',
  allowedHeaders: [
    ...['Authorization', 'Content-Type', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
    ...['Mcp-Session-Id', 'Last-Event-ID'],
  ],
  exposedHeaders: [
    ...['mcp-session-id', 'mcp-protocol-version', 'WWW-Authenticate', 'Retry-After'],
    ...Object.keys(RATE_LIMIT_HEADERS),
    ERROR_CODE,
  ],
  maxAge: SIZES.submission.preflightSeconds,
  preflightContinue: true,
});

const preflight = publicOperation('OPTIONS', '/mcp', 'mcpPreflight', {
  summary: 'Allow pages of any origin to send messages (CORS preflight)',
  description: 'Browsers send it by themselves (CORS). Any origin may send messages, without cookies.',
  before: allowAnyOrigin,
  answer: { status: 204, description: 'The page may send messages.', headers: ANY_ORIGIN_HEADER },
  handle: async (_request, response) => void response.end(),
});

/** Makes a body that can't be read an error of JSON-RPC, and lets programs without a key find where they are allowed. */
const withMcpErrors = ({ handle, ...endpoint }: Endpoint, { config: { baseUrl } }: App): Endpoint => ({
  ...endpoint,
  handle:
    handle &&
    (async (request, response) => {
      try {
        refuseWithoutKey(request);
        await handle(request, response);
      } catch (error) {
        const isUnread = error instanceof HttpError && error.status === 400 && error.body === undefined;
        throw isUnread ? badMessage(PARSE_ERROR, error.message) : withMetadata(error, request.headers, baseUrl);
      }
    }),
});

function messageOperation(endpointsOf: EndpointsOf): Operation {
  const protocolOf = perService((): { protocol?: McpProtocol } => ({}));
  const declared = operation('POST', '/mcp', 'sendMcpMessage', {
    noAudit: 'Each tool that it calls writes its own entries.',
    noCommand: 'Agents call it, with their tools.',
    summary: 'Call the tools for agents, over the Model Context Protocol',
    description:
      'MCP over Streamable HTTP, in the versions 2026-07-28, 2025-11-25 and some before, without sessions and streams: a message of ' +
      'JSON-RPC gets an answer in JSON. Since 2026-07-28 a client begins without `initialize`, and sends `Mcp-Method` and `Mcp-Name`. ' +
      'Each tool calls an endpoint of this API, with its checks and limits, and returns its answer. A key with the scope `read` or ' +
      '`publish` has only the tools that it allows. A session of the dashboard is no key. Pages of any origin may call it.',
    scope: 'any',
    // Each tool calls an endpoint, whose work is queued.
    takesLong: true,
    body: ({ config }) => ({
      ...{ schema: Message, example, maxBytes: pageBodyBytes(config.maxHtmlBytes) },
      ...{ longLevels: LONG_LEVELS, longLists: true, site: siteLimits(config) },
    }),
    answer: {
      description: 'The answer to a request. An error of a tool, too, with `isError` in the result.',
      headers: { ...ANY_ORIGIN_HEADER, ...OPTIONAL_RATE_LIMIT_HEADERS },
      schema: Answer,
      example: { jsonrpc: '2.0', id: 1, result: {} },
    },
    otherAnswers: { 202: { description: 'A notification, or an answer, was accepted.', headers: ANY_ORIGIN_HEADER } },
    errors: [badMessage, unknownMethod, notAcceptable],
    async handle({ request, response, owner, queue, body }, app) {
      if (!acceptsJson(request.headers)) throw notAcceptable();
      // Loaded with the first message, and again if that has failed.
      const { McpProtocol } = await import('./protocol.ts');
      const loaded = protocolOf(app);
      loaded.protocol ??= new McpProtocol(app, endpointsOf(app));
      const text = await loaded.protocol.answer(body, { request, response, owner, queue });
      if (response.closed) throw unavailable('The client has left.');
      if (text !== undefined) return jsonText(text);
      response.status(202).end();
      return undefined;
    },
  });
  return { ...declared, bind: (service) => withMcpErrors(declared.bind(service), service) };
}

/** Tools for agents: the Model Context Protocol over Streamable HTTP, without sessions. */
export const mcpOperations = (endpointsOf: EndpointsOf) => [preflight, messageOperation(endpointsOf)];
