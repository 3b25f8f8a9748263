// Receives webhooks of formhost and stores each in a file, once:
//   npm install standardwebhooks
//   WEBHOOK_SECRET=whsec_… node receiver.mjs
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', HOST = '127.0.0.1', PORT = '8080', FOLDER = 'deliveries' } = process.env;
const MAX_BYTES = 4 * 1024 * 1024;
const webhook = new Webhook(WEBHOOK_SECRET);
await mkdir(FOLDER, { recursive: true });

/** The bytes of a body as they came: the signature is about them. undefined when there are too many. */
async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Stores a delivery; false when it is there already. After a crash there is all of it, or nothing. */
async function store(id, body) {
  const incomplete = join(FOLDER, `.${crypto.randomUUID()}`);
  await writeFile(incomplete, body, { flush: true });
  try {
    await link(incomplete, join(FOLDER, `${id}.json`));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(incomplete);
  }
}

/** Stores what is genuine, and says with which status to answer. */
async function receive(request) {
  if (request.method !== 'POST') return 405;
  const body = await read(request);
  if (body === undefined) return 413;
  try {
    // Also refuses a timestamp that is more than five minutes away.
    webhook.verify(body, request.headers, { jsonParse: false });
  } catch {
    return 401;
  }
  const id = String(request.headers['webhook-id']);
  if (!/^[\w-]+$/.test(id)) return 400;
  // The same id is the same delivery, sent again because an answer was lost: it gets the same answer.
  if (await store(id, body)) console.log('received', id);
  return 204;
}

// What takes long is done after the answer: by a program that reads the folder.
createServer(async (request, response) => {
  const status = await receive(request).catch((error) => {
    console.error(error);
    return 500;
  });
  response.writeHead(status, request.complete ? {} : { Connection: 'close' }).end();
}).listen(Number(PORT), HOST, () => console.log('listening'));
