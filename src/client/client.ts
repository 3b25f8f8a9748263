import createOpenApiClient, { type Client as OpenApiClient } from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

/** The service's API, with the types of its reference: a path or a field that changes does not compile here. */
export type Client = OpenApiClient<paths>;

/** What the API answers, by the names of the reference. */
export type Schemas = components['schemas'];

export const createClient = (options: {
  baseUrl: string;
  headers?: Record<string, string>;
  fetch: (request: Request) => Promise<Response>;
}): Client => createOpenApiClient<paths>(options);
