import request from 'supertest';
import { onTestFinished, vi } from 'vitest';
import { failure } from './answers.ts';
import { startServiceProcess } from './process.ts';
import { asOwner, BASE_URL, getPage, type Owner, PAGES_DOMAIN } from './service.ts';
import { keyIn } from './test-process.ts';

const SETTINGS = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

export type Target = { url: string; owner: Owner; form: { id: string; slug: string }; webhookId: string };

/** A service process at `databaseUrl`, gone when the test is over. */
export async function startForOutage(databaseUrl: string, more: Record<string, string> = {}) {
  const service = await startServiceProcess({ ...SETTINGS, DATABASE_URL: databaseUrl, ...more });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  return service;
}

/** An owner with a page, which is in memory, and a webhook. */
export async function prepare(url: string, databaseUrl: string): Promise<Target> {
  const owner = asOwner(url, await keyIn(databaseUrl));
  const form = await owner.deploy({ html: 'kept' });
  const { body } = await owner.post(`/webhooks/${form.id}`).send({ url: 'http://127.0.0.1:9/' }).expect(201);
  await getPage(url, form.slug).expect(200, 'kept');
  return { url, owner, form, webhookId: body.id };
}

/** Every endpoint; each is to change something, where it is one that does. */
export const everyRequest = ({ url, owner, form, webhookId }: Target): Record<string, () => request.Test> => ({
  'POST /deploy': () => owner.post('/deploy').send({ html: 'x' }),
  'GET /deploy/:id': () => owner.get(`/deploy/${form.id}`),
  'PUT /deploy/:id': () => owner.put(`/deploy/${form.id}`).send({ html: 'lost' }),
  'PATCH /deploy/:id': () => owner.patch(`/deploy/${form.id}`).send({ email_notifications: true }),
  'DELETE /deploy/:id': () => owner.delete(`/deploy/${form.id}`),
  'GET /submissions/:deployId': () => owner.get(`/submissions/${form.id}`),
  'POST /webhooks/:deployId': () => owner.post(`/webhooks/${form.id}`).send({ url: 'http://127.0.0.1:9/' }),
  'GET /webhooks/:deployId': () => owner.get(`/webhooks/${form.id}`),
  'DELETE /webhooks/:deployId/:webhookId': () => owner.delete(`/webhooks/${form.id}/${webhookId}`),
  'POST /submit/:deployId': () => request(url).post(`/submit/${form.id}`).send({ a: 'b' }),
  'POST / of a page': () => request(url).post('/').set('Host', `${form.slug}.${PAGES_DOMAIN}`).send({ a: 'b' }),
  'GET /readyz': () => request(url).get('/readyz'),
});

export type Answer = { name: string; status: number; retryAfter: string | undefined; body: unknown };

export async function answerTo(name: string, send: () => request.Test): Promise<Answer> {
  const { status, headers, body } = await send();
  return { name, status, retryAfter: headers['retry-after'], body };
}

/** Whether an answer says that the service is unavailable, as it should. */
export const isUnavailable = ({ status, retryAfter, body }: Answer): boolean =>
  status === 503 &&
  /^[1-9]\d*$/.test(retryAfter ?? '') &&
  JSON.stringify(Object.keys(Object(body))) === JSON.stringify(Object.keys(failure));

/** Settles when a submission is accepted, /readyz is 200 and `isBack` does not reject. */
export async function recovery({ url, form }: Target, isBack: () => Promise<unknown>): Promise<void> {
  const soon = (check: () => PromiseLike<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });
  // A refused submission takes no slot, so that the form does not come to its limit.
  await soon(() => request(url).post(`/submit/${form.id}`).send({ a: 'b' }).expect(200));
  await soon(() => request(url).get('/readyz').expect(200));
  await soon(isBack);
}
