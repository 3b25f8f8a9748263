import type { IncomingMessage } from 'node:http';
import { Router } from 'express';
import { isPrivate } from '../public-address.ts';
import { methodNotAllowed } from './errors.ts';
import { NO_SLUG, nameOf, type Place } from './hosts.ts';

/** What a proxy adds to a request of somebody else's, or hands on of it. */
const PROXIED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const;

/** A name that only this machine or its network knows: a private address, or one label (localhost, app). */
const isInsideName = (name: string): boolean => isPrivate(name.replace(/^\[|\]$/g, '')) || /^[a-z0-9_-]+$/.test(name);

/** Whether a request is a neighbour's own: not from a public address, not for a public name, not handed on by a proxy. */
const isFromInside = ({ headers, socket }: IncomingMessage): boolean =>
  isPrivate(socket.remoteAddress ?? '') &&
  isInsideName(nameOf(headers.host ?? '')) &&
  !PROXIED.some((name) => headers[name] !== undefined);

/**
 * `GET /internal/tls?domain=`: whether there is something to see at a host, so that a proxy in front may get a
 * certificate for it (Caddy's on_demand_tls asks in this way). 200 for the API's host and for that of a live deployment;
 * whatever else is asked, and whoever asks from outside, falls through to the 404 of a path that isn't there.
 */
export function tlsRouter({
  apiHost,
  placeOf,
  findPage,
}: {
  apiHost: string;
  placeOf(host: string): Place;
  /** What is live under a slug, from memory where it is there; undefined when nothing is. */
  findPage(slug: string): unknown;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/internal/tls')
    .all((request, _response, next) => (isFromInside(request) ? next() : next('router')))
    .get(async (request, response, next) => {
      const domains = new URLSearchParams(request.url.replace(/^[^?]*/, '')).getAll('domain');
      const [domain = ''] = domains;
      const place = placeOf(domain);
      const isServed =
        place === 'api'
          ? nameOf(domain) === apiHost
          : place.slug !== NO_SLUG && (await findPage(place.slug)) !== undefined;
      if (domains.length === 1 && isServed) response.json({ status: 'ok' });
      else next('router');
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}
