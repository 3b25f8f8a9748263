import createOpenApiClient, {
  defaultBodySerializer,
  defaultPathSerializer,
  type Client as OpenApiClient,
} from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

/** All types of answers but those that a client has to ask for: errors have one shape. */
type Media = `application/${'json' | 'octet-stream' | 'x-ndjson' | `vnd.${string}`}` | `text/${string}` | '*/*';

/** The service's API, with the types of its reference: a path or a field that changes does not compile here. */
export type Client = OpenApiClient<paths, Media>;

/** The answers of the API, by the names of the reference. */
export type Schemas = components['schemas'];

type ServiceAccess = {
  /** The service's `BASE_URL`. */
  url: string;
  /** An API key. `fetch` may send other credentials. */
  key?: string | undefined;
  /** Sends each request. */
  fetch?: (request: Request) => Promise<Response>;
};

/** Its type leaves out the headers, by which it tells a form from JSON. */
const serializeFields: (body: unknown, ...headers: unknown[]) => unknown = defaultBodySerializer;

/** A text is a page, and bytes are a page, a zip or a file: they are sent as they are. */
const serialize: typeof serializeFields = (body, ...headers) =>
  typeof body === 'string' || body instanceof Blob || body instanceof Uint8Array
    ? body
    : serializeFields(body, ...headers);

/** A client of the API: for programs of users, the command line and the dashboard. */
export const createFormhost = ({ url, key, fetch = globalThis.fetch }: ServiceAccess): Client =>
  createOpenApiClient<paths, Media>({
    baseUrl: url,
    headers: { Authorization: key === undefined ? undefined : `Bearer ${key}` },
    // Many proxies refuse an escaped slash, which only paths of files have.
    pathSerializer: (path, values) => defaultPathSerializer(path, values).replaceAll('%2F', '/'),
    bodySerializer: serialize,
    fetch,
  });
