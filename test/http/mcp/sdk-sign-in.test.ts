import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  UnauthorizedError as NewUnauthorizedError,
} from '@modelcontextprotocol/client';
import { type OAuthDiscoveryState, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { afterAll, describe, expect, it } from 'vitest';
import { allowAsked, REDIRECT_URI } from '../../support/allow-program.ts';
import { makeCertificate, startReceiver } from '../../support/receivers.ts';
import { type Owner, testService } from '../../support/test-service.ts';

/*
 * The clients of the MCP SDK, which know the address of the tools alone: from the 401 to a call, and to the next tokens.
 */

/** Clients send codes by https alone. */
const BASE_URL = 'https://api.test';
const service = await testService({ BASE_URL, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });

/** Requests to the address that the service has by its settings reach the port that it listens on. */
const toService = (url: string | URL, init?: RequestInit): Promise<Response> =>
  fetch(String(url).replace(BASE_URL, service.url), init);

/** The host of the metadata document. The service reads it with TLS, as from any other. */
const certificate = makeCertificate(['127.0.0.1']);
const trusted = getCACertificates('default');
setDefaultCACertificates([...trusted, certificate.cert]);
afterAll(() => setDefaultCACertificates(trusted));
const documents = await startReceiver(
  (response, { path }) =>
    void response.setHeader('Content-Type', 'application/json').end(
      JSON.stringify({
        ...{ client_id: documents.url + path, client_name: 'Documented', redirect_uris: [REDIRECT_URI] },
        token_endpoint_auth_method: 'none',
      }),
    ),
  { certificate },
);

/** What a program keeps between its requests. */
class KeptProgram {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = {
    ...{ client_name: 'Registered', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  };
  readonly clientMetadataUrl?: string;
  client: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  asked = new URL(BASE_URL);
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state(): string {
    return 'a state';
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
  invalidateCredentials(): void {
    this.kept = undefined;
  }
}

type Connection = {
  connect(): Promise<void>;
  finish(answer: URLSearchParams): Promise<void>;
  whoami(): Promise<unknown>;
};

const MCP = new URL('/mcp', BASE_URL);
const SDKS: Readonly<Record<string, (program: KeptProgram) => Connection>> = {
  'version 1'(program) {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(MCP, { authProvider: program, fetch: toService });
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
      whoami: async () => (await client.callTool({ name: 'whoami', arguments: {} })).structuredContent,
    };
  },
  'version 2'(program) {
    const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new NewTransport(MCP, { authProvider: program, fetch: toService });
    return {
      connect: () => client.connect(transport),
      // It compares `iss` (RFC 9207).
      finish: (answer) => transport.finishAuth(answer),
      whoami: async () => (await client.callTool({ name: 'whoami', arguments: {} })).structuredContent,
    };
  },
};

/** The person opens the address in a browser that is signed in, and allows the program. Returns the answer to it. */
async function allowInBrowser(owner: Owner, asked: URL): Promise<URLSearchParams> {
  expect(asked.origin + asked.pathname).toBe(`${BASE_URL}/oauth/authorize`);
  const { headers } = await service.anonymous.get(asked.pathname + asked.search).redirects(0);
  const view = new URL(headers.location ?? '', BASE_URL);
  expect(view.pathname).toBe('/dashboard/allow');
  return allowAsked(service, owner, view.search.slice(1));
}

describe.each(Object.entries(SDKS))("the SDK's client of %s", (_version, make) => {
  const REFUSED = expect.toSatisfy(
    (error) => error instanceof UnauthorizedError || error instanceof NewUnauthorizedError,
  );

  it.each([
    ['registers itself', undefined, 'Registered'],
    ['names its metadata document', `${documents.url}/client.json`, 'Documented'],
  ])('%s, is allowed, calls tools, and renews its tokens', async (_way, metadataUrl, name) => {
    const owner = await service.owner();
    const program = new KeptProgram(metadataUrl);
    const asking = make(program);
    await expect(asking.connect()).rejects.toEqual(REFUSED);
    const sent = Object.fromEntries(program.asked.searchParams);
    expect(sent).toMatchObject({ resource: MCP.href, code_challenge_method: 'S256', state: 'a state' });
    if (metadataUrl !== undefined) expect(sent.client_id).toBe(metadataUrl);
    const answer = await allowInBrowser(owner, program.asked);
    expect(answer.get('state')).toBe('a state');
    await asking.finish(answer);

    const connection = make(program);
    await connection.connect();
    const { email } = (await owner.get('/me')).body;
    expect(await connection.whoami()).toMatchObject({ email });
    const { grants } = (await owner.get('/grants')).body;
    expect(grants).toEqual([expect.objectContaining({ client: name, scope: 'full' })]);

    const before = program.kept;
    await service.db.raw('UPDATE access_tokens SET expires_at = now()');
    expect(await connection.whoami()).toMatchObject({ email });
    expect(program.kept?.access_token).not.toBe(before?.access_token);
    expect(program.kept?.refresh_token).not.toBe(before?.refresh_token);

    await owner.delete(`/grants/${grants[0].id}`).expect(200);
    program.asked = new URL(BASE_URL);
    await expect(connection.whoami()).rejects.toEqual(REFUSED);
    expect(program.asked.pathname).toBe('/oauth/authorize');
  });
});
