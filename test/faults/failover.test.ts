import pg from 'pg';
import request from 'supertest';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runSql } from '../support/database.ts';
import { ms, record } from '../support/figures.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startServiceProcess } from '../support/process.ts';
import { keyIn } from '../support/test-process.ts';
import { asOwner, BASE_URL, getPage, JSON_TYPE, PAGES_DOMAIN } from '../support/test-service.ts';

const FORMS = 40;
/** So long that the forms together come to no limit for most of a minute. */
const PAUSE_MS = 50;

const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 240_000, interval: 50 });

/** The ids of the submissions that a server has. */
async function storedIn(url: string): Promise<ReadonlySet<string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM submissions');
    return new Set(rows.map(({ id }) => id));
  } finally {
    await client.end();
  }
}

it('follows a failover: the old primary only reads, and the address leads to its replica', async () => {
  const old = await startPostgresServer();
  onTestFinished(old.close);
  const address = await proxyTo(
    old.url,
    () => ({}),
    ({ client, postgres }) => client.pipe(postgres).pipe(client),
  );
  onTestFinished(address.close);
  const settings = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' };
  const service = await startServiceProcess({ ...settings, DATABASE_URL: address.url });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  await service.ready();
  const replica = await old.replica();
  onTestFinished(replica.close);
  // Both have each acknowledged submission.
  await runSql(old.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await runSql(old.url, 'SELECT pg_reload_conf()');
  await service.ready();
  const key = await keyIn(old.url);
  const owner = asOwner(service.url, key);
  const forms: { id: string; slug: string }[] = [];
  while (forms.length < FORMS) forms.push(await owner.deploy({ html: 'old' }));
  const [first] = forms;
  if (!first) throw new Error('There is no form');
  await getPage(service.url, first.slug).expect(200, 'old');

  const answers: { status: number; id: string; at: number }[] = [];
  const until = new AbortController();
  const submitting = (async () => {
    for (let turn = 0; !until.signal.aborted; turn += 1) {
      const sent = { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' };
      const response = await fetch(`${service.url}/submit/${forms[turn % FORMS]?.id}`, sent);
      const body: { id?: string } = JSON.parse(await response.text());
      answers.push({ status: response.status, id: body.id ?? '', at: performance.now() });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  onTestFinished(() => until.abort());
  const accepted = () => answers.filter(({ status }) => status === 200);
  await expect.poll(() => accepted().length).toBeGreaterThan(20);

  // The old one is there, reads, and keeps its connections.
  await runSql(old.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
  await runSql(old.url, 'SELECT pg_reload_conf()');
  await runSql(replica.url, 'SELECT pg_promote()');
  address.move(replica.port);
  const movedAt = performance.now();
  let backAt = Number.NaN;
  await soon(async () => {
    // Accepted by the new one, not just before the move.
    const inOld = await storedIn(old.url);
    const onlyInNew = accepted().find(({ id }) => !inOld.has(id));
    expect(onlyInNew).toBeDefined();
    backAt = onlyInNew?.at ?? Number.NaN;
  });
  await soon(() => request(service.url).get('/readyz').expect(200));
  until.abort();
  await submitting;

  // A change that another process makes on the new primary is received.
  const other = await startServiceProcess({ ...settings, DATABASE_URL: replica.url });
  onTestFinished(() => void other.child.kill('SIGKILL'));
  await other.ready();
  await getPage(service.url, first.slug).expect(200, 'old');
  await asOwner(other.url, key).put(`/deploy/${first.id}`).send({ html: 'new' }).expect(200);
  await soon(() => getPage(service.url, first.slug).expect(200, 'new'));

  const inNew = await storedIn(replica.url);
  const lost = accepted().filter(({ id }) => !inNew.has(id));
  record('failover', {
    'answered 200': `${accepted().length} of ${answers.length}`,
    'acknowledged and lost': lost.length,
    'followed in': ms(backAt - movedAt),
  });
  expect(lost).toEqual([]);
  expect(answers.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' });
  await other.stop();
});
