import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';

/*
 * Fills Node's compile cache for the build in the first argument, for an image, where nobody may write to it later. It
 * starts the service as the image does, and stops it once it listens, which needs no database: what runs until then is
 * most of a start.
 */

/** Where start.sh has it. */
const CACHE = 'node_modules/.cache/formhost';
/** Node keeps the cache of each user apart: this is `node`, who runs the service in the image. */
const USER = 1_000;

const [build = ''] = process.argv.slice(2);
await mkdir(CACHE, { recursive: true });
const isRoot = process.getuid?.() === 0;
if (isRoot) await chown(CACHE, USER, USER);
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const address = probe.address();
const port = typeof address === 'object' && address ? address.port : 0;
probe.close();
const service = spawn('sh', ['start.sh', build], {
  env: { PATH: process.env.PATH, PORT: String(port), DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  stdio: ['ignore', 'ignore', 'pipe'],
  ...(isRoot ? { uid: USER, gid: USER } : {}),
});
const ended = once(service, 'close');
let log = '';
for await (const text of service.stderr.setEncoding('utf8')) {
  log += text;
  // The cache is written when the process ends.
  if (!service.killed && log.includes('"msg":"listening"')) service.kill();
}
const [code] = await ended;
if (code !== 0) {
  process.stderr.write(log);
  process.exitCode = 1;
}
