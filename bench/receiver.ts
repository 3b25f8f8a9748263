import { createServer } from 'node:http';

/** Where webhooks are sent. argv: port. */
const [port = '0'] = process.argv.slice(2);
createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, ['Content-Length', '2']).end('ok'));
}).listen(Number(port), '127.0.0.1');
