/** Where the metadata of a resource is (RFC 9728, 3.1): its path follows. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';
export const MCP_PATH = '/mcp';

/** The address of the metadata of the tools for agents. */
export const mcpMetadataUrl = (baseUrl: string): string => baseUrl + RESOURCE_METADATA_PATH + MCP_PATH;

/** Returns whether a resource indicator (RFC 8707) means this service. A token for one of its addresses opens both. */
export const isOwnResource = (resource: string, baseUrl: string): boolean =>
  [baseUrl, `${baseUrl}/`, baseUrl + MCP_PATH].includes(resource);
