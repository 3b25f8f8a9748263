import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import request from 'supertest';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { type LiveForm, NO_RULES } from '../../../src/db/submissions/form-queries.ts';
import { RequestContext } from '../../../src/http/request/request-context.ts';
import { SubmissionRoute } from '../../../src/http/submit/submission-route.ts';
import { VisitorPages } from '../../../src/http/submit/visitor-pages.ts';
import { newDeploymentId } from '../../../src/lib/ids.ts';
import { NO_LOOK } from '../../../src/sites/page-look.ts';
import { Forms } from '../../../src/submissions/live-forms.ts';
import { SubmissionStore } from '../../../src/submissions/submission-store.ts';
import { idleApp } from '../../support/test-app.ts';

/** The time-out of the connection while the submission is being stored. */
let timeout: number | undefined;
let socket: Socket | undefined;

class OneForm extends Forms {
  override async get(deploymentId: string): Promise<LiveForm> {
    return {
      deploymentId,
      slug: 'slow',
      isSuspended: false,
      formerSlugs: [],
      language: null,
      lang: undefined,
      placesField: null,
      look: NO_LOOK,
      rules: NO_RULES,
      tellsFormsApart: false,
      forms: undefined,
    };
  }
}
class SlowStore extends SubmissionStore {
  override async store(): Promise<{ kind: 'accepted' }> {
    timeout = socket?.timeout;
    return { kind: 'accepted' };
  }
}

it('a connection may stand still for longer while the files of its submission are stored', async () => {
  const idle = idleApp(loadConfig({ BASE_URL: 'http://api.test', PAGES_DOMAIN: 'pages.test' }));
  const parts = { ...idle, bucket: undefined, storageLimits: new Map(), countBatch: () => undefined };
  const app = {
    ...idle,
    requests: { ...idle.requests, clientAddress: () => '127.0.0.1' },
    submissions: {
      ...idle.submissions,
      forms: new OneForm(idle.db, (slug) => slug),
      store: new SlowStore({ ...parts, wakeDispatcher: () => undefined }),
    },
  };
  const submissions = new SubmissionRoute(app, new VisitorPages(app));
  const deploymentId = newDeploymentId();
  const server = createServer((asked, response) => {
    socket = asked.socket;
    const observers = { log: app.log, metrics: app.metrics, logsAll: false };
    const context = new RequestContext(asked, response, 'x', observers);
    context.formId = deploymentId;
    submissions.handle(asked, response, () => response.destroy());
  });
  onTestFinished(() => void server.close());
  await request(server).post('/').attach('file', Buffer.from('x'), 'a.txt').expect(200);
  expect(timeout).toBe(idle.limits.submissions.transactionSocketTimeoutMs);
});
