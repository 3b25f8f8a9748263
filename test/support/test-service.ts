import { connect as connectSocket, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../src/config.ts';
import { makeKey } from '../../src/db/account/owner-queries.ts';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { createLog } from '../../src/lib/log.ts';
import { type Service, startService } from '../../src/service.ts';
import { atEnd } from './at-end.ts';
import { cloneDatabase, type FreshDatabase } from './fresh-database.ts';
import { freePort } from './process.ts';
import { holdService, releaseService } from './reference.ts';
import { testLimits } from './test-limits.ts';

export const PAGES_DOMAIN = 'pages.test';
export const BASE_URL = 'http://api.test';

/** The id of no deployment. */
export const UNKNOWN_ID = 'd_000000000000000000000000';
/** A key that could be one, and is nobody's. */
export const UNKNOWN_KEY = `fh_${'0'.repeat(43)}`;
export const JSON_TYPE = { 'Content-Type': 'application/json' };

export type TestService = {
  exposeMetrics: Service['exposeMetrics'];
  /** Where it listens; requests without a Host of their own are the API's. */
  url: string;
  /** The database of the service, for state that the API does not show. */
  db: Database;
  databaseUrl: string;
  config: Config;
  /** Requests without a key. */
  anonymous: ReturnType<typeof request>;
  /** Requests as an owner; each call makes a new one unless it names one. */
  owner(options?: { email?: string; plan?: string }): Promise<Owner>;
  /** Submits the JSON text of an object to a deployment, however many came before; the submission's id. `to`: another process. */
  submit(deploymentId: string, text?: string, to?: string): Promise<string>;
  /** Another process' worth of service on the same database. */
  another(settings?: Record<string, string>): Promise<Service>;
  close(): Promise<void>;
};

type Answer = { status: number; body: unknown };

export type Owner = {
  key: string;
  get(path: string): request.Test;
  post(path: string): request.Test;
  put(path: string): request.Test;
  patch(path: string): request.Test;
  delete(path: string): request.Test;
  /** Sends a body unchanged, which supertest would serialize again; as JSON, unless the headers name another type. */
  send(method: string, path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
  /** Changes settings of a deployment. */
  change(id: string, settings: object): request.Test;
  /** Marks submissions of a deployment, or deletes them. */
  mark(id: string, action: string, ids: readonly unknown[]): request.Test;
  /** Deploys a page and answers with what POST /deploy does. */
  deploy(body?: {
    html?: string;
    slug?: string;
    files?: Record<string, unknown>;
  }): Promise<{ id: string; url: string; slug: string }>;
};

/** An attempt that is given up while the machine stands still is made again minutes later, or a mail comes twice. */
const PATIENT = { DELIVERY_TIMEOUT_MS: '120000', DELIVERY_LEASE_MS: '240000', LOG_LEVEL: 'silent' };
/** Nothing listens there: tests of domains have a name server of their own. */
const NO_DNS = { DNS_SERVERS: '127.0.0.1:9' };

/**
 * A real service on a real port, any one unless PORT is set, and a database of its own. `settings` are the names of
 * README's settings. A `database` that is given is dropped at the end too. Deadlines are ten times as long as in production (limits.ts), except those
 * that `overrides` names.
 */
export async function startTestService(
  settings: Record<string, string> = {},
  given?: FreshDatabase,
  overrides: Parameters<typeof startService>[2] = {},
): Promise<TestService> {
  const database = given ?? (await cloneDatabase());
  const configure = (more: Record<string, string>): Config => ({
    ...loadConfig({ ...PATIENT, ...NO_DNS, BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, ...settings, ...more }),
    port: Number(settings.PORT ?? 0),
  });
  const start = async (more: Record<string, string> = {}): Promise<Service> => {
    const config = configure(more);
    const service = await startService(config, createLog(config.logLevel), {
      ...overrides,
      limits: testLimits(overrides.limits),
    });
    holdService(service.url, config);
    await service.ready;
    return service;
  };
  const service = await start();
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  const others: Service[] = [];
  let owners = 0;

  return {
    exposeMetrics: service.exposeMetrics,
    url: service.url,
    db,
    databaseUrl: database.url,
    config: configure({}),
    anonymous: request(service.url),
    async owner({ email, plan } = {}) {
      owners += 1;
      const { key } = await makeKey(db, {
        email: email ?? `owner${owners}@test.example`,
        plan,
        defaultPlan: 'unlimited',
      });
      return asOwner(service.url, key);
    },
    async submit(id, text = '{}', to = service.url) {
      await db('deployments').where({ id }).update({ recent_submissions: [] });
      const { body } = await request(to).post(`/submit/${id}`).type('json').send(text).expect(200);
      return body.id;
    },
    async another(more) {
      const other = await start(more);
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([service, ...others].map((each) => each.close()));
      for (const { url } of [service, ...others]) releaseService(url);
      await db.close();
      await database.drop();
    },
  };
}

/** A service that a browser reaches under names of this machine. `host`: that of the API; the pages' hosts are under it. */
export async function startLocalService(
  settings: Record<string, string> = {},
  host = 'localhost',
  database?: FreshDatabase,
): Promise<TestService & { origin: string }> {
  const port = String(await freePort());
  const origin = `http://${host}:${port}`;
  const names = { PORT: port, BASE_URL: origin, PAGES_DOMAIN: `${host}:${port}` };
  return { origin, ...(await startTestService({ ...names, ...settings }, database)) };
}

/** Starts a service for a test, or for all tests of a file, which awaits it at its top. It is closed after them. */
export async function testService(...options: Parameters<typeof startTestService>): Promise<TestService> {
  const service = await startTestService(...options);
  atEnd(service.close);
  return service;
}

/** Requests that carry a key. */
export function asOwner(url: string, key: string): Owner {
  const api = request(url);
  const authorized = (test: request.Test): request.Test => test.set('Authorization', `Bearer ${key}`);
  const owner: Owner = {
    key,
    get: (path) => authorized(api.get(path)),
    post: (path) => authorized(api.post(path)),
    put: (path) => authorized(api.put(path)),
    patch: (path) => authorized(api.patch(path)),
    delete: (path) => authorized(api.delete(path)),
    change: (id, settings) => owner.patch(`/deploy/${id}`).send(settings).expect(200),
    mark: (id, action, ids) => owner.post(`/submissions/${id}/bulk`).send({ action, ids }).expect(200),
    async send(method, path, body, headers = JSON_TYPE) {
      const response = await fetch(url + path, {
        method,
        // Bytes, for which fetch adds no content type of its own.
        body: new Uint8Array(Buffer.from(body)),
        headers: { Authorization: `Bearer ${key}`, ...headers },
      });
      return { status: response.status, body: await response.json() };
    },
    async deploy(body = {}) {
      const send = () => owner.post('/deploy').send({ html: '<h1>Hello</h1>', ...body });
      let response = await send();
      // On a busy machine a service process may miss a deadline of production: a client tries again.
      for (let tries = 1; response.status === 503 && tries < 10; tries += 1) response = await send();
      if (response.status !== 201) throw new Error(`POST /deploy answered ${response.status}: ${response.text}`);
      return response.body;
    },
  };
  return owner;
}

/** The page that is live under a slug. */
export const getPage = (url: string, slug: string): request.Test => getAt(url, slug, '/');

/** Asks for a path on the host of a page. */
export const getAt = (url: string, slug: string, path: string): request.Test =>
  request(url).get(path).set('Host', `${slug}.${PAGES_DOMAIN}`);

/** A connection of the test's own, gone when it is over. */
export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The answer of a server to these bytes, up to its end of the connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const socket = openSocket(url);
  socket.write(bytes);
  return text(socket);
}
