import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ErrorRequestHandler } from 'express';
import { pino } from 'pino';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../../src/config.ts';
import type { App } from '../../../src/http/app.ts';
import type { Operation } from '../../../src/http/operation/declaration.ts';
import { operation, publicOperation } from '../../../src/http/operation/operation.ts';
import { logRequest } from '../../../src/http/request/request-log.ts';
import { HttpError, toHttpError, writeError } from '../../../src/http/response/errors.ts';
import { createApi } from '../../../src/http/router.ts';
import { VIEW_PATHS } from '../../../src/lib/dashboard-paths.ts';
import { endpointsOf } from '../../support/reference.ts';
import { idleApp } from '../../support/test-app.ts';
import { testLimits } from '../../support/test-limits.ts';
import { BASE_URL, PAGES_DOMAIN } from '../../support/test-service.ts';

const described = { summary: 'A test' } as const;
const answer = { status: 200, description: 'Text.', schema: z.string(), example: 'text' };

/** Requests to these operations. The key of its only owner is `key`; a body is read as the header `x-body`. */
function serve(...operations: Operation[]) {
  const idle = idleApp(loadConfig({ BASE_URL, PAGES_DOMAIN }));
  const app: App = {
    ...idle,
    requests: {
      ...idle.requests,
      authentication: {
        ...idle.requests.authentication,
        async ofRequest({ headers }) {
          if (headers.authorization !== 'Bearer key') throw new HttpError(401, 'no key');
          return {
            id: 7,
            email: 'you@example.com',
            plan: 'free',
            credentialId: 'key_1',
            scope: 'full',
            pages: null,
            via: 'key',
          };
        },
        isCredentialValid: async () => true,
      },
      bodyReader: {
        ...idle.requests.bodyReader,
        async fields({ headers }, _ownerId, { schema }) {
          const read = schema.safeParse(JSON.parse(String(headers['x-body'])));
          if (!read.success) throw new HttpError(400, 'bad body');
          return read.data;
        },
      },
    },
  };
  const api = createApi(operations.map((one) => one.bind(app)));
  api.use(((error, _request, response, _next) =>
    writeError(
      response,
      toHttpError(error),
      {},
      { config: { baseUrl: '' }, limits: testLimits() },
    )) satisfies ErrorRequestHandler);
  return request(api);
}

describe('operation()', () => {
  const change = operation('PUT', '/deploy/:id', 'test', {
    ...described,
    async find(owner, { id }) {
      if (id !== 'd_1') throw new HttpError(404, 'no such deployment');
      return { name: `${id} of ${owner.id}` };
    },
    query: z.object({ page: z.string('bad query') }),
    body: { schema: z.object({ html: z.string() }), example: { html: '<p>' }, maxBytes: 10 },
    answer: { ...answer, status: 202 },
    handle: async ({ owner, params, resource, query, body }) =>
      [owner.plan, params.id, resource.name, query.page, body.html].join(', '),
  });

  it('hands on what it was declared to read', async () => {
    const sent = serve(change)
      .put('/deploy/d_1?page=2')
      .set({ authorization: 'Bearer key', 'x-body': '{"html":"<p>"}' });
    const { status, body } = await sent;
    expect([status, body]).toEqual([202, 'free, d_1, d_1 of 7, 2, <p>']);
  });

  it('checks the key, what the path names, the query and the body in this order', async () => {
    const statuses: [number, string][] = [];
    for (const [key, path, body] of [
      ['wrong', '/deploy/d_2', '{}'],
      ['key', '/deploy/d_2', '{}'],
      ['key', '/deploy/d_1', '{}'],
      ['key', '/deploy/d_1?page=1', '{}'],
    ] as const) {
      const sent = await serve(change)
        .put(path)
        .set({ authorization: `Bearer ${key}`, 'x-body': body });
      statuses.push([sent.status, sent.body.error]);
    }
    expect(statuses).toEqual([
      [401, 'no key'],
      [404, 'no such deployment'],
      [400, 'bad query'],
      [400, 'bad body'],
    ]);
  });

  it('names a parameter that is not described when it is declared', () => {
    const declare = () => operation('GET', '/x/:other', 'test', { ...described, answer, handle: async () => 'text' });
    expect(declare).toThrow('/x/:other has parameters that shared-fields.ts does not have: other');
  });
});

