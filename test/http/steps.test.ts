import { brotliCompressSync } from 'node:zlib';
import express, { type ErrorRequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createLinks } from '../../src/db/account/link-secret.ts';
import { Listener } from '../../src/http/listener.ts';
import { PageCache } from '../../src/http/pages/page-cache.ts';
import { Authentication } from '../../src/http/request/auth.ts';
import { BodyReader } from '../../src/http/request/body.ts';
import { SessionCookie } from '../../src/http/request/session-cookie.ts';
import { ResponseWriter } from '../../src/http/response/response-writer.ts';
import { NO_LOOK } from '../../src/sites/page-look.ts';
import { Forms } from '../../src/submissions/live-forms.ts';
import { SubmissionStore } from '../../src/submissions/submission-store.ts';
import { type BareRequest, bareRequest } from '../support/bare-request.ts';
import { serve } from '../support/http-server.ts';
import { multipartBody } from '../support/multipart-body.ts';
import { idleApp } from '../support/test-app.ts';
import { testLimits } from '../support/test-limits.ts';
import { BASE_URL, PAGES_DOMAIN, testService, UNKNOWN_ID } from '../support/test-service.ts';

/* The steps of the listener, each mounted in Express, answer as they do without it. */

const service = await testService();
const owner = await service.owner();
const limits = testLimits();

/** The listener of a service with one page, at `shop`, whose form is that of `deploymentId`. */
function listenerFor(deploymentId: string): Listener {
  const { db } = service;
  const config = loadConfig({ BASE_URL, PAGES_DOMAIN, ABUSE_CONTACT: 'abuse@example.org' });
  const html = '<p>Hello</p>'.repeat(50);
  const rendered = { hash: 'one', bytes: html.length, br: brotliCompressSync(html) };
  const page = {
    version: 1,
    ownerId: 1,
    hasAltcha: false,
    hasFormTools: false,
    look: NO_LOOK,
    opening: undefined,
    expiresAt: null,
    isUnlisted: false,
    files: undefined,
    deploymentId,
    rendered,
  };
  const unused = () => Promise.reject(new Error('Not called.'));
  const pages = new PageCache(
    {
      read: async (slugs) => new Map(slugs.filter((slug) => slug === 'shop').map((slug) => [slug, page])),
      ...{ render: unused, makeFile: unused, canSend: () => true },
    },
    { maxBytes: 1_000_000, maxHtmlBytes: 1_000_000, limits },
  );
  const parts = { db, limits, bucket: undefined, storageLimits: new Map() };
  const clientAddress = () => '127.0.0.1';
  return new Listener(
    idleApp(config, {
      ...{ db, limits },
      pages: { cache: pages },
      submissions: {
        forms: new Forms(db, (slug) => `http://${slug}.test`),
        store: new SubmissionStore({ ...parts, wakeDispatcher: () => undefined, countBatch: () => undefined }),
        honeypotHits: { add: () => undefined },
        turnedAway: { add: () => undefined },
      },
      secrets: { links: createLinks(db, BASE_URL) },
      requests: {
        clientAddress,
        authentication: new Authentication(db, clientAddress, new SessionCookie(BASE_URL)),
        bodyReader: new BodyReader(1_000_000, { run: unused }, limits),
        responseWriter: new ResponseWriter({ largest: 1_000_000, limits }),
      },
      lifecycle: { readiness: async () => 'ready' },
    }),
  );
}

/** An Express app that has the steps, and a handler of its own before the last of them, which answers all that is left. */
function inExpress(listener: Listener): express.Express {
  const { steps } = listener;
  const app = express().disable('x-powered-by');
  app.use(...steps.slice(0, -1));
  app.get('/of-express', (_request, response) => void response.end('Express'));
  app.use(...steps.slice(-1));
  return app.use(((error, request, _response, _next) => listener.fail(error, request)) satisfies ErrorRequestHandler);
}

const { id } = await owner.deploy({ slug: 'shop' });
const listener = listenerFor(id);

const ON_PAGE = { Host: `shop.${PAGES_DOMAIN}` };
const OTHER_PAGE = { Host: `nothing.${PAGES_DOMAIN}` };
const API = { Host: 'api.test' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };
const BROWSER = { Accept: 'text/html' };
const FILE = multipartBody(['name="a"', '1'], ['name="f"; filename="a.txt"', 'text']);

const get = (path: string, headers: Record<string, string>, method = 'GET') => [path, { method, headers }] as const;
const post = (path: string, headers: Record<string, string>, body: string | Buffer) =>
  [path, { method: 'POST', headers, body }] as const;

