import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../request/exchange.ts';

/*
 * Slugs and domains change hands, and a service worker outlives its page: it would answer for the next owner of the name, in
 * the browsers of earlier visitors. Browsers ask for the script of a worker again after each visit, so a host that does not
 * have the script answers with one that removes the worker.
 */

/**
 * Without an earlier worker, no window is controlled by this one: a page whose worker is missing is not loaded again and
 * again.
 */
const SCRIPT = `// There is no service worker at this address. This script takes the place of an earlier one, and removes it.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(removeWorker()));

async function removeWorker() {
  const { clients, registration } = self;
  const isReplacing = (await clients.matchAll({ type: 'window' })).length > 0;
  if (isReplacing) await clients.claim();
  const windows = isReplacing ? await clients.matchAll({ type: 'window' }) : [];
  const names = await caches.keys().catch(() => []);
  await Promise.allSettled(names.map((name) => caches.delete(name)));
  await registration.unregister();
  await Promise.allSettled(windows.map((window) => window.navigate(window.url)));
}
`;

/** Returns whether a browser asks for the script of a service worker (Service Workers, Handle Fetch of "Update"). */
export const asksForWorker = ({ method, headers }: IncomingMessage): boolean =>
  headers['service-worker'] === 'script' && (method === 'GET' || method === 'HEAD');

/** Answers with the script that removes a service worker. It has no ETag: a browser that has one gets no 304. */
export function sendWorkerRemoval({ request, response, requestId }: Exchange): void {
  response.writeHead(200, {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Content-Length': Buffer.byteLength(SCRIPT),
    'Cache-Control': 'no-store',
    Vary: 'Service-Worker',
    // A domain may have had another server before, which allowed a worker more than its own folder.
    'Service-Worker-Allowed': '/',
    'X-Content-Type-Options': 'nosniff',
    'Origin-Agent-Cluster': '?1',
    'x-request-id': requestId,
  });
  response.end(request.method === 'HEAD' ? undefined : SCRIPT);
}
