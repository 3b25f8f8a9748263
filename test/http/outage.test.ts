import request from 'supertest';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { LIMITS } from '../../src/limits.ts';
import { failure } from '../support/answers.ts';
import { runSql } from '../support/database.ts';
import { proxyTo, troubledPostgres } from '../support/postgres-proxy.ts';
import { asOwner, getPage, type Owner, PAGES_DOMAIN, testService, UNKNOWN_KEY } from '../support/test-service.ts';

// The deadlines of production: each of these requests waits for one.
const { requests: ofRequests, owners, submissions, database, reads } = LIMITS;
const limits = { requests: ofRequests, owners, submissions, database, reads };
/** A service with the same database and no trouble. */
const service = await testService({}, undefined, { limits });
const proxy = await troubledPostgres(service.databaseUrl);
/** Where a service listens that reaches its database through the proxy, and an owner's way to it. */
let url: string;
let owner: Owner;
let form: { id: string; slug: string };
let webhookId: string;
let filePath: string;
beforeAll(async () => {
  url = (await service.another({ DATABASE_URL: proxy.url })).url;
  const { key } = await service.owner();
  owner = asOwner(url, key);
  form = await owner.deploy({ html: 'kept' });
  await upload();
  filePath = (await owner.get(`/submissions/${form.id}`)).body.submissions[0].data.file.url;
  webhookId = (await owner.post(`/webhooks/${form.id}`).send({ url: 'https://receiver.example/' })).body.id;
});
afterAll(proxy.close);

const submit = (id = form.id) => request(url).post(`/submit/${id}`).send({ a: 'b' });
const upload = (id = form.id) => request(url).post(`/submit/${id}`).attach('file', Buffer.alloc(300_000), 'a.bin');

/** The last of them ends the deployment. */
const requests: Record<string, () => request.Test> = {
  'GET /me': () => owner.get('/me'),
  'POST /deploy': () => owner.post('/deploy').send({ html: 'x' }),
  'POST /deploy of a page': () => owner.post('/deploy').type('text/html').send('<p>'),
  'GET /deploy/:id/settings': () => owner.get(`/deploy/${form.id}/settings`),
  'GET /deploy/:id': () => owner.get(`/deploy/${form.id}`),
  'PUT /deploy/:id': () => owner.put(`/deploy/${form.id}`).send({ html: 'lost' }),
  'PATCH /deploy/:id': () => owner.patch(`/deploy/${form.id}`).send({ email_notifications: true }),
  'GET /submissions/:deployId': () => owner.get(`/submissions/${form.id}`),
  'GET /submissions/:deployId/:submissionId/files/:fileId': () => owner.get(filePath),
  'POST /webhooks/:deployId': () => owner.post(`/webhooks/${form.id}`).send({ url: 'https://receiver.example/' }),
  'GET /webhooks/:deployId': () => owner.get(`/webhooks/${form.id}`),
  'DELETE /webhooks/:deployId/:webhookId': () => owner.delete(`/webhooks/${form.id}/${webhookId}`),
  'POST /submit/:deployId': () => submit(),
  'POST /submit/:deployId with a file': () => upload(),
  'POST / of a page': () => request(url).post('/').set('Host', `${form.slug}.${PAGES_DOMAIN}`).send({ a: 'b' }),
  'a key that is unknown': () => asOwner(url, UNKNOWN_KEY).get(`/deploy/${form.id}`),
  'DELETE /deploy/:id': () => owner.delete(`/deploy/${form.id}`),
};

/** The answers that are right while the database is out of reach. */
const UNAVAILABLE = {
  status: 503,
  retryAfter: expect.stringMatching(/^[1-9]\d*$/),
  body: failure,
};

async function answerTo(send: () => request.Test) {
  const { status, headers, body } = await send();
  return { status, retryAfter: headers['retry-after'], body };
}

const WRITES = Object.keys(requests).filter((name) => !/^GET|key/.test(name));

async function answersTo(all: Record<string, () => request.Test>) {
  const answers = Object.entries(all).map(async ([name, send]) => [name, await answerTo(send)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

const alike = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, UNAVAILABLE]));

const back = () => vi.waitFor(async () => expect((await submit()).status).toBe(200), { timeout: 60_000, interval: 20 });

/** Has the page in the memory of the process. */
async function keepPage(): Promise<void> {
  // The process would drop the page once more when it reads its own changes.
  await service.db('deployment_changes').delete();
  for (const _time of [1, 2]) await owner.get('/me').expect(200);
  // The process does not keep what it reads while it learns that it may have missed changes.
  for (const _time of [1, 2]) await getPage(url, form.slug).expect(200, 'kept');
}

const whileConnectionsAre = (trouble: 'refused' | 'hanging'): void => {
  beforeAll(async () => {
    await keepPage();
    proxy.make(trouble);
  });

  describe.concurrent('meanwhile', () => {
    it('every endpoint answers 503, with Retry-After', async () => {
      expect(await answersTo(requests)).toEqual(alike(Object.keys(requests)));
    });

    it('30 submissions that come at once, of which a third have files, are answered 503', async () => {
      const crowd = Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`${n}`, () => (n % 3 ? submit : upload)()]),
      );
      expect(await answersTo(crowd)).toEqual(alike(Object.keys(crowd)));
    });

    it('a page’s host answers with a page: the one that the process has, or a 503', async () => {
      const [kept, other] = await Promise.all([getPage(url, form.slug), getPage(url, 'unheard-of')]);
      expect([kept.status, kept.text]).toEqual([200, 'kept']);
      expect([other.status, other.type, other.headers['retry-after']]).toEqual([
        503,
        'text/html',
        expect.stringMatching(/^[1-9]\d*$/),
      ]);
    });

    it('what needs no database is answered as ever', async () => {
      const answers = await Promise.all([
        request(url).get('/healthz'),
        request(url).post('/deploy').send({ html: 'x' }),
        request(url).get('/nothing'),
        request(url).options(`/submit/${form.id}`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 204]);
    });
  });

  it('all is well once it is back, and nothing that got a 503 was done', async () => {
    proxy.make('none');
    await back();
    const [status, webhooks] = [await owner.get(`/deploy/${form.id}`), await owner.get(`/webhooks/${form.id}`)];
    expect([status.status, webhooks.body.webhooks.length]).toEqual([200, 1]);
    await getPage(url, form.slug).expect(200, 'kept');
  });
};
describe('while connections to the database are refused', () => whileConnectionsAre('refused'));
describe('while connections to the database are hanging', () => whileConnectionsAre('hanging'));