describe('createApi()', () => {
  const get = publicOperation('GET', '/a/:id', 'test', { ...described, answer, handle: async () => 'a' });
  const literal = publicOperation('GET', '/a/b', 'test', { ...described, answer, handle: async () => 'b' });

  it('prefers a path without parameters, wherever it is in the list', async () => {
    expect((await serve(get, literal).get('/a/b')).body).toBe('b');
    expect((await serve(get, literal).get('/a/c')).body).toBe('a');
  });

  it('has no path for an endpoint that is answered elsewhere, but its method in the Allow of others', async () => {
    const elsewhere = publicOperation('POST', '/a/:id', 'test', { ...described, answer });
    expect((await serve(elsewhere).post('/a/1')).status).toBe(404);
    expect((await serve(get, elsewhere).put('/a/1')).headers.allow).toBe('GET, HEAD, POST');
  });

  it('refuses a request before its method is looked at', async () => {
    const api = serve(
      publicOperation('GET', '/a', 'test', {
        ...described,
        answer,
        before({ headers }, _response, next) {
          if (headers['x-inside'] !== 'yes') throw new HttpError(404, 'There is nothing.');
          next();
        },
        handle: async () => 'inside',
      }),
    );
    expect((await api.get('/a').set('x-inside', 'yes')).body).toBe('inside');
    expect([(await api.get('/a')).status, (await api.post('/a')).status]).toEqual([404, 404]);
  });

  it('lets an endpoint write its answer itself', async () => {
    const written = publicOperation('GET', '/a', 'test', {
      ...described,
      answer,
      handle: async (_request, response) => void response.status(203).type('text').end('text'),
    });
    const { status, text } = await serve(written).get('/a');
    expect([status, text]).toEqual([203, 'text']);
  });
});

describe("the API's endpoints", () => {
  const endpoints = endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN }));

  it('have a name each, those included that the reference leaves out', () => {
    expect(new Set(endpoints.map(({ name }) => name)).size).toBe(endpoints.length);
  });

  it('are logged by their path, without what may be secret', () => {
    function loggedPath(path: string): string {
      const lines = new PassThrough();
      const request = new IncomingMessage(new Socket());
      request.url = path;
      const response = new ServerResponse(request);
      logRequest(pino(lines), { request, response, requestId: 'r-1', startedAt: 0, slug: undefined });
      response.emit('close');
      return JSON.parse(String(lines.read())).path;
    }
    const paths = [...endpoints.map(({ path }) => path), ...Object.values(VIEW_PATHS)];
    const own = paths
      // A wildcard, and a part that is a secret.
      .filter((path) => !path.includes('*') && path !== '/feeds/:token.csv')
      .map((path) => path.replaceAll(/:(\w+)/g, 'd_0VbbZBZKKTcBD17YQfyDgVGm'));
    expect(own.map(loggedPath)).toEqual(own);
    const others = [
      ['/nothing', '/nothing'],
      ['/', '/'],
      ['/deploy/', '/deploy/'],
      [`/deploy/fh_${'0'.repeat(43)}`, '/deploy/…'],
      [`/session/mail/${'aB'.repeat(20)}`, '/session/mail/…'],
      [`/shares/${'aB'.repeat(21)}c`, '/shares/…'],
      [`/feeds/${'aB'.repeat(21)}c.csv`, '/feeds/…'],
      [`/${'a'.repeat(30)}/x`, '/…/x'],
      ['/%61', '/…'],
      ['/x'.repeat(300), '/x'.repeat(250)],
    ] as const;
    expect(others.map(([path]) => loggedPath(path))).toEqual(others.map(([, logged]) => logged));
  });
});
