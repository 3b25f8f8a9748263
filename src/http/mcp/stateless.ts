import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Exchange } from './call-tool.ts';
import { badMessage, type MessageId, unknownMethod } from './message.ts';
import type { ToolSet } from './tool-set.ts';

/*
 * The Model Context Protocol since 2026-07-28. There is no initialization: each request has the version of the protocol and
 * the capabilities of the client in its `_meta`, and headers with what proxies read.
 */

export const STATELESS_VERSION = '2026-07-28';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SERVER = 'io.modelcontextprotocol/serverInfo';

/** The codes of the specification (Overview, Error Codes) and of JSON-RPC. */
const CODES = { headerMismatch: -32_020, unsupportedVersion: -32_022, unknownMethod: -32_601, wrongParams: -32_602 };

/** Tools change with the version of the service and with the scope of a key only. */
const CACHE_MS = 300_000;

type Request = { id: MessageId; method: string; params?: Readonly<Record<string, unknown>> | undefined };
type Fields = Readonly<Record<string, unknown>>;

const Meta = z.looseObject({ [CAPABILITIES]: z.record(z.string(), z.unknown()) });
const ToolCall = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const metaOf = (params: Request['params']): Fields => (isObject(params?._meta) ? params._meta : {});

/** Versions are dates, which are in order as texts. */
const isNewer = (version: string): boolean => version >= STATELESS_VERSION;

/**
 * Returns whether a request is of a version without initialization. The `_meta` says it; without a version there, the header
 * does. Clients of versions before begin with `initialize`, and name the version that they want there.
 */
export function isStateless({ method, params }: Omit<Request, 'id'>, headers: IncomingHttpHeaders): boolean {
  const { [VERSION]: claimed } = metaOf(params);
  if (claimed !== undefined) return typeof claimed !== 'string' || isNewer(claimed);
  return method !== 'initialize' && headers['mcp-protocol-version'] === STATELESS_VERSION;
}

/** Returns the value of a header; undefined for base64 that cannot be read (Streamable HTTP, Value Encoding). */
function decoded(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString() : undefined;
}

/** Throws 400 where a header is missing or is not what the body says: proxies have read the header. */
function checkHeader(headers: IncomingHttpHeaders, name: string, value: string, id: MessageId): void {
  const { [name.toLowerCase()]: sent } = headers;
  if (typeof sent === 'string' && decoded(sent) === value) return;
  throw badMessage(
    CODES.headerMismatch,
    `${name} is missing or differs from the body: send the value of the body.`,
    id,
  );
}

/** Throws 400 where a request is not as the protocol wants all of them. `versions`: those that the service speaks. */
function checkRequest(
  { id, method, params }: Request,
  headers: IncomingHttpHeaders,
  versions: readonly string[],
): void {
  const meta = metaOf(params);
  const { [VERSION]: version } = meta;
  if (typeof version !== 'string') {
    throw badMessage(CODES.wrongParams, `${VERSION} is missing in _meta: send the version of the protocol.`, id);
  }
  // A version that is not known may have other headers and another _meta.
  if (headers['mcp-protocol-version'] !== undefined) checkHeader(headers, 'MCP-Protocol-Version', version, id);
  if (version !== STATELESS_VERSION) {
    const message = `This version of the protocol is not supported: use one of ${versions.join(', ')}.`;
    throw badMessage(CODES.unsupportedVersion, message, id, { supported: versions, requested: version });
  }
  if (!Meta.safeParse(meta).success) {
    throw badMessage(CODES.wrongParams, `${CAPABILITIES} is missing in _meta: send an object, such as {}.`, id);
  }
  checkHeader(headers, 'MCP-Protocol-Version', version, id);
  checkHeader(headers, 'Mcp-Method', method, id);
  if (method === 'tools/call' && typeof params?.name === 'string') checkHeader(headers, 'Mcp-Name', params.name, id);
}

/** Answers the requests of versions without initialization. */
export class StatelessProtocol {
  readonly #tools: ToolSet;
  readonly #versions: readonly string[];
  readonly #server: { name: string };
  readonly #instructions: string;

  constructor(tools: ToolSet, versions: readonly string[], server: { name: string }, instructions: string) {
    this.#tools = tools;
    this.#versions = versions;
    this.#server = server;
    this.#instructions = instructions;
  }

  /** Returns the answer to a request as a JSON text. Throws 400, and 404 for a method that is not known. */
  async answer(request: Request, exchange: Exchange): Promise<string> {
    const { id, method, params } = request;
    checkRequest(request, exchange.request.headers, this.#versions);
    switch (method) {
      case 'server/discover':
        return this.#text(id, {
          ...{ supportedVersions: this.#versions, capabilities: { tools: {} }, instructions: this.#instructions },
          ...{ ttlMs: CACHE_MS, cacheScope: 'public' },
        });
      case 'tools/list':
        // The list is that of the key's scope.
        return this.#text(id, {
          tools: this.#tools.descriptorsFor(exchange),
          ...{ ttlMs: CACHE_MS, cacheScope: 'private' },
        });
      case 'tools/call':
        return this.#call(id, params, exchange);
      default:
        throw unknownMethod(CODES.unknownMethod, id);
    }
  }

  async #call(id: MessageId, params: Request['params'], exchange: Exchange): Promise<string> {
    const { data: call } = ToolCall.safeParse(params);
    if (!call) return errorText(id, 'The params are not those of the method: name is a string, arguments an object.');
    const called = await this.#tools.call(call.name, call.arguments, exchange);
    if (!called) return errorText(id, 'There is no such tool: tools/list has their names.');
    return this.#text(id, called.result, called.structured);
  }

  /** The text of an answer. `structured` is a JSON text as well: it stays as it was submitted. */
  #text(id: MessageId, result: object, structured?: string): string {
    const all = { resultType: 'complete', ...result, _meta: { [SERVER]: this.#server } };
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: all });
    return structured === undefined ? text : `${text.slice(0, -2)},"structuredContent":${structured}}}`;
  }
}

const errorText = (id: MessageId, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: CODES.wrongParams, message } });
