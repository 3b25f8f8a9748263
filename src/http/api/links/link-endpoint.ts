import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Limits } from '../../../limits.ts';
import type { EndpointRequest } from '../../request/declaration.ts';
import { pageAnswer } from '../../request/endpoint.ts';
import { type LinkPage, writeLinkPage } from '../../response/link-page.ts';

/** What all links in mails have that open a page of the service. */
export const linkEndpoint = { tag: 'Links', errorPageTitle: 'This link cannot be opened' } as const;

/** The page that asks, and whose button posts to the same address. */
export const askPage = {
  method: 'GET',
  description: 'A page with a button. It changes nothing: software that checks the links of mails opens it as well.',
  answer: pageAnswer('A page with a button, which posts to the same address.'),
} as const;

/** The parameters in the query of a link that expires. */
export const ExpiringLink = z.object({
  expires: z.string().meta({ description: 'Until when it works, in seconds since 1970.', example: '1795968000' }),
  signature: z.string().meta({
    description: 'A signature of the ids and of `expires`.',
    example: 'KtuzOmS1nxRCbGFkHD0HuT2ZVbZ9O3bNqRzu3kXkzUs',
  }),
});

/** Shows a page of what a link leads to; throws `noSuchLink` where that is undefined. */
export const showPage =
  <Found>(
    limits: Limits,
    noSuchLink: () => Error,
    find: (request: EndpointRequest) => Promise<Found | undefined>,
    pageOf: (found: Found) => LinkPage,
  ) =>
  (request: EndpointRequest) =>
  async (response: ServerResponse): Promise<void> => {
    const found = await find(request);
    if (found === undefined) throw noSuchLink();
    writeLinkPage(response, 200, pageOf(found), limits);
  };
