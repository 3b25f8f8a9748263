import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { brotliCompressSync } from 'node:zlib';

/**
 * The baseline for pages: node:http with nothing on it but a Map from host to ready bodies and the headers that go
 * with them. argv: port, hosts, the page's file, and others, each of which has a host of its own.
 */
const [port = '0', hosts = '0', file = '', ...others] = process.argv.slice(2);
/** A number in letters, as slugs have none of digits. */
const letters = (n: number): string => String(n).replace(/[0-9]/g, (digit) => String.fromCharCode(97 + Number(digit)));

const html = readFileSync(file);
const compressed = brotliCompressSync(html);
const common = [
  ...['ETag', '"SMNqQQQLpp_JUfxlJX9_OdOgViz"', 'Vary', 'Accept-Encoding'],
  ...['Cache-Control', 'public, max-age=0, must-revalidate', 'X-Content-Type-Options', 'nosniff'],
  ...['Origin-Agent-Cluster', '?1', 'x-request-id', 'abcdefgh-12345'],
];
const ready = (body: Buffer, encoding: readonly string[] = []) => ({
  headers: [
    ...common,
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)],
    ...encoding,
  ],
  body,
});

const pages = new Map<string, { plain: ReturnType<typeof ready>; br: ReturnType<typeof ready> }>();
for (let index = 0; index < Number(hosts); index += 1) {
  pages.set(`bench-${letters(index)}.localhost`, {
    plain: ready(Buffer.from(html)),
    br: ready(Buffer.from(compressed), ['Content-Encoding', 'br']),
  });
}
for (const [index, other] of others.entries()) {
  const plain = ready(readFileSync(other));
  pages.set(`other-${index}.localhost`, { plain, br: plain });
}
createServer((request, response) => {
  const page = pages.get(request.headers.host ?? '');
  if (!page) {
    response.writeHead(404).end();
    return;
  }
  if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, common).end();
    return;
  }
  const { headers, body } = request.headers['accept-encoding']?.includes('br') ? page.br : page.plain;
  response.writeHead(200, headers);
  response.end(body);
}).listen(Number(port), '127.0.0.1');
