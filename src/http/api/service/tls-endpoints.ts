import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { isPrivate } from '../../../lib/public-address.ts';
import { publicOperation } from '../../operation/operation.ts';
import { nameOf } from '../../request/hosts.ts';
import { queryValues } from '../../request/query-values.ts';
import { noSuchPath, unavailable } from '../../response/errors.ts';

/** Headers that a proxy adds to a request of another client, or passes on with it. */
const PROXIED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const;

/** A name that is used only on this machine or in its network: a private address, or one label (localhost, app). */
const isInsideName = (name: string): boolean => isPrivate(name.replace(/^\[|\]$/g, '')) || /^[a-z0-9_-]+$/.test(name);

/**
 * Returns whether a request is from this machine or its network: it has no public address and no public name, and no proxy
 * forwarded it.
 */
const isFromInside = ({ headers, socket }: IncomingMessage): boolean =>
  isPrivate(socket.remoteAddress ?? '') &&
  isInsideName(nameOf(headers.host ?? '')) &&
  !PROXIED.some((name) => headers[name] !== undefined);

/** For a proxy that needs to know whether to get a certificate for a host, such as Caddy with on_demand_tls. */
export const tlsOperation = publicOperation('GET', '/internal/tls', 'askForTls', {
  isPolled: true,
  summary: 'Whether a host is served',
  description:
    "200 for the API's host, that of a live deployment and its proven domains, given as `domain`. Any other domain, and any request from " +
    'outside, is answered as a path that does not exist.',
  isHidden: true,
  before(request, _response, next) {
    if (!isFromInside(request)) throw noSuchPath();
    next();
  },
  answer: { description: 'It is.', schema: z.strictObject({ status: z.literal('ok') }) },
  async handle(
    { url },
    _response,
    { requests: { hosts }, config, lifecycle: { isStarting }, pages: { cache: pages } },
  ) {
    const { domain } = queryValues(url, ['domain']);
    if (typeof domain !== 'string') throw noSuchPath();
    const slug = hosts.slugOf(domain);
    const isApi = nameOf(domain) === new URL(config.baseUrl).hostname;
    if (slug === undefined && !isApi && isStarting()) throw unavailable('The service is starting: try again shortly.');
    const isServed = slug === undefined ? isApi : slug !== null && (await pages.get(slug)) !== undefined;
    if (!isServed) throw noSuchPath();
    return { status: 'ok' as const };
  },
});
