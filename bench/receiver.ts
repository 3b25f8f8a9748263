import { createServer } from 'node:http';

/** Where webhooks are sent. argv: port, and `hang` for one that never answers a POST. */
const [port = '0', mode] = process.argv.slice(2);
createServer((request, response) => {
  if (mode === 'hang' && request.method === 'POST') return;
  request.resume().on('end', () => response.writeHead(200, ['Content-Length', '2']).end('ok'));
}).listen(Number(port), '127.0.0.1');
