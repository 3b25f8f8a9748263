import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import request from 'supertest';
import { it, onTestFinished } from 'vitest';
import { createComputePool } from '../../../src/compute/pool.ts';
import { createBodyReader } from '../../../src/http/body.ts';
import { createOwnerConcurrency } from '../../../src/http/owner-concurrency.ts';
import { createSpeak } from '../../../src/http/speech.ts';
import { createSubmit } from '../../../src/http/submit/submit.ts';
import { createVisitorPages } from '../../../src/http/submit/visitors.ts';
import { newDeploymentId } from '../../../src/ids.ts';
import { testLimits } from '../../support/limits.ts';

const STANDSTILL_MS = 300;

it('a submission whose files take longer to be stored than a connection may stand still is answered', async () => {
  const slug = 'slow';
  const submit = createSubmit({
    intake: {
      async submit({ id }) {
        await delay(3 * STANDSTILL_MS);
        return { kind: 'stored', id, slug };
      },
    },
    visited: { find: async () => undefined, inMemory: () => undefined },
    visitorPages: createVisitorPages(() => 'http://slow.example', createSpeak(), testLimits()),
    body: createBodyReader({
      largest: 1_024,
      concurrency: createOwnerConcurrency(testLimits()),
      compute: createComputePool({ maxHtmlBytes: 0 }, testLimits()),
      limits: testLimits(),
    }),
    clientAddress: () => '127.0.0.1',
    maxSubmissionBytes: 1_024,
    maxFileBytes: 1_024,
    maxFilesBytes: 1_024,
    limits: testLimits(),
  });
  const deploymentId = newDeploymentId();
  const server = createServer((asked, response) => {
    const target = { deploymentId, requestId: 'x', pageSlug: undefined };
    submit.handle(asked, response, target).catch((error) => response.destroy(error));
  });
  server.setTimeout(STANDSTILL_MS);
  onTestFinished(() => void server.close());
  await request(server).post('/').attach('file', Buffer.from('x'), 'a.txt').expect(200);
});
