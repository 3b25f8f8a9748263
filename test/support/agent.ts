import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';
import type { z } from 'zod';
import { atEnd } from './at-end.ts';

type Result = z.infer<typeof CallToolResultSchema>;
type Arguments = Record<string, unknown>;

export const textsOf = ({ content }: Result): string[] =>
  content.map((block) => (block.type === 'text' ? block.text : ''));

/** An agent with a key, which speaks through the SDK's own client, as it is after `initialize`. */
export async function startAgent(url: string, key: string) {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  atEnd(() => client.close());

  const call = async (name: string, args: Arguments = {}): Promise<Result> =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
  return {
    client,
    call,
    /** The answer of a call that succeeds: of any type, as JSON.parse returns it. */
    async answerOf(name: string, args?: Arguments) {
      const result = await call(name, args);
      expect(result).toEqual({ content: expect.any(Array), structuredContent: expect.any(Object) });
      return JSON.parse(JSON.stringify(result.structuredContent));
    },
    /** The answer of a call that fails. */
    async errorOf(name: string, args?: Arguments): Promise<string> {
      const result = await call(name, args);
      expect(result).toEqual({ content: [{ type: 'text', text: expect.any(String) }], isError: true });
      return textsOf(result).join();
    },
  };
}
