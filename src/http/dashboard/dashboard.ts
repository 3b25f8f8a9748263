import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { z } from 'zod';
import { pageUrl } from '../../config.ts';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import type { App } from '../app.ts';
import type { EndpointRequest } from '../request/declaration.ts';
import { publicEndpoint } from '../request/endpoint.ts';
import { pathOf } from '../request/hosts.ts';
import { chooseEncoding } from '../response/accept.ts';
import { errorKind, HttpError } from '../response/errors.ts';
import { type Dashboard, readDashboard } from './files.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const NOSNIFF = { 'X-Content-Type-Options': 'nosniff' } as const;

/** The endpoint by which the dashboard knows whether anybody is signed in. */
const WHO_IS_SIGNED_IN = '/me';

const VIEWS = Object.values(VIEW_PATHS).map((path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));

const notBuilt = errorKind(
  { id: 'DashboardNotBuilt', description: 'The service runs from its sources, without a build of the dashboard.' },
  () => new HttpError(404, 'The dashboard is not built: start the service with npm start.'),
);
const noSuchAsset = errorKind(
  { id: 'NoSuchAsset', description: 'This build of the dashboard has no such file.' },
  () => new HttpError(404, 'This file is not part of the dashboard: load the page again.'),
);

/** `frameSource`: the hosts of all pages, as a source of a Content-Security-Policy. */
const headersOf = (frameSource: string) => ({
  ...NOSNIFF,
  // Pages are shown in frames, from their own hosts.
  'Content-Security-Policy': `default-src 'self'; frame-src ${frameSource}; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'private, no-cache',
});

/** The dashboard's files. Its views are made in the browser: src/dashboard. */
export function dashboardEndpoints({ config, sessionCookie }: App) {
  const headers = headersOf(pageUrl(config, '*'));
  let reading: Promise<Dashboard | undefined> | undefined;

  /** They are read at the first request, and don't change while the process runs. */
  async function files(): Promise<Dashboard> {
    reading ??= readDashboard();
    const dashboard = await reading;
    if (dashboard) return dashboard;
    reading = undefined;
    throw notBuilt();
  }

  /**
   * Whether this browser is certainly not signed in, and need not ask. A navigation from another site brings no cookie
   * that is SameSite=Strict.
   */
  const isSignedOut = ({ headers: { cookie = '', 'sec-fetch-site': site } }: IncomingMessage): boolean =>
    !cookie.includes(`${sessionCookie.name}=`) && (site === 'none' || site === 'same-origin');

  async function sendShell(response: Response): Promise<void> {
    const { shell } = await files();
    const session = isSignedOut(response.req) ? 'none' : 'unknown';
    const body = shell.replace('{{SESSION}}', session).replace('{{MAIL}}', config.smtpUrl === undefined ? 'off' : 'on');
    const isView = VIEWS.some((pattern) => pattern.test(pathOf(response.req)));
    response
      .status(isView ? 200 : 404)
      .type('html')
      .set({ ...headers, ETag: `"${createHash('sha256').update(body).digest('base64url')}"` })
      // What another host has set does not decide who is signed in.
      .append('Set-Cookie', sessionCookie.removeOthers(WHO_IS_SIGNED_IN))
      .send(body);
  }

  const shell = {
    method: 'GET',
    tag: 'Service',
    summary: 'Open the dashboard',
    isHidden: true,
    answer: {
      status: 200,
      description: 'A page for a browser, the same for every view.',
      type: 'text/html',
      schema: z.string(),
      example: '<!doctype html>',
    },
    errors: [notBuilt],
    handle: () => sendShell,
  } as const;

  return {
    start: publicEndpoint({ ...shell, path: '/dashboard', name: 'getDashboard' }),

    /** An address that no view has gets the shell too, as a 404: the browser says so. */
    view: publicEndpoint({ ...shell, path: '/dashboard/*view', name: 'getDashboardView' }),

    asset: publicEndpoint({
      method: 'GET',
      path: '/dashboard/assets/:asset',
      name: 'getDashboardAsset',
      tag: 'Service',
      summary: 'Get a file of the dashboard',
      isHidden: true,
      answer: {
        status: 200,
        description: 'A script, a style sheet or an icon. Its name changes with its content.',
        type: '*/*',
        schema: z.string(),
        example: '',
      },
      errors: [noSuchAsset],
      handle: async ({ params }: EndpointRequest) => {
        const asset = (await files()).assets.get(params.asset ?? '');
        if (!asset) throw noSuchAsset();
        return (response) => {
          const encoding = chooseEncoding(response.req);
          response.type(asset.type).vary('Accept-Encoding');
          response.set({ ...NOSNIFF, 'Cache-Control': IMMUTABLE, 'Cross-Origin-Resource-Policy': 'same-origin' });
          if (encoding !== 'identity') response.set('Content-Encoding', encoding);
          response.send(asset.bodies[encoding]);
        };
      },
    }),
  };
}
