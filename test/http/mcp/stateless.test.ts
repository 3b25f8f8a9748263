import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../../src/lib/project.ts';
import { aSentence, failure } from '../../support/answers.ts';
import { BASE_URL, JSON_TYPE, testService } from '../../support/test-service.ts';

/*
 * POST /mcp as the specification of 2026-07-28 has it: no initialization, each request for itself.
 */

const STATELESS = '2026-07-28';
const VERSIONS = [STATELESS, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
const NAMES = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
};

const service = await testService();
const owner = await service.owner();

const meta = { [NAMES.version]: STATELESS, [NAMES.client]: { name: 'test', version: '1' }, [NAMES.capabilities]: {} };

type Headers = Record<string, string | undefined>;
type Message = { method: string; params?: Record<string, unknown> };

/** Sends a message with the headers that belong to it. Others replace them, and one that is undefined is left out. */
async function post({ method, params }: Message, others: Headers = {}, key = owner.key) {
  const name = params?.name;
  const headers: Headers = {
    ...{ Authorization: `Bearer ${key}`, Accept: 'application/json, text/event-stream', ...JSON_TYPE },
    ...{ 'MCP-Protocol-Version': STATELESS, 'Mcp-Method': method },
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
    ...others,
  };
  const sent = Object.entries(headers).flatMap(([header, value]) => (value === undefined ? [] : [[header, value]]));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'one', method, params: { _meta: meta, ...params } });
  const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers: Object.fromEntries(sent), body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const server = { name: 'formhost', title: 'formhost', version: VERSION, websiteUrl: BASE_URL };
const result = (of: object) => ({
  status: 200,
  body: {
    ...{ jsonrpc: '2.0', id: 'one' },
    result: { resultType: 'complete', ...of, _meta: { 'io.modelcontextprotocol/serverInfo': server } },
  },
});
const error = (status: number, code: number, data?: object) => ({
  status,
  body: { jsonrpc: '2.0', id: 'one', error: { code, message: aSentence, ...(data && { data }) } },
});

const LIST: Message = { method: 'tools/list' };
const PAGES: Message = { method: 'tools/call', params: { name: 'list_pages', arguments: {} } };
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('a request of 2026-07-28', () => {
  it('discovers the versions, the capabilities and the instructions', async () => {
    expect(await post({ method: 'server/discover' })).toEqual(
      result({
        ...{
          supportedVersions: VERSIONS,
          capabilities: { tools: {} },
          instructions: expect.stringContaining('/llms.txt'),
        },
        ...{ ttlMs: 300_000, cacheScope: 'public' },
      }),
    );
  });

  it('lists the tools of the scope of its key, which no shared cache may keep', async () => {
    const list = async (key?: string) => {
      const listed = await post(LIST, {}, key);
      expect(listed).toEqual(result({ tools: expect.any(Array), ttlMs: 300_000, cacheScope: 'private' }));
      return listed.body.result.tools.map(({ name }: { name: string }) => name);
    };
    expect(await list()).toEqual(expect.arrayContaining(['publish_page', 'list_pages']));
    const { body: reader } = await owner.post('/keys').send({ name: 'reader', scope: 'read' }).expect(201);
    const ofReader = await list(reader.key);
    expect(ofReader).toContain('list_pages');
    expect(ofReader).not.toContain('publish_page');
  });

  it('calls a tool, without what came before', async () => {
    const text = expect.stringMatching(/^\{.*\}$/);
    const called = await post(PAGES);
    const structuredContent = JSON.parse(called.body.result.content[0].text);
    expect(called).toEqual(result({ content: [{ type: 'text', text }], structuredContent }));
    expect(structuredContent).toMatchObject({ deployments: [], total: 0 });
    const failing = { method: 'tools/call', params: { name: 'get_page', arguments: { id: 'dep_none' } } };
    expect(await post(failing)).toEqual(result({ content: [{ type: 'text', text: aSentence }], isError: true }));
  });

  it.each([{ task: { ttl: 1 } }, { inputResponses: {}, requestState: 'x' }, { unknown: [1] }])(
    'ignores parameters that the service does not use: %j',
    async (more) => {
      expect(await post({ ...PAGES, params: { ...PAGES.params, ...more } })).toEqual(await post(PAGES));
    },
  );

  it('takes a name in base64', async () => {
    expect(await post(PAGES, { 'Mcp-Name': base64('list_pages') })).toEqual(await post(PAGES));
  });

  it.each<[string, Message]>([
    ['no tool', { method: 'tools/call' }],
    ['a tool that there is not', { method: 'tools/call', params: { name: 'drop_table' } }],
    ['a tool of every object', { method: 'tools/call', params: { name: '__proto__' } }],
    ['arguments that are a list', { method: 'tools/call', params: { name: 'list_pages', arguments: [] } }],
    ['a name that is no text', { method: 'tools/call', params: { name: 7 } }],
  ])('answers %s with an error of JSON-RPC', async (_, message) => {
    expect(await post(message)).toEqual(error(200, -32_602));
  });

  it.each(['ping', 'resources/list', 'subscriptions/listen', 'constructor'])('answers 404 to %s', async (method) => {
    expect(await post({ method })).toEqual(error(404, -32_601));
  });

  it('answers 404 to an initialization, which is of versions before', async () => {
    expect(await post({ method: 'initialize' })).toEqual(error(404, -32_601));
  });

  it.each<[string, Message, Headers]>([
    ['no version', LIST, { 'MCP-Protocol-Version': undefined }],
    ['another version', LIST, { 'MCP-Protocol-Version': '2025-11-25' }],
    ['no method', LIST, { 'Mcp-Method': undefined }],
    ['another method', LIST, { 'Mcp-Method': 'tools/call' }],
    ['a method in other letters', LIST, { 'Mcp-Method': 'Tools/List' }],
    ['no name', PAGES, { 'Mcp-Name': undefined }],
    ['another name', PAGES, { 'Mcp-Name': 'get_page' }],
    ['another name in base64', PAGES, { 'Mcp-Name': base64('get_page') }],
    ['a name in bad base64', PAGES, { 'Mcp-Name': '=?base64?bGlzdF9wYWdlc*==?=' }],
  ])('is refused with a header of %s', async (_, message, headers) => {
    expect(await post(message, headers)).toEqual(error(400, -32_020));
  });

  it.each([undefined, '2025-11-25'])('needs the header of its own version, and not %s', async (version) => {
    expect(await post(PAGES, { 'MCP-Protocol-Version': version })).toEqual(error(400, -32_020));
  });

  it.each<[string, unknown]>([
    ['no metadata', undefined],
    ['metadata without a version', { [NAMES.capabilities]: {} }],
    ['a version that is no text', { ...meta, [NAMES.version]: 7 }],
    ['no capabilities', { ...meta, [NAMES.capabilities]: undefined }],
    ['capabilities that are a text', { ...meta, [NAMES.capabilities]: 'all' }],
  ])('is refused with %s', async (_, _meta) => {
    expect(await post({ ...LIST, params: { _meta } })).toEqual(error(400, -32_602));
  });

  it('hears which versions there are', async () => {
    const requested = '2099-01-01';
    const message = { ...LIST, params: { _meta: { [NAMES.version]: requested } } };
    const refused = error(400, -32_022, { supported: VERSIONS, requested });
    expect(await post(message, { 'MCP-Protocol-Version': requested })).toEqual(refused);
    expect(await post(message, { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined })).toEqual(refused);
    expect(await post(message)).toEqual(error(400, -32_020));
  });

  it('needs a key', async () => {
    expect(await post(LIST, { Authorization: undefined })).toEqual({ status: 401, body: failure });
  });
});

