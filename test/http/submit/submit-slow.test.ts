import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import request from 'supertest';
import { expect, it, onTestFinished } from 'vitest';
import { ComputePool } from '../../../src/compute/pool.ts';
import { NO_RULES } from '../../../src/db/submissions/forms.ts';
import { BodyReader } from '../../../src/http/request/body.ts';
import { SubmissionHandler } from '../../../src/http/submit/submission-handler.ts';
import { createVisitorPages } from '../../../src/http/submit/visitors.ts';
import { newDeploymentId } from '../../../src/lib/ids.ts';
import { testLimits } from '../../support/limits.ts';

const STANDSTILL_MS = 30_000;

it('a connection may stand still for longer while the files of its submission are stored', async () => {
  const slug = 'slow';
  const limits = testLimits();
  /** The time-outs of the connection, while the submission is being stored and after that. */
  const timeouts: (number | undefined)[] = [];
  let socket: Socket | undefined;
  const submit = new SubmissionHandler(
    {
      submissions: {
        async submit({ id, deploymentId }) {
          timeouts.push(socket?.timeout);
          const form = { deploymentId, slug, language: null, lang: undefined, rules: NO_RULES };
          return { kind: 'accepted', id, form };
        },
      },
      forms: { get: async () => undefined, inMemory: () => undefined },
      visitorPages: createVisitorPages(() => 'http://slow.example', limits),
      body: new BodyReader(1_024, new ComputePool({ maxHtmlBytes: 0 }, testLimits()), testLimits()),
      clientAddress: () => '127.0.0.1',
    },
    { maxSubmissionBytes: 1_024, maxFileBytes: 1_024, maxFilesBytes: 1_024 },
    limits,
  );
  const deploymentId = newDeploymentId();
  const server = createServer((asked, response) => {
    const target = { deploymentId, requestId: 'x', pageSlug: undefined };
    socket = asked.socket;
    submit.handle(asked, response, target).then(
      () => timeouts.push(socket?.timeout),
      (error) => response.destroy(error),
    );
  });
  server.setTimeout(STANDSTILL_MS);
  onTestFinished(() => void server.close());
  await request(server).post('/').attach('file', Buffer.from('x'), 'a.txt').expect(200);
  expect(timeouts).toEqual([limits.submissions.aloneSocketTimeoutMs, STANDSTILL_MS]);
});
