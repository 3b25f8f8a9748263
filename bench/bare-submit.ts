import { createServer } from 'node:http';
import pg from 'pg';

/**
 * The least that a single submission costs in Node: node:http and pg with nothing on them, and a statement, given in
 * $1 and $2 the deployment and the data, that checks nothing. argv: port, database URL, statement.
 */
const [port = '0', connectionString = '', text = ''] = process.argv.slice(2);
const client = new pg.Client({ connectionString });
await client.connect();

createServer(async (request, response) => {
  const body = await new Promise<string>((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(String(Buffer.concat(chunks))));
  });
  const deploymentId = request.url?.slice('/submit/'.length);
  if (request.method === 'POST') await client.query({ name: 'insert', text, values: [deploymentId, body] });
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"message":"Submission received"}');
}).listen(Number(port), '127.0.0.1');
