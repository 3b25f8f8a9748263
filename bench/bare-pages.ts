import { createServer } from 'node:http';

/** The yardstick for pages: node:http with nothing on it but a Map from host to a ready body and the headers that go with it. argv: port, hosts, bytes. */
const [port = '0', hosts = '0', bytes = '0'] = process.argv.slice(2);
/** A number in letters, as slugs have none of digits. */
const letters = (n: number): string => String(n).replace(/[0-9]/g, (digit) => String.fromCharCode(97 + Number(digit)));

const pages = new Map<string, { headers: string[]; body: Buffer }>();
for (let index = 0; index < Number(hosts); index += 1) {
  const body = Buffer.alloc(Number(bytes), 'x');
  pages.set(`bench-${letters(index)}.localhost`, {
    headers: [
      ...['ETag', '"SMNqQQQLpp_JUfxlJX9_OdOgViz"', 'Vary', 'Accept-Encoding'],
      ...['Cache-Control', 'public, max-age=0, must-revalidate', 'X-Content-Type-Options', 'nosniff'],
      ...['Origin-Agent-Cluster', '?1', 'Content-Type', 'text/html; charset=utf-8'],
      ...['Content-Length', String(body.length), 'x-request-id', 'abcdefgh-12345'],
    ],
    body,
  });
}
createServer((request, response) => {
  const page = pages.get(request.headers.host ?? '');
  if (!page) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, page.headers);
  response.end(page.body);
}).listen(Number(port), '127.0.0.1');
