import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import request from 'supertest';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLinks } from '../../src/db/account/link-secret.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { runSql } from '../support/database.ts';
import { multipartBody } from '../support/multipart-body.ts';
import { isAlive, serverPid } from '../support/postmaster.ts';
import { startServiceProcess } from '../support/process.ts';
import { closesAtOnce, resetsAtOnce, says, startRawReceiver, startReceiver } from '../support/receivers.ts';
import { testSmtpServer } from '../support/smtp.ts';
import { testLimits } from '../support/test-limits.ts';
import { keyIn } from '../support/test-process.ts';
import { asOwner, BASE_URL, PAGES_DOMAIN, sendRaw } from '../support/test-service.ts';

const marker = (name: string): string => `${name}${randomBytes(12).toString('hex')}`;

/** In the spellings in which a text may have got somewhere. */
const spellings = (text: string): string[] => [
  text,
  text.slice(4, -2),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('hex'),
];

const found = (secrets: Readonly<Record<string, string>>, text: string): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) =>
    spellings(secret).some((each) => text.includes(each)) ? [name] : [],
  );

it('writes no key, webhook URL, webhook secret, address of a feed or submitted value to a log, and no key to the database', async () => {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'formhost-secrets-')));
  onTestFinished(async () => {
    const pid = await serverPid(dataDir);
    if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGQUIT');
    await vi.waitFor(() => expect(pid !== undefined && isAlive(pid)).toBe(false), { timeout: 240_000 });
    await rm(dataDir, { recursive: true });
  });
  const secrets: Record<string, string> = {
    'a value that was submitted': marker('visitor'),
    'the name of a field': marker('field'),
    'the URL of a webhook': marker('hook'),
    'the value of a header': marker('header'),
    'the password of the mail server': marker('mail'),
  };
  const value = secrets['a value that was submitted'] ?? '';
  const field = secrets['the name of a field'] ?? '';
  const hook = secrets['the URL of a webhook'] ?? '';
  const header = secrets['the value of a header'] ?? '';
  const password = secrets['the password of the mail server'] ?? '';
  const smtp = await testSmtpServer({ login: { user: 'forms', password: 'another' } });

  const start = () =>
    startServiceProcess({
      ...{ BASE_URL, PAGES_DOMAIN, DATA_DIR: dataDir, LOG_LEVEL: 'trace', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
      ...{ DELIVERY_RETRY_DELAYS: '0.1,0.1,0.2', DELIVERY_TIMEOUT_MS: '1000', DELIVERY_LEASE_MS: '2000' },
      SMTP_URL: `smtp://forms:${password}@127.0.0.1:${smtp.port}`,
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../support/uncaught.ts', import.meta.url))}`,
      CARRIED: value,
    });
  const service = await start();
  onTestFinished(() => void service.child.kill('SIGKILL'));
  await service.ready();
  const { url } = service;
  const databaseUrl = `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(join(dataDir, 'socket'))}`;
  const db = connect({ connectionString: databaseUrl }, { limits: testLimits() });
  const key = await keyIn(databaseUrl);
  secrets['an API key'] = key;
  secrets['a key that nobody has'] = `fh_${randomBytes(22).toString('hex')}`;
  const owner = asOwner(url, key);

  // Receivers that do all that goes wrong.
  const receivers = [
    await startReceiver((response) => void response.writeHead(500).end(hook)),
    await startReceiver((response) => void response.writeHead(302, { Location: `/${hook}` }).end()),
    await startReceiver((response) => void response.writeHead(410).end()),
    await startReceiver(),
    await startRawReceiver(closesAtOnce),
    await startRawReceiver(resetsAtOnce),
    await startRawReceiver(says(`${hook} is no HTTP\r\n`)),
  ];
  const refused = await startRawReceiver(closesAtOnce);
  await refused.close();
  const form = await owner.deploy();
  await owner.change(form.id, { email_notifications: true });
  for (const [index, receiver] of [...receivers, refused].entries()) {
    const target = {
      url: `${receiver.url}/${hook}?auth=${hook}`,
      type: index % 2 === 0 ? 'generic' : 'slack',
      headers: { 'X-Key': header },
    };
    const { body } = await owner.post(`/webhooks/${form.id}`).send(target).expect(201);
    const path = `/webhooks/${form.id}/${body.id}/secret`;
    const first = await owner.get(path).expect(200);
    const second = await owner.post(`${path}/rotate`);
    secrets[`the secret of webhook ${index}`] = first.body.secret.replace('whsec_', '');
    secrets[`the second secret of webhook ${index}`] = second.body.secret.replace('whsec_', '');
  }

  const feed = (await owner.post(`/deploy/${form.id}/feeds`).send({ name: 'Sheet' }).expect(201)).body.url;
  const feedPath = new URL(feed).pathname;
  secrets['the address of a feed'] = feedPath.slice('/feeds/'.length, -'.csv'.length);

  const share = (await owner.post(`/deploy/${form.id}/shares`).send({}).expect(201)).body.url;
  const sharePath = new URL(share).pathname;
  secrets['the address of a share'] = sharePath.slice('/shares/'.length);

  const links = await createLinks(db, '')();
  const file = { deploymentId: form.id, submissionId: `sub_${'0'.repeat(24)}`, fileId: `file_${'0'.repeat(24)}` };
  const linked = [links.file(file, new Date(Date.now() + 3_600_000)), links.unsubscribe(form.id)];
  for (const path of linked) secrets[`the signature of ${path}`] = path.slice(path.indexOf('signature=') + 10);

  const isReady = () => vi.waitFor(() => request(url).get('/readyz').expect(200), { timeout: 240_000, interval: 50 });
  /** A request of every kind that may go wrong, the values in it wherever they may be. */
  async function ask(): Promise<void> {
    const post = () => request(url).post(`/submit/${form.id}`);
    const nobody = asOwner(url, secrets['a key that nobody has'] ?? '');
    await Promise.allSettled([
      post().send({ [field]: value, email: `${value}@example.org` }),
      post().type('form').send(`${field}=${value}`),
      post()
        .set('Content-Type', 'multipart/form-data; boundary=b')
        .send(multipartBody([`name="${field}"`, value], [`name="f"; filename="${value}"`, value])),
      post().set('Content-Type', 'application/json').send(`{"${field}":"${value}`),
      post().set('Content-Type', 'application/json').send(`{"${field}":"${value}\\u0000"}`),
      post().set('Content-Type', `text/${value}`).send(value),
      post()
        .set('Content-Type', 'application/json')
        .send(JSON.stringify({ [field]: value.repeat(40_000) })),
      request(url).post(`/submit/${form.id}?${field}=${value}`).send({}),
      request(url).get(`/submit/${form.id}?${field}=${value}`).set('Accept', 'text/html'),
      request(url).get(`/submit/${form.id}/thanks?${field}=${value}`),
      ...linked.flatMap((path) => [request(url).get(path), request(url).get(path.slice(0, -1))]),
      request(url).get(feedPath),
      request(url).get(`${feedPath}?labels=${value}`),
      request(url).post(feedPath),
      request(url).get(feedPath.replace('.csv', '')),
      request(url).get(`/${feedPath}`),
      request(url).get(feedPath).set('Host', `${form.slug}.${PAGES_DOMAIN}`).set('Referer', feed),
      owner.post(`/deploy/${form.id}/feeds`).send({ name: 'Another' }),
      request(url).get(sharePath).set('Referer', share),
      request(url).get(`${sharePath}?before=${value}`),
      request(url).get(`${sharePath}/${value}/${value}`),
      owner.post(`/deploy/${form.id}/shares`).send({}),
      request(url).post(`/submit/${value}/${value}`).send({}),
      request(url).get(`/${value}?key=${key}`),
      request(url).get(`/${key}`),
      request(url).get(`/deploy/${key}`),
      request(url).get(`/deploy/${form.id}`).set('Authorization', `Basic ${key}`),
      request(url).get(`/deploy/${form.id}?key=${key}`).set('Cookie', `key=${key}`).set('Referer', `http://x/${key}`),
      request(url).get('/').set('Host', `${value}.${PAGES_DOMAIN}`),
      request(url).get('/').set('Host', `${form.slug}.${PAGES_DOMAIN}`).set('Authorization', `Bearer ${key}`),
      nobody.get(`/deploy/${form.id}`),
      owner.get(`/submissions/${form.id}?page=${value}`),
      owner.get(`/submissions/${key}`),
      owner.post('/deploy').send({ html: value, slug: value }),
      owner.put(`/deploy/${form.id}`).send({ html: value }),
      owner.post(`/webhooks/${form.id}`).send({ url: `http://10.0.0.1/${hook}` }),
      owner.post(`/webhooks/${form.id}`).send({ url: `https://${hook}:${hook}@receiver.example/` }),
      owner.post(`/webhooks/${form.id}`).send({ url: `http://127.0.0.1:1/${hook}`, type: value }),
      owner.delete(`/webhooks/${form.id}/${value}`),
      sendRaw(url, `GET /${value} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nno header ${value}\r\n\r\n`),
      sendRaw(url, `${value}\r\n\r\n`),
    ]);
  }
  /** Deployments take submissions again, in the table and in what is remembered of them. */
  const forgetSubmissions = (): Promise<unknown> =>
    runSql(
      databaseUrl,
      'UPDATE deployments SET recent_submissions = array[]::timestamptz[], updated_at = clock_timestamp()',
    );
  const constrained = async (table: string, work: () => Promise<void>): Promise<void> => {
    await runSql(databaseUrl, `ALTER TABLE ${table} ADD CONSTRAINT none CHECK (false) NOT VALID`);
    await work();
    await runSql(databaseUrl, `ALTER TABLE ${table} DROP CONSTRAINT none`);
  };

  await ask();
  // Rows that are refused, of which Postgres says what was in them; values that it cannot read; tables that are gone.
  for (const table of ['submissions', 'webhooks', 'deliveries', 'deployments', 'api_keys', 'pages', 'feeds', 'shares'])
    await constrained(table, ask);
  await forgetSubmissions();
  await runSql(
    databaseUrl,
    `CREATE FUNCTION misread() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM (NEW.data::text)::int; RETURN NEW; END $$;
     CREATE TRIGGER misread BEFORE INSERT ON submissions FOR EACH ROW EXECUTE FUNCTION misread()`,
  );
  await ask();
  await runSql(databaseUrl, 'DROP TRIGGER misread ON submissions; ALTER TABLE webhooks RENAME TO elsewhere');
  await ask();
  await runSql(databaseUrl, 'ALTER TABLE elsewhere RENAME TO webhooks');
  await forgetSubmissions();
  const asking = ask();
  process.kill((await serverPid(dataDir)) ?? 0, 'SIGQUIT');
  await asking;
  await isReady();
  // Mails whose outcome could not be stored would be tried again in twenty minutes.
  await db.raw('UPDATE deliveries SET next_attempt_at = now() WHERE leased AND webhook_id IS NULL');
  await vi.waitFor(
    async () => {
      const { rows } = await db.raw(
        "SELECT count(*) FROM deliveries WHERE status = 'pending' AND next_attempt_at < 'infinity'",
      );
      expect(rows).toEqual([{ count: 0 }]);
    },
    { timeout: 120_000, interval: 100 },
  );
  await ask();

  const rowsOf = async (table: string): Promise<string> => {
    const { rows } = await db.raw(`SELECT t::text AS row FROM ${table} AS t`);
    return rows.map(({ row }: { row: string }) => row).join('\n');
  };
  const { rows: tables } = await db.raw(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const dumps: string[] = [];
  for (const { table_name } of tables) dumps.push(await rowsOf(table_name));
  const dump = dumps.join('\n');
  await db.close();

  // An error that nothing catches ends the process, with its stack in the log.
  service.child.kill('SIGUSR2');
  await once(service.child, 'exit');
  const { code, stdout, stderr } = await service.stop();
  const again = await start();
  await again.ready();
  const last = await again.stop();

  const firstKey = /fh_[0-9A-Za-z]+/.exec(stdout)?.[0];
  const serverLog = await readFile(join(dataDir, 'postgres.log'), 'utf8');
  const logs = [stderr, last.stderr, serverLog].join('\n');
  const files = await readdir(join(dataDir, 'postgres'), { recursive: true, withFileTypes: true });
  let inFiles = 0;
  for (const file of files.filter((each) => each.isFile())) {
    const bytes = await readFile(join(file.parentPath, file.name));
    if (bytes.includes(key)) inFiles += 1;
  }
  const inLogs = found(secrets, `${logs}\n${stdout}\n${last.stdout}`);
  const keyInDump = found({ 'an API key': key }, dump);
  console.log(
    `secrets: ${Object.keys(secrets).length} secrets in ${logs.split('\n').length} lines of logs: ${inLogs.length} found; ` +
      `a key in ${tables.length} tables (${dump.length} characters): ${keyInDump.length}, in ${files.length} files of the database: ${inFiles}`,
  );
  expect(inLogs).toEqual([]);
  expect([keyInDump, inFiles]).toEqual([[], 0]);
  expect(dump).toContain(value);
  expect(firstKey === undefined ? [] : found({ firstKey }, logs)).toEqual([]);
  expect([code, last.code]).toEqual([1, 0]);
  expect(stderr).toMatch(/"msg":"the process ended"/);
  expect(stderr).toMatch(/"message":"provoked","stack":" {4}at /);
  // The faults were there.
  expect(stderr).toContain('request failed');
  expect(stderr).toContain('delivery: retry');
});
