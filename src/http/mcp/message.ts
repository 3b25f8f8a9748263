import { z } from 'zod';
import { answerObject } from '../request/shared-fields.ts';
import { errorKind, HttpError } from '../response/errors.ts';

/** A part of a message as the reference shows it. protocol.ts checks it. */
const part = (shown: { type?: string | string[]; const?: string; description?: string }) =>
  z.unknown().optional().meta(shown);

/** The messages of JSON-RPC 2.0. */
export const Message = z.object({
  jsonrpc: part({ type: 'string', const: '2.0' }),
  id: part({ type: ['string', 'integer'], description: 'Of a request; a notification has none.' }),
  method: part({ type: 'string', description: 'Such as `initialize`, `tools/list` or `tools/call`.' }),
  params: part({ type: 'object', description: 'The parameters of the method.' }),
  result: part({ description: 'Of an answer. It is accepted, and not used.' }),
  error: part({ description: 'Of an answer. It is accepted, and not used.' }),
});

export const Answer = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).meta({ description: 'That of the request.' }),
    result: z.record(z.string(), z.unknown()).meta({ description: 'That of the method.' }).optional(),
    error: z.object({ code: z.int(), message: z.string() }).meta({ description: 'Instead of a result.' }).optional(),
  })
  .meta({ id: 'JsonRpcAnswer' });

/** The id of a request; null where it cannot be read. */
export type MessageId = string | number | null;

const Refusal = answerObject('JsonRpcError', {
  jsonrpc: z.literal('2.0'),
  error: z.strictObject({
    code: z.int(),
    message: z.string().meta({ description: 'A sentence that says what to do.' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'With a version that is not supported.' }).optional(),
  }),
  id: z.union([z.string(), z.int(), z.null()]).meta({ description: 'That of the request; null where it has none.' }),
});

/** The body of an answer that says why a message is refused. */
const refusalText = (error: { code: number; message: string; data?: object | undefined }, id: MessageId): string =>
  JSON.stringify({ jsonrpc: '2.0', error, id });

/** JSON-RPC 2.0, 5.1. */
export const PARSE_ERROR = -32_700;

/** A message that can't be answered, as the specification of MCP wants it (Transports, Sending Messages, 4). */
export const badMessage = errorKind(
  {
    id: 'BadMessage',
    description:
      'The body is no message of JSON-RPC 2.0, or a list of them, the version in `MCP-Protocol-Version` is not supported, or a header differs ' +
      'from the body.',
    schema: Refusal,
  },
  (code: number, message: string, id: MessageId = null, data?: object) =>
    new HttpError(400, message, {}, { body: refusalText({ code, message, data }, id) }),
  PARSE_ERROR,
  'The body is malformed: send a JSON object.',
);

const NO_METHOD = 'This method is not known: use server/discover, tools/list or tools/call.';

/** A method that is not known, since 2026-07-28 (Streamable HTTP, Protocol Version Header). */
export const unknownMethod = errorKind(
  { id: 'UnknownMethod', description: 'The method is not known, in a version since 2026-07-28.', schema: Refusal },
  (code: number, id: MessageId) =>
    new HttpError(404, NO_METHOD, {}, { body: refusalText({ code, message: NO_METHOD }, id) }),
  -32_601,
  1,
);
