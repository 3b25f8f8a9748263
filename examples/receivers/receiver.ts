// Receives webhooks of formhost and stores each in a file, once:
//   WEBHOOK_SECRET=whsec_… node receiver.ts
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';

const { WEBHOOK_SECRET = '', HOST = '127.0.0.1', PORT = '8080', FOLDER = 'deliveries' } = process.env;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_AGE_SECONDS = 300;

const key = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
// With an empty key, anybody could sign.
if (key.length === 0) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook: whsec_…');
await mkdir(FOLDER, { recursive: true });

/** The bytes of a body as they came: the signature is about them. undefined when there are too many. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether a body was signed with the secret in the last five minutes. Compares in constant time. */
function isGenuine(body: Buffer, id: string, timestamp: string, signatures: string): boolean {
  // False for a timestamp that is not a number, too.
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= MAX_AGE_SECONDS;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${signature}`);
  const isExpected = (given: Buffer) => given.length === expected.length && timingSafeEqual(given, expected);
  // There are two for a day after the secret was rotated.
  return isRecent && signatures.split(' ').some((given) => isExpected(Buffer.from(given)));
}

/** Stores a delivery; false when it is there already. After a crash there is all of it, or nothing. */
async function store(id: string, body: Buffer): Promise<boolean> {
  const incomplete = join(FOLDER, `.${randomUUID()}`);
  await writeFile(incomplete, body, { flush: true });
  try {
    await link(incomplete, join(FOLDER, `${id}.json`));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(incomplete);
  }
}

/** Stores what is genuine, and says with which status to answer. */
async function receive(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405;
  const body = await read(request);
  if (body === undefined) return 413;
  const header = (name: string): string => String(request.headers[name] ?? '');
  const id = header('webhook-id');
  if (!isGenuine(body, id, header('webhook-timestamp'), header('webhook-signature'))) return 401;
  // It becomes the name of a file.
  if (!/^[\w-]+$/.test(id)) return 400;
  // The same id is the same delivery, sent again because an answer was lost: it gets the same answer.
  if (await store(id, body)) console.log('received', id);
  return 204;
}

// Longer work is done after the answer, by a program that reads the folder.
createServer(async (request, response) => {
  const status = await receive(request).catch((error) => {
    console.error(error);
    return 500;
  });
  response.writeHead(status, request.complete ? {} : { Connection: 'close' }).end();
}).listen(Number(PORT), HOST, () => console.log('listening'));
