import type { IncomingMessage } from 'node:http';
import type { App } from '../app.ts';
import { unauthorized } from '../request/auth.ts';
import { type Endpoint, jsonText } from '../request/declaration.ts';
import { endpoint } from '../request/endpoint.ts';
import { pageBodyBytes } from '../request/json-body.ts';
import { acceptsJson } from '../response/accept.ts';
import { errorKind, HttpError, unavailable } from '../response/errors.ts';
import { Answer, badMessage, Message, PARSE_ERROR } from './message.ts';
import type { McpProtocol } from './protocol.ts';

/** The parameters of a message and the arguments of a tool: a page is among them. */
const LONG_LEVELS = 2;

const foreignOrigin = errorKind(
  { id: 'ForeignOrigin', description: 'The `Origin` is that of another site.' },
  () => new HttpError(403, 'Pages of other sites may not call this: call it from a program, without Origin.'),
);
const notAcceptable = errorKind(
  { id: 'NotAcceptable', description: 'The `Accept` does not allow application/json.' },
  () => new HttpError(406, 'The answer is JSON: send Accept: application/json, text/event-stream.'),
);

const example = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

/** Before anything else: a page of another site may reach the service by a name of its own (DNS rebinding). */
function refuseOtherSites({ headers }: IncomingMessage, baseUrl: string): void {
  if (headers.origin !== undefined && headers.origin !== baseUrl) throw foreignOrigin();
  // A session does not stand for the key here.
  if (headers.authorization === undefined) throw unauthorized();
}

/** Tools for agents: the Model Context Protocol over Streamable HTTP, without sessions. */
export function mcpEndpoint({ config, log, ownerQueue }: App, endpoints: () => readonly Endpoint[]) {
  const { baseUrl, maxHtmlBytes } = config;
  let loading: Promise<McpProtocol> | undefined;

  /** Loaded with the first message. */
  async function load(): Promise<McpProtocol> {
    const { McpProtocol } = await import('./protocol.ts');
    return new McpProtocol(baseUrl, endpoints(), log);
  }

  return endpoint({
    method: 'POST',
    path: '/mcp',
    name: 'sendMcpMessage',
    tag: 'Agents',
    summary: 'Call the tools for agents, over the Model Context Protocol',
    description:
      'MCP over Streamable HTTP, in the version 2025-11-25 and some before: one message of JSON-RPC, answered as JSON. There are no ' +
      'sessions and no streams. `initialize` tells an agent what to do, `tools/list` has the tools. Each tool calls an endpoint of ' +
      'this API, with its checks and limits, and answers what it answers. A key with the scope `read` has only the tools that ' +
      'read. A session of the dashboard does not stand for a key.',
    scope: 'read',
    precheck: (request) => refuseOtherSites(request, baseUrl),
    // Each tool calls an endpoint, whose work is queued.
    queuesItself: true,
    body: {
      schema: Message,
      example,
      maxBytes: pageBodyBytes(maxHtmlBytes),
      longLevels: LONG_LEVELS,
    },
    badBody: (message) => badMessage(PARSE_ERROR, message),
    answer: {
      status: 200,
      description: 'The answer to a request. An error of a tool, too, with `isError` in the result.',
      schema: Answer,
      example: { jsonrpc: '2.0', id: 1, result: {} },
    },
    otherAnswers: { 202: { description: 'A notification, or an answer, was accepted.' } },
    errors: [badMessage, foreignOrigin, notAcceptable],
    async handle({ request, response, owner, body }) {
      if (!acceptsJson(request.headers)) throw notAcceptable();
      loading ??= load();
      const protocol = await loading;
      const { 'mcp-protocol-version': version } = request.headers;
      const text = await protocol.answer(body, version?.toString(), { request, response, owner, ownerQueue });
      if (response.closed) throw unavailable('The client has left.');
      return text === undefined ? () => void response.status(202).end() : jsonText(text);
    },
  });
}