const REQUESTS: Record<string, [status: number, readonly [path: string, request: BareRequest]]> = {
  'a page': [200, get('/', ON_PAGE)],
  'a page with its query': [200, get('/?a=%20', ON_PAGE)],
  'a page, compressed': [200, get('/', { ...ON_PAGE, 'Accept-Encoding': 'br' })],
  'the head of a page': [200, get('/', ON_PAGE, 'HEAD')],
  'a page with another method': [405, get('/', ON_PAGE, 'DELETE')],
  'another path of a page': [404, get('/other', ON_PAGE)],
  'no page': [404, get('/', OTHER_PAGE)],
  'the icon of a page': [204, get('/favicon.ico', ON_PAGE)],
  'the script of a service worker': [200, get('/sw.js', { ...ON_PAGE, 'Service-Worker': 'script' })],
  thanks: [200, get('/thanks', ON_PAGE)],
  'a form that is posted to its page': [303, post('/', { ...ON_PAGE, ...FORM, ...BROWSER }, 'a=1')],
  'JSON that is posted to a page': [200, post('/', { ...ON_PAGE, ...JSON_BODY }, '{"a":1}')],
  'a form that is posted to no page': [404, post('/', { ...OTHER_PAGE, ...FORM, ...BROWSER }, 'a=1')],
  'a form that is posted to another path': [404, post('/other', { ...ON_PAGE, ...FORM }, 'a=1')],
  'JSON to a form': [200, post(`/submit/${id}`, { ...API, ...JSON_BODY }, '{"a":1}')],
  'an id that is percent-encoded': [200, post(`/submit/%64${id.slice(1)}`, { ...API, ...JSON_BODY }, '{"a":1}')],
  'a form of a browser': [303, post(`/submit/${id}`, { ...API, ...FORM, ...BROWSER }, 'a=1')],
  'a form with a file': [
    200,
    post(`/submit/${id}`, { ...API, 'Content-Type': 'multipart/form-data; boundary=b' }, FILE),
  ],
  'a honeypot': [200, post(`/submit/${id}`, { ...API, ...FORM }, '_hp=x')],
  'JSON that is malformed': [400, post(`/submit/${id}`, { ...API, ...JSON_BODY }, '{')],
  'another type': [415, post(`/submit/${id}`, { ...API, 'Content-Type': 'text/plain' }, 'a')],
  'no form': [404, post(`/submit/${UNKNOWN_ID}`, { ...API, ...FORM }, 'a=1')],
  'no form, in a browser': [404, post(`/submit/${UNKNOWN_ID}`, { ...API, ...FORM, ...BROWSER }, 'a=1')],
  'no form, as a problem': [
    404,
    post(`/submit/${UNKNOWN_ID}`, { ...API, ...FORM, Accept: 'application/problem+json' }, 'a=1'),
  ],
  'a form without a method': [405, get(`/submit/${id}?a=1`, { ...API, ...BROWSER })],
  'a GET of a program': [405, get(`/submit/${id}`, API)],
  'a preflight': [204, get(`/submit/${id}`, { ...API, Origin: 'https://a.example' }, 'OPTIONS')],
  'thanks on the host of the API': [200, get(`/submit/${id}/thanks`, API)],
  'a path that can not be decoded': [400, get('/%zz', API)],
  'the contact for abuse': [200, get('/.well-known/security.txt', API)],
  'the contact for abuse, on a page': [200, get('/.well-known/security.txt', ON_PAGE)],
  health: [200, get('/healthz', API)],
  'a call without a key': [401, get('/me', API)],
  'a path that is not there': [404, get('/nothing', API)],
};

/** A text without the id of a submission, and without a time. */
const withoutOwn = (text: string): string => text.replaceAll(/sub_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');

/** An answer without what differs each time: the time, and the ids of the request and of the submission. */
async function answerOf(url: string, [path, request]: readonly [string, BareRequest]) {
  const { status, headers, body } = await bareRequest(url + path, request);
  const { date: _date, 'x-request-id': requestId, ...others } = headers;
  return { status, headers: others, hasId: requestId !== undefined, body: withoutOwn(String(body)) };
}

describe('the steps of the listener', () => {
  it.each(Object.entries(REQUESTS))('answer in Express as they do alone: %s', async (_what, [status, request]) => {
    await service.db('deployments').where({ id }).update({ recent_submissions: [] });
    const [alone, mounted] = [await serve(listener.handle), await serve(inExpress(listener))];
    const answer = await answerOf(alone.url, request);
    expect([answer.status, answer.hasId]).toEqual([status, true]);
    expect(await answerOf(mounted.url, request)).toEqual(answer);
  });

  it('leave to Express what they do not answer', async () => {
    const { url } = await serve(inExpress(listener));
    const answer = await bareRequest(`${url}/of-express`, { headers: API });
    expect([answer.status, String(answer.body)]).toEqual([200, 'Express']);
    expect((await bareRequest(`${url}/of-express`, { headers: ON_PAGE })).status).toBe(404);
  });

  it.each([
    ['alone', listener.handle],
    ['in Express', inExpress(listener)],
  ])('have answered with a page in memory when they return: %s', async (_how, handle) => {
    const ended: boolean[] = [];
    const { url } = await serve((request, response) => {
      handle(request, response);
      ended.push(response.writableEnded);
    });
    for (let round = 0; round < 2; round += 1) await bareRequest(url, { headers: ON_PAGE });
    // The first may read the page.
    expect(ended[1]).toBe(true);
  });
});
