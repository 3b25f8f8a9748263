import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';

/** A server that answers with `listener` until the test has ended, and its connections with it. */
export async function serve(listener: RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return { url: `http://127.0.0.1:${address.port}`, port: address.port };
}