describe('a request of a version before', () => {
  it('keeps its answer, with metadata of its own', async () => {
    const message = { ...LIST, params: { _meta: { ...meta, [NAMES.version]: '2025-11-25' } } };
    const { status, body } = await post(message, { 'MCP-Protocol-Version': '2025-11-25' });
    expect([status, Object.keys(body.result)]).toEqual([200, ['tools']]);
  });

  it('may ask for 2026-07-28 by initialization, and gets the newest that has one', async () => {
    const params = { protocolVersion: STATELESS, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { status, body } = await post({ method: 'initialize', params: { ...params, _meta: {} } });
    expect([status, body.result.protocolVersion]).toEqual([200, '2025-11-25']);
  });
});

describe("the SDK's client", () => {
  async function connect(mode: 'auto' | 'legacy' | { pin: string }) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { Authorization: `Bearer ${owner.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }

  it.each<[string, 'auto' | 'legacy' | { pin: string }, string]>([
    ['that chooses the version', 'auto', STATELESS],
    ['of 2026-07-28 alone', { pin: STATELESS }, STATELESS],
    ['with initialization', 'legacy', '2025-11-25'],
  ])('%s publishes a page and reads a submission', async (name, mode, version) => {
    const client = await connect(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toEqual(server);
    expect(client.getInstructions()).toContain('publish_page');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('wait_for_submission');
    const html = '<form action="{{FORM_ACTION}}" method="post"><input name="n"></form>';
    const published = await client.callTool({ name: 'publish_page', arguments: { html } });
    const { id } = JSON.parse(JSON.stringify(published.structuredContent));
    await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ n: name }) });
    const read = await client.callTool({ name: 'list_submissions', arguments: { id } });
    expect(read.structuredContent).toMatchObject({ total: 1, submissions: [{ data: { n: name } }] });
  });

  it('gets the errors of tools, and those of the protocol', async () => {
    const client = await connect('auto');
    const failed = await client.callTool({ name: 'get_page', arguments: { id: 'dep_none' } });
    expect(failed).toMatchObject({ isError: true, content: [{ type: 'text', text: aSentence }] });
    await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });
});
