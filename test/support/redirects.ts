import { once } from 'node:events';
import { createServer } from 'node:http';

export type TestHttpServer = { url: string; close(): Promise<void> };

/** The address of a program on this machine, to which codes are sent. */
export async function testRedirects(): Promise<TestHttpServer> {
  const server = createServer((_request, response) => void response.end('Done.'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = address instanceof Object ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
