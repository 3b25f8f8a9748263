/*
 * Fills a database by another release, for test/db/migrations.test.ts: what a person would have there, made over its API.
 * Writes its backup and what it answered, as release.backup and release.json beside this file.
 *
 *   node test/support/fill-release.ts FOLDER (of that release, with its node_modules)
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';

const PAGES_DOMAIN = 'pages.test';

const [release] = process.argv.slice(2);
if (release === undefined) {
  process.stderr.write('usage: node test/support/fill-release.ts FOLDER\n');
  process.exit(2);
}
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'formhost-release-'));
const { connection, close } = await openEmbeddedPostgres(folder);
// Any port of a server that has just closed.
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const address = probe.address();
const port = typeof address === 'object' && address ? address.port : 0;
probe.close();
const settings = {
  ...{ PORT: String(port), BASE_URL: 'http://api.test', PAGES_DOMAIN, LOG_LEVEL: 'fatal', METRICS_PORT: '' },
  DATABASE_URL: `postgres://${connection.user}@localhost:${connection.port}/postgres?host=${encodeURIComponent(connection.host)}`,
};
// Without the programs of Postgres a backup is in the service's own format.
const options = { cwd: release, env: { ...process.env, ...settings } };
const service = spawn('node', ['src/main.ts'], { ...options, stdio: 'inherit' });
const url = `http://127.0.0.1:${port}`;
while (
  !(await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await delay(50);

const made = await promisify(execFile)(
  'npm',
  ['run', '--silent', 'keys', '--', 'create', '--email', 'ada@example.org'],
  options,
);
const key = made.stdout.trim();

const Answer = z.looseObject({ id: z.string().default('') });
const Listed = z.object({
  submissions: z.array(
    z.object({ id: z.string(), data: z.object({ upload: z.object({ url: z.string() }).optional() }) }),
  ),
});

/** A request with the key; its answer. */
async function call(method: string, path: string, body?: string | FormData | object): Promise<z.infer<typeof Answer>> {
  const isJson = typeof body === 'object' && !(body instanceof FormData);
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...(isJson && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return Answer.parse(await response.json());
}

const { id } = await call('POST', '/deploy', { html: '<html lang=de><title>Anfrage</title>', slug: 'anfrage' });
const send = async (fields: Record<string, string>, file?: string): Promise<void> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== undefined) form.append('upload', new File([file], 'Lebenslauf.txt', { type: 'text/plain' }));
  await call('POST', `/submit/${id}`, form);
};
await send({ name: 'Ada', message: 'Grüße' });
await send({ name: 'Grace' }, 'The file.');
await call('PUT', `/deploy/${id}`, { html: '<html lang=de><title>Neu</title><form></form>' });
for (const name of ['Alan', 'Edsger', 'Barbara', 'Donald']) await send({ name, __proto__x: '1', '10': 'b', '2': 'a' });
const list = Listed.parse(await call('GET', `/submissions/${id}`));
const [sixth = '', , fourth = '', third = '', second = '', first = ''] = list.submissions.map((one) => one.id);
await call('POST', `/submissions/${id}/bulk`, { action: 'read', ids: [first, second, fourth] });
await call('POST', `/submissions/${id}/bulk`, { action: 'star', ids: [second, sixth] });
await call('DELETE', `/submissions/${id}/${third}`);
await call('PATCH', `/deploy/${id}`, { email_notifications: false, language: 'de' });
const webhook = await call('POST', `/webhooks/${id}`, { url: 'https://hooks.example.org/a', type: 'slack' });
await call('PATCH', `/webhooks/${id}/${webhook.id}`, { active: false });
await send({ name: 'Held' });
await call('POST', '/keys', { name: 'Reads', scope: 'read', expires_at: '2099-01-01T00:00:00Z' });
const deleted = await call('POST', '/deploy', { html: '<h1>Gone</h1>', slug: 'gone' });
await call('POST', `/submit/${deleted.id}`, { a: 'b' });
await call('DELETE', `/deploy/${deleted.id}`);

const file = list.submissions.find(({ data }) => data.upload)?.data.upload?.url ?? '';
const day = (after: number): string => new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10);
const answers: Record<string, string> = {};
for (const path of [
  ...['/deploy', '/overview', '/trash', `/deploy/${id}`, `/deploy/${id}/html`, `/deploy/${id}/settings`, file],
  ...[`/deploy/${id}/versions`, `/deploy/${id}/versions/1/html`, `/deploy/${id}/stats?from=${day(0)}&to=${day(2)}`],
  ...[`/submissions/${id}`, `/submissions/${id}/export.ndjson`, `/submissions/${id}/export.csv`],
  ...['', '?unread=true', '?starred=true', '?q=gr'].map((query) => `/submissions/${id}/search${query}`),
  ...[`/submissions/${id}/after/0`, `/webhooks/${id}`, `/webhooks/${id}/${webhook.id}/secret`],
  `/webhooks/${id}/${webhook.id}/deliveries`,
]) {
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  answers[path] = await response.text();
}
await promisify(execFile)('npm', ['run', '--silent', 'backup', '--', beside('release.backup')], options);
const filled = { key, id, deleted: deleted.id, slug: 'anfrage', answers };
await writeFile(beside('release.json'), `${JSON.stringify(filled, null, 2)}\n`);

const exited = once(service, 'exit');
service.kill();
await exited;
await close();
await rm(folder, { recursive: true });
