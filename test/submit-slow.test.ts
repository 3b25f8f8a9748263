import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import request from 'supertest';
import { it, onTestFinished } from 'vitest';
import { createBodyReader } from '../src/http/body.ts';
import { createSubmit } from '../src/http/submit.ts';
import { createVisitorPages } from '../src/http/visitors.ts';
import { newDeploymentId } from '../src/ids.ts';

const STANDSTILL_MS = 300;

it('a submission whose files take longer to be stored than a connection may stand still is answered', async () => {
  const slug = 'slow';
  const store = async () => {
    await delay(3 * STANDSTILL_MS);
    return { kind: 'accepted', slug } as const;
  };
  const submit = createSubmit({
    queue: { submit: store },
    uploads: { submit: store },
    findSlug: async () => slug,
    hearsOfChanges: () => true,
    visitorPages: createVisitorPages(() => 'http://slow.example'),
    body: createBodyReader({ largest: 1_024 }),
    clientAddress: () => '127.0.0.1',
    maxSubmissionBytes: 1_024,
    maxFileBytes: 1_024,
    maxFilesBytes: 1_024,
    count: () => undefined,
  });
  const deploymentId = newDeploymentId();
  const server = createServer((asked, response) => {
    const target = { deploymentId, requestId: 'x', cors: true, visitor: undefined };
    submit.take(asked, response, target).catch((error) => response.destroy(error));
  });
  server.setTimeout(STANDSTILL_MS);
  onTestFinished(() => void server.close());
  await request(server).post('/').attach('file', Buffer.from('x'), 'a.txt').expect(200);
});
