import { z } from 'zod';
import { publicOperation } from '../../operation/operation.ts';

const API_CATALOG = '/.well-known/api-catalog';

const PROFILE = 'https://www.rfc-editor.org/info/rfc9727';
const TYPE = 'application/linkset+json';
/** How clients find the catalog themselves (RFC 9727, 3). */
const LINK = `<${API_CATALOG}>; rel="api-catalog"`;

const Target = z.strictObject({ href: z.url(), type: z.string().optional(), title: z.string().optional() });
const Linkset = z.strictObject({
  linkset: z.array(
    z.strictObject({
      anchor: z.url().meta({ description: 'The API, or one that it also offers.' }),
      'service-desc': z.array(Target).optional(),
      'service-doc': z.array(Target).optional(),
      'service-meta': z.array(Target).optional(),
      status: z.array(Target).optional(),
    }),
  ),
});

const catalogOf = (baseUrl: string): z.infer<typeof Linkset> => ({
  linkset: [
    {
      anchor: baseUrl,
      'service-desc': [{ href: `${baseUrl}/openapi.json`, type: 'application/json' }],
      'service-doc': [
        { href: `${baseUrl}/docs`, type: 'text/html' },
        { href: `${baseUrl}/docs`, type: 'text/markdown', title: 'Guides' },
        { href: `${baseUrl}/llms.txt`, type: 'text/plain' },
        { href: `${baseUrl}/skill.md`, type: 'text/markdown' },
      ],
      status: [{ href: `${baseUrl}/readyz`, type: 'application/json' }],
    },
    {
      anchor: `${baseUrl}/mcp`,
      'service-doc': [
        { href: `${baseUrl}/llms.txt`, type: 'text/plain', title: 'Tools over the Model Context Protocol' },
      ],
    },
  ],
});

/** The links of RFC 9727, by which programs that know the host find the API. */
export const apiCatalogOperation = publicOperation('GET', API_CATALOG, 'getApiCatalog', {
  summary: 'Get the list of APIs of this service (RFC 9727)',
  description: 'Links as a linkset of RFC 9264, to the reference, to `/llms.txt` and to `/readyz`.',
  answer: {
    description: 'The links.',
    type: TYPE,
    headers: { Link: { description: 'To the catalog itself.', schema: { const: LINK } } },
    schema: Linkset,
    example: catalogOf('https://forms.example.org'),
  },
  async handle(_request, response, { config: { baseUrl } }) {
    response
      .set({ 'Content-Type': `${TYPE}; profile="${PROFILE}"`, Link: LINK, 'Cache-Control': 'public, max-age=3600' })
      .send(Buffer.from(JSON.stringify(catalogOf(baseUrl))));
  },
});
