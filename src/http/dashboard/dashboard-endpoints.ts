import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { z } from 'zod';
import { pageUrl } from '../../config.ts';
import { CLAIM_PATH, VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { fill } from '../../texts/fill.ts';
import type { App } from '../app.ts';
import { perService } from '../operation/declaration.ts';
import { pageAnswer, publicOperation } from '../operation/operation.ts';
import { pathOf } from '../request/hosts.ts';
import { translationsOfPerson } from '../request/person-language.ts';
import { namesHtml, namesProblem } from '../response/accept.ts';
import { errorKind, HttpError, noSuchPath } from '../response/errors.ts';
import { DashboardFiles, notBuilt } from './dashboard-files.ts';

const VIEWS = [...Object.values(VIEW_PATHS), CLAIM_PATH].map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
);

const noSuchAsset = errorKind(
  { id: 'NoSuchAsset', description: 'This build of the dashboard has no such file.' },
  () => new HttpError(404, 'This file is not part of the dashboard: load the page again.'),
);

/** `frameSource`: the hosts of all pages, as a source of a Content-Security-Policy. */
const headersOf = (frameSource: string) => ({
  'X-Content-Type-Options': 'nosniff',
  // Pages are shown in frames, from their own hosts; those that are not published yet, from files of the dashboard.
  'Content-Security-Policy': `default-src 'self'; frame-src 'self' ${frameSource}; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'private, no-cache',
});

/**
 * Returns whether this browser is certainly not signed in, so that it need not ask. A navigation from another site brings no
 * cookie that is SameSite=Strict.
 */
const isSignedOut = (
  { headers: { cookie = '', 'sec-fetch-site': site } }: IncomingMessage,
  { requests: { sessionCookie } }: App,
): boolean => !cookie.includes(`${sessionCookie.name}=`) && (site === 'none' || site === 'same-origin');

const filesOf = perService(() => new DashboardFiles());

/** A program that asks in a window of its own hears of the answer through it (`window.opener`), which this header would cut off. */
const openerPolicyOf = (path: string): string => (path === VIEW_PATHS.allow ? 'unsafe-none' : 'same-origin');

async function sendShell(response: Response, app: App): Promise<void> {
  const isView = VIEWS.some((pattern) => pattern.test(pathOf(response.req)));
  const { headers } = response.req;
  if (!isView && (!namesHtml(headers) || namesProblem(headers))) throw noSuchPath();
  const { config } = app;
  const { shell, texts } = await filesOf(app).read();
  const { language, dir, notLoaded, withoutScript } = translationsOfPerson(headers);
  const link = `<a href="/docs">${withoutScript.reference}</a>`;
  const session = isSignedOut(response.req, app) ? 'none' : 'unknown';
  const body = shell
    .replace('lang="en" dir="ltr"', `lang="${language}" dir="${dir}"`)
    .replace('{{TEXTS}}', `/dashboard/${texts.get(language)}`)
    .replace('{{NOT_LOADED}}', notLoaded.text)
    .replace('{{LOAD_AGAIN}}', `<a href="">${notLoaded.again}</a>`)
    .replace('{{WITHOUT_SCRIPT}}', fill(withoutScript.text, { link }))
    .replace('{{SESSION}}', session)
    .replace('{{MAIL}}', config.smtpUrl === undefined ? 'off' : 'on')
    .replace('{{SIGN_UP}}', config.signUp)
    .replace('{{OIDC}}', config.oidc === undefined ? 'off' : 'on')
    .replace('{{PAGES}}', config.pagesDomain);
  response
    .status(isView ? 200 : 404)
    .type('html')
    .set({
      ...headersOf(pageUrl(config, '*')),
      'Content-Language': language,
      Vary: 'Accept-Language, Cookie',
      'Cross-Origin-Opener-Policy': openerPolicyOf(pathOf(response.req)),
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    })
    .send(body);
}

/** A browser gets the shell as a 404 at an address that no view has: it says so. */
const shellOperation = (path: string, name: string) =>
  publicOperation('GET', path, name, {
    summary: 'Open the dashboard',
    isHidden: true,
    answer: pageAnswer('A page for a browser, the same for every view.'),
    errors: [notBuilt],
    handle: (_request, response, app) => sendShell(response, app),
  });

const claimOperation = publicOperation('GET', CLAIM_PATH, 'getClaimView', {
  summary: 'Open the page on which a person claims a page',
  description:
    'The `claim_url` of a page that was published without a key. It leads through signing in to a button that claims the page. With ' +
    'ANONYMOUS_HOURS=0 it is a 404.',
  isHidden: true,
  answer: pageAnswer('A page for a browser.'),
  errors: [notBuilt],
  async handle(_request, response, app) {
    if (app.config.anonymousHours === 0) throw noSuchPath();
    await sendShell(response, app);
  },
});

const assetOperation = publicOperation('GET', '/dashboard/assets/:asset', 'getDashboardAsset', {
  summary: 'Get a file of the dashboard',
  isHidden: true,
  answer: {
    description: 'A script, a style sheet or an icon. Its name changes with its content.',
    type: '*/*',
    schema: z.string(),
    example: '',
  },
  errors: [noSuchAsset],
  async handle({ params: { asset: name = '' } }, response, app) {
    const asset = (await filesOf(app).read()).assets.get(name);
    if (!asset) throw noSuchAsset();
    await asset.send(response);
  },
});

/** The dashboard's files. Its views are made in the browser: src/dashboard. */
export const dashboardOperations = [
  shellOperation('/dashboard', 'getDashboard'),
  shellOperation('/dashboard/*view', 'getDashboardView'),
  claimOperation,
  assetOperation,
];
