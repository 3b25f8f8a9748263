import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

/* A request that waits ends when its key, or the key of its session, expires meanwhile. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, undefined, { limits: { reads: { watchIntervalMs: 20, streamCommentMs: 20 } } });
});
afterAll(() => service.close());

it.each(['key', 'session'])('a stream ends when its %s has expired', async (kind) => {
  const owner = await service.owner();
  const { id } = await owner.deploy();
  const signedIn = await owner.post('/session').send({ key: owner.key }).expect(200);
  const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const { status, body } = await fetch(`${service.url}/submissions/${id}/stream`, {
    headers:
      kind === 'key'
        ? { Authorization: `Bearer ${owner.key}` }
        : { Cookie: cookie, Origin: service.config.baseUrl, 'Sec-Fetch-Site': 'same-origin' },
    signal: controller.signal,
  });
  expect(status).toBe(200);
  const reader = body?.getReader();
  // The comments of a stream that goes on.
  for (let count = 0; count < 3; count += 1) expect((await reader?.read())?.done).toBe(false);
  await service.db('api_keys').update({ expires_at: new Date(Date.now() - 1_000) });
  for (let isDone: boolean | undefined = false; isDone === false; ) isDone = (await reader?.read())?.done;
  expect((await owner.get('/me')).status).toBe(401);
});
