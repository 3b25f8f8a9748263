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

const Refusal = answerObject('JsonRpcError', {
  jsonrpc: z.literal('2.0'),
  error: z.strictObject({
    code: z.int(),
    message: z.string().meta({ description: 'A sentence that says what to do.' }),
  }),
  id: z.null(),
});

/** JSON-RPC 2.0, 5.1. */
export const PARSE_ERROR = -32_700;

/** A message that can't be answered, as the specification of MCP wants it (Transports, Sending Messages, 4). */
export const badMessage = errorKind(
  {
    id: 'BadMessage',
    description:
      'The body is no message of JSON-RPC 2.0, or a list of them, or the version in `MCP-Protocol-Version` is not supported.',
    schema: Refusal,
  },
  (code: number, message: string) =>
    new HttpError(400, message, {}, { body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }) }),
  PARSE_ERROR,
  'The body is malformed: send a JSON object.',
);