describe('while connections to the database break at any moment', () => {
  it('what was answered 200 is stored, the rest is answered 503, and the service lives on', async () => {
    const forms = await Promise.all(Array.from({ length: 8 }, () => owner.deploy()));
    const answers: { status: number; body: { id?: string } }[] = [];
    // Rounds of one for each form: in five, no form gets more than the rate limit lets in.
    for (const cutEvery of [3, 20, 11, 8, 14]) {
      proxy.make({ cutEvery });
      const sent = forms.map(({ id }, n) => (n % 2 ? submit : upload)(id).catch(() => ({ status: 0, body: {} })));
      answers.push(...(await Promise.all(sent)));
    }
    proxy.make('none');
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const healthy = asOwner(service.url, owner.key);
    const lists = await Promise.all(forms.map(({ id }) => healthy.get(`/submissions/${id}`)));
    const stored = new Set(lists.flatMap(({ body }) => body.submissions.map(({ id }: { id: string }) => id)));
    expect(answers.filter(({ status, body }) => status === 200 && !stored.has(body.id))).toEqual([]);
    await back();
  });
});

it('a database that only reads is answered with 503 where it would have to write, and with what is there where not', async () => {
  const { pathname } = new URL(service.databaseUrl);
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const server = inject('postgresUrl');
    await runSql(server, `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${isReadOnly}`);
    // It counts for new connections.
    const others = `WHERE datname = '${pathname.slice(1)}' AND pid <> pg_backend_pid()`;
    await runSql(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity ${others}`);
  }
  await setReadOnly(true);
  onTestFinished(() => setReadOnly(false));
  const statusOf = async () => (await owner.get(`/deploy/${form.id}`)).status;
  await expect.poll(statusOf).toBe(200);
  const answers = await answersTo(requests);
  expect(WRITES.map((name) => [name, answers[name]])).toEqual(WRITES.map((name) => [name, UNAVAILABLE]));
  // A busy machine may have needed longer than a request has.
  const reads = Object.entries(requests).filter(([name]) => name.startsWith('GET '));
  for (const [, read] of reads) await expect.poll(async () => (await read()).status).toBe(200);
  await setReadOnly(false);
  await back();
});

it('a table that somebody has locked is answered with 503s, by more requests than there are connections too, and pages go on', async () => {
  await keepPage();
  const holder = await service.db.transaction();
  onTestFinished(async () => void (holder.isCompleted() || (await holder.rollback())));
  await holder.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
  await holder.raw('LOCK TABLE api_keys, deployments IN ACCESS EXCLUSIVE MODE');
  const read = () => owner.get(`/deploy/${form.id}`);
  const crowd = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}`, n % 2 ? read : () => submit()]));
  const asked = answersTo(crowd);
  await getPage(url, form.slug).expect(200, 'kept');
  expect(await asked).toEqual(alike(Object.keys(crowd)));
  await holder.rollback();
  await back();
});

it('a connection that is lost while Postgres commits is never answered with a success', async () => {
  let isArmed = false;
  let lost = 0;
  /** The last statement of a piece of work: the COMMIT, or the statement that writes by itself. */
  const commits = /COMMIT|store-submissions/i;
  const writesAlone = /\b(insert into|update|delete from) "?(deployments|pages|webhooks)\b/i;
  const forgetful = await proxyTo(
    service.databaseUrl,
    () => ({ isIn: false, isDoomed: false }),
    (link) => {
      link.client.on('data', (bytes: Buffer) => {
        const text = bytes.toString('latin1');
        if (/\bBEGIN\b/i.test(text)) link.isIn = true;
        if (isArmed && (commits.test(text) || (!link.isIn && writesAlone.test(text)))) link.isDoomed = true;
        if (/COMMIT|ROLLBACK/i.test(text)) link.isIn = false;
        link.postgres.write(bytes);
      });
      link.postgres.on('data', (bytes: Buffer) => {
        if (!link.isDoomed) link.client.write(bytes);
        else {
          lost += 1;
          link.end();
        }
      });
    },
  );
  const before = { url, owner };
  ({ url } = await service.another({ DATABASE_URL: forgetful.url }));
  owner = asOwner(url, owner.key);
  onTestFinished(async () => {
    isArmed = false;
    ({ url, owner } = before);
    await forgetful.close();
  });
  for (const name of WRITES) {
    isArmed = false;
    await vi.waitFor(() => request(url).get('/readyz').expect(200), 60_000);
    isArmed = true;
    const send = requests[name] ?? submit;
    expect([name, await answerTo(send)]).toEqual([name, UNAVAILABLE]);
  }
  expect(lost).toBeGreaterThanOrEqual(WRITES.length);
});
