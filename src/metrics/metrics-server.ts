import { once } from 'node:events';

/**
 * Serves `GET /metrics` to Prometheus; returns the function that closes it. Rejects when it can't listen on the
 * address.
 */
export async function serveMetrics(
  source: { contentType: string; metrics(): Promise<string> },
  { host, port }: { host: string; port: number },
): Promise<() => Promise<void>> {
  // Not imported, for the reason that src/http/server.ts gives.
  const server = process.getBuiltinModule('node:http').createServer(async (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    const text = await source.metrics().catch(() => undefined);
    if (text === undefined) response.writeHead(503, { 'Retry-After': '2' }).end();
    else response.writeHead(200, { 'Content-Type': source.contentType }).end(text);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}
