import type { Response } from 'express';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';

const { max, seconds } = SIZES.unknownKeys;

export const tooManyUnknownLinks = errorKind(
  {
    id: 'TooManyUnknownLinks',
    description: `One network has tried more than ${max} unknown links in ${seconds} seconds. A link that works is never refused for that reason.`,
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(
      429,
      `Too many links that lead nowhere were opened: try again in ${inSeconds(leftMs)}.`,
      retryAfter(leftMs),
    ),
  seconds * 1_000,
);

const unknownLinksOf = perService(
  () => new RateLimit({ name: 'unknown-links', ...SIZES.unknownKeys, refusal: tooManyUnknownLinks }),
);

type Opened = { request: EndpointRequest; response: Response };

/**
 * Returns what `find` finds by the secret of a link. Where there is nothing, throws the link's error, or 429 where the network of the
 * request has tried too many such links.
 */
export async function foundByLink<Found>(
  app: App,
  { request, response }: Opened,
  { find, noSuchLink }: { find(): Promise<Found | undefined>; noSuchLink(): Error },
): Promise<Found> {
  // Before the first await: a socket that has closed has no address.
  const network = networkOf(app.requests.clientAddress(request));
  const found = await find();
  if (found !== undefined) return found;
  await unknownLinksOf(app).count(network, { request, response });
  throw noSuchLink();
}
