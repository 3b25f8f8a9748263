import { z } from 'zod';
import { SCOPES } from '../../../db/account/api-key-queries.ts';
import { ANY_ORIGIN_HEADER, publicOperation } from '../../operation/operation.ts';
import { MCP_PATH, RESOURCE_METADATA_PATH } from '../../request/oauth-resource.ts';
import { oauthCors, oauthPreflight } from './oauth-cors.ts';

const SERVER_PATH = '/.well-known/oauth-authorization-server';

const text = z.string();
const texts = z.array(text);

const ResourceMetadata = z.strictObject({
  resource: text,
  authorization_servers: texts,
  scopes_supported: texts,
  bearer_methods_supported: texts,
  resource_name: text,
  resource_documentation: text,
});
const ServerMetadata = z.strictObject({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text,
  revocation_endpoint: text,
  scopes_supported: texts,
  response_types_supported: texts,
  response_modes_supported: texts,
  grant_types_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  revocation_endpoint_auth_methods_supported: texts,
  code_challenge_methods_supported: texts,
  authorization_response_iss_parameter_supported: z.literal(true),
  client_id_metadata_document_supported: z.literal(true),
  service_documentation: text,
});

const resourceMetadata = (baseUrl: string, path: string): z.infer<typeof ResourceMetadata> => ({
  resource: baseUrl + path,
  authorization_servers: [baseUrl],
  scopes_supported: [...SCOPES],
  bearer_methods_supported: ['header'],
  resource_name: 'formhost',
  resource_documentation: `${baseUrl}/llms.txt`,
});

const serverMetadata = (baseUrl: string): z.infer<typeof ServerMetadata> => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  scopes_supported: [...SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${baseUrl}/docs`,
});

const EXAMPLE_URL = 'https://forms.example.org';
const CACHED = 'public, max-age=3600';

const resourceOperation = (path: '' | typeof MCP_PATH, name: string) =>
  publicOperation('GET', RESOURCE_METADATA_PATH + path, name, {
    summary: `Get where programs are allowed to use ${path === '' ? 'this API' : 'the tools for agents'} (RFC 9728)`,
    before: oauthCors('GET'),
    answer: {
      description: 'The addresses of the authorization server and of the resource, and the scopes.',
      headers: ANY_ORIGIN_HEADER,
      schema: ResourceMetadata,
      example: resourceMetadata(EXAMPLE_URL, path),
    },
    async handle(_request, response, { config: { baseUrl } }) {
      response.set('Cache-Control', CACHED);
      return resourceMetadata(baseUrl, path);
    },
  });

const serverOperation = publicOperation('GET', SERVER_PATH, 'getOAuthServer', {
  summary: 'Get how programs are allowed by owners (RFC 8414)',
  before: oauthCors('GET'),
  answer: {
    description: 'The addresses and abilities of the authorization server.',
    headers: ANY_ORIGIN_HEADER,
    schema: ServerMetadata,
    example: serverMetadata(EXAMPLE_URL),
  },
  async handle(_request, response, { config: { baseUrl } }) {
    response.set('Cache-Control', CACHED);
    return serverMetadata(baseUrl);
  },
});

/** How programs find out by themselves where owners allow them. */
export const oauthMetadataOperations = [
  ...[resourceOperation('', 'getOAuthResource'), oauthPreflight(RESOURCE_METADATA_PATH, 'oauthResourcePreflight')],
  ...[
    resourceOperation(MCP_PATH, 'getMcpOAuthResource'),
    oauthPreflight(RESOURCE_METADATA_PATH + MCP_PATH, 'mcpOAuthResourcePreflight'),
  ],
  ...[serverOperation, oauthPreflight(SERVER_PATH, 'oauthServerPreflight')],
];
