import limitConcurrency from 'p-limit';
import type { Config } from '../../src/config.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import type { App } from '../../src/http/app.ts';
import { PageCache } from '../../src/http/pages/page-cache.ts';
import { PageRenderer } from '../../src/http/pages/page-renderer.ts';
import { SiteFiles } from '../../src/http/pages/site-file-reader.ts';
import { Authentication } from '../../src/http/request/auth.ts';
import { BodyReader } from '../../src/http/request/body.ts';
import { Hosts } from '../../src/http/request/hosts.ts';
import { OwnerQueue } from '../../src/http/request/owner-queue.ts';
import { SessionCookie } from '../../src/http/request/session-cookie.ts';
import { ResponseWriter } from '../../src/http/response/response-writer.ts';
import { FairQueue } from '../../src/lib/fair-queue.ts';
import { createLog } from '../../src/lib/log.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { Forms } from '../../src/submissions/live-forms.ts';
import { SpamCheck } from '../../src/submissions/spam-check.ts';
import { SubmissionStore } from '../../src/submissions/submission-store.ts';
import { testLimits } from './test-limits.ts';

const notCalled = (): never => {
  throw new Error('Not called.');
};

/** Custom domains of no deployment. */
export const noDomains = { pageAt: () => undefined, domainsOf: () => [] };

/** Parts of a group in place of idle ones. */
type Replaced = Partial<Pick<App, 'db' | 'limits'>> & {
  [Group in 'submissions' | 'pages' | 'requests' | 'secrets' | 'lifecycle']?: Partial<App[Group]>;
};

/** The parts of a service with these settings, none of which reaches anything. */
export function idleApp(config: Config, replaced: Replaced = {}): App {
  const { limits = testLimits() } = replaced;
  // It connects when it is first asked.
  const { db = connect({ connectionString: 'postgres://nobody@localhost/nothing' }, { limits }) } = replaced;
  const compute = { run: notCalled };
  const sessionCookie = new SessionCookie(config.baseUrl);
  const hosts = new Hosts(config, noDomains);
  const renderer = new PageRenderer(config, hosts, compute, limits);
  const store = { db, limits, bucket: undefined, storageLimits: new Map(), countBatch: () => undefined };
  return {
    config,
    limits,
    log: createLog('silent'),
    metrics: new Metrics(),
    db,
    compute: { checks: compute, formsOf: async () => [], readFormsAhead: async () => undefined },
    files: { openFile: notCalled, openSiteFile: notCalled, bucket: undefined },
    secrets: { links: notCalled, altcha: notCalled, ...replaced.secrets },
    domains: { proofs: notCalled, checks: { check: notCalled, wake: notCalled } },
    health: { findings: notCalled },
    delivery: { mailAccount: undefined, isOwnUrl: () => false, readDocument: notCalled },
    submissions: {
      forms: new Forms(db, (slug) => slug),
      spamCheck: new SpamCheck({ altcha: notCalled, ask: notCalled }, limits),
      store: new SubmissionStore({ ...store, wakeDispatcher: notCalled }),
      honeypotHits: { add: notCalled },
      turnedAway: { add: notCalled },
      ...replaced.submissions,
    },
    pages: {
      cache: new PageCache(
        { read: notCalled, render: notCalled, makeFile: notCalled, canSend: notCalled },
        { maxBytes: 4, maxHtmlBytes: 1, limits },
      ),
      siteFiles: new SiteFiles({ open: notCalled, renderer, canSend: notCalled }, { maxHtmlBytes: 1, limits }),
      renderer,
      limitWrites: limitConcurrency(1),
      siteQueue: new FairQueue({ slots: 1, maxWaiting: 1 }),
      ...replaced.pages,
    },
    requests: {
      hosts,
      clientAddress: () => '192.0.2.1',
      sessionCookie,
      authentication: new Authentication(db, notCalled, sessionCookie),
      ownerQueue: new OwnerQueue(limits),
      bodyReader: new BodyReader(1, compute, limits),
      responseWriter: new ResponseWriter({ largest: 1, limits }),
      ...replaced.requests,
    },
    lifecycle: {
      onDeploymentChange: async () => undefined,
      onPurge: () => undefined,
      isStarting: () => false,
      readiness: async () => 'no database',
      stopping: new AbortController().signal,
      ...replaced.lifecycle,
    },
  };
}
