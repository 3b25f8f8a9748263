import type { RequestListener } from 'node:http';
import type { ComputePool } from '../compute/pool.ts';
import { type Config, pageUrl, submitUrl } from '../config.ts';
import { isCredentialValid } from '../db/account/credentials.ts';
import type { DeploymentChange } from '../db/deployments/change-feed.ts';
import { findPages } from '../db/deployments/deployments.ts';
import type { Labels } from '../db/deployments/labels.ts';
import type { OpenFile } from '../db/files/file-content.ts';
import type { Database } from '../db/postgres/connect.ts';
import { lastNumbers } from '../db/submissions/new-submissions.ts';
import type { Altcha } from '../lib/altcha.ts';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import type { Log } from '../lib/log.ts';
import type { SignedLinks } from '../lib/signed-links.ts';
import { type Limits, SIZES } from '../limits.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Forms } from '../submissions/forms.ts';
import type { SubmissionService } from '../submissions/submission-service.ts';
import { keyEndpoints } from './api/account/keys.ts';
import { meEndpoints } from './api/account/me.ts';
import { type MailLink, sessionEndpoints } from './api/account/session.ts';
import { deliveryEndpoints } from './api/deliveries/deliveries.ts';
import { webhookEndpoints } from './api/deliveries/webhooks.ts';
import { checkEndpoints } from './api/deployments/check.ts';
import { deploymentEndpoints } from './api/deployments/deployments.ts';
import { overviewEndpoints } from './api/deployments/overview.ts';
import { settingsEndpoints } from './api/deployments/settings.ts';
import { trashEndpoints } from './api/deployments/trash.ts';
import { versionEndpoints } from './api/deployments/versions.ts';
import { confirmEndpoints } from './api/links/confirm.ts';
import { fileLinkEndpoints } from './api/links/file-links.ts';
import { unsubscribeEndpoints } from './api/links/unsubscribe.ts';
import { altchaEndpoints } from './api/operations/altcha.ts';
import { healthEndpoints, type Readiness } from './api/operations/health.ts';
import { llmsTxtEndpoints } from './api/operations/llms-txt.ts';
import { referenceEndpoints } from './api/operations/reference.ts';
import { securityTxt } from './api/operations/security-txt.ts';
import { tlsEndpoints } from './api/operations/tls.ts';
import { exportEndpoints } from './api/submissions/exports.ts';
import { inboxEndpoints } from './api/submissions/inbox.ts';
import { liveEndpoints } from './api/submissions/live.ts';
import { spamEndpoints } from './api/submissions/spam.ts';
import { statisticsEndpoints } from './api/submissions/statistics.ts';
import { submissionFileEndpoints } from './api/submissions/submission-files.ts';
import { createSubmissionWatch, type SubmissionWatch } from './api/submissions/submission-watch.ts';
import { submissionEndpoints } from './api/submissions/submissions.ts';
import { dashboardEndpoints } from './dashboard/dashboard.ts';
import { createListener } from './listener.ts';
import { mcpEndpoints } from './mcp/mcp.ts';
import { createWidgetFor } from './pages/altcha-widget.ts';
import { PageRenderer, type PrepareNewPage } from './pages/new-page.ts';
import { PageCache, type PageLookups } from './pages/page-cache.ts';
import { createFindForm, createServePage } from './pages/pages.ts';
import { type Authentication, createAuthentication } from './request/auth.ts';
import { type BodyReader, createBodyReader } from './request/body.ts';
import { type ClientAddress, clientAddressFrom } from './request/client-address.ts';
import type { Endpoint } from './request/endpoint.ts';
import { createHostSplit, type Place } from './request/hosts.ts';
import { OwnerQueue } from './request/owner-queue.ts';
import { createSessionCookie, type SessionCookie } from './request/session-cookie.ts';
import { createLogRequest } from './request-log.ts';
import { ResponseWriter } from './response/response-writer.ts';
import { createSpeak } from './response/translations.ts';
import { createApi, listEndpoints } from './router.ts';
import { type ShowThanks, submitEndpoints } from './submit/endpoint.ts';
import { SubmissionHandler } from './submit/submission-handler.ts';
import { createVisitorPages } from './submit/visitors.ts';

/** What the endpoints need. */
type Parts = {
  config: Config;
  limits: Limits;
  db: Database;
  openFile: OpenFile;
  ownerQueue: OwnerQueue;
  authentication: Authentication;
  sessionCookie: SessionCookie;
  body: BodyReader;
  clientAddress: ClientAddress;
  /** undefined when there is no mail server. */
  mailLink: MailLink | undefined;
  sending: ResponseWriter;
  /** The thread for checks of pages. */
  checks: Pick<ComputePool, 'run'>;
  /** What people call the fields of a deployment's page, by their names. */
  labelsOf(deploymentId: string): Promise<Labels>;
  placeOf(host: string): Place;
  /** What is live under a slug; undefined when nothing is. */
  findPage(slug: string): unknown;
  prepareNewPage: PrepareNewPage;
  /** Called once a change of a deployment is committed. */
  onDeploymentChange(change: DeploymentChange): void;
  /** Whether a URL leads back to this service. */
  leadsHere(url: URL): boolean;
  /** The links in mails. */
  links(): Promise<SignedLinks>;
  altcha(): Promise<Altcha>;
  forms: Forms;
  watch: SubmissionWatch;
  /** Called when the rest of a purged deployment, or spam, is to be removed. */
  onPurge(): void;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  showThanks: ShowThanks;
  readiness(): Promise<Readiness>;
  log: Log;
};

/** Every endpoint of the API. Pages are served on hosts of their own, by pages/pages.ts. */
export function createEndpoints({
  config,
  readiness,
  placeOf,
  findPage,
  prepareNewPage,
  leadsHere,
  showThanks,
  ...parts
}: Parts): readonly Endpoint[] {
  const urlOf = (slug: string): string => pageUrl(config, slug);
  const { cell, planLimits, storageLimits, reservedSlugs, maxHtmlBytes, pageVersions, trashDays } = config;
  const ownerParts = {
    ...parts,
    planLimits,
    storageLimits,
    hasMail: config.smtpUrl !== undefined,
    abuseContact: config.abuseContact?.text,
  };
  const session = sessionEndpoints({ ...parts, cell, baseUrl: config.baseUrl });
  const me = meEndpoints(ownerParts);
  const keys = keyEndpoints({ ...parts, cell });
  const deployments = deploymentEndpoints({
    ...ownerParts,
    cell,
    urlOf,
    prepareNewPage,
    reservedSlugs,
    maxHtmlBytes,
    pageVersions,
  });
  const { baseUrl, pagesDomain, abuseContact: contact } = config;
  const check = checkEndpoints({
    ...parts,
    urlOf,
    baseUrl,
    pagesDomain,
    maxHtmlBytes,
    maxFields: SIZES.submission.maxFields,
  });
  const versions = versionEndpoints({ ...ownerParts, urlOf, prepareNewPage, pageVersions });
  const overview = overviewEndpoints({ db: parts.db, urlOf, baseUrl: config.baseUrl });
  const settings = settingsEndpoints({ ...ownerParts, prepareNewPage, checkCaptcha: check.captchaMissing });
  const trash = trashEndpoints({ ...ownerParts, urlOf, trashDays, reservedSlugs });
  const submissions = submissionEndpoints(parts);
  const inbox = inboxEndpoints(parts);
  const spam = spamEndpoints(parts);
  const altcha = altchaEndpoints(parts);
  const live = liveEndpoints(parts);
  const files = submissionFileEndpoints(parts);
  const fileLinks = fileLinkEndpoints(parts);
  const unsubscribe = unsubscribeEndpoints({ ...parts, baseUrl: config.baseUrl });
  const confirm = confirmEndpoints(parts);
  const exports = exportEndpoints(parts);
  const webhooks = webhookEndpoints({ ...parts, allowedNetworks: config.webhookAllowCidrs, leadsHere });
  const deliveries = deliveryEndpoints({ ...ownerParts, logDays: config.deliveryLogDays });
  const statistics = statisticsEndpoints(parts);
  const submit = submitEndpoints({ ...config, showThanks });
  const reference = referenceEndpoints({ limits: parts.limits, baseUrl, contact, urlOf, endpoints: () => endpoints });
  const llms = llmsTxtEndpoints({ ...config, limits: parts.limits, urlOf });
  const mcp = mcpEndpoints({ ...parts, baseUrl, maxHtmlBytes, endpoints: () => endpoints });
  const dashboard = dashboardEndpoints({ ...ownerParts, frameSource: urlOf('*') });
  const health = healthEndpoints(readiness);
  const tls = tlsEndpoints({ apiHost: new URL(config.baseUrl).hostname, placeOf, findPage });

  const endpoints = listEndpoints({
    'POST /session': session.begin,
    'DELETE /session': session.end,
    'DELETE /sessions': session.endAll,
    'POST /session/mail': session.askForLink,
    'GET /session/mail/:token': session.askToSignIn,
    'POST /session/mail/:token': session.useLink,

    'GET /me': me.get,
    'GET /overview': overview.get,
    'GET /keys': keys.list,
    'POST /keys': keys.create,
    'DELETE /keys/:keyId': keys.revoke,

    'POST /check': check.check,
    'GET /deploy': deployments.list,
    'POST /deploy': deployments.create,
    'GET /deploy/:id': deployments.get,
    'PUT /deploy/:id': deployments.replaceHtml,
    'PATCH /deploy/:id': settings.change,
    'DELETE /deploy/:id': deployments.delete,
    'GET /deploy/:id/html': deployments.getHtml,
    'GET /deploy/:id/check': check.checkLive,
    'GET /deploy/:id/versions': versions.list,
    'GET /deploy/:id/versions/:version/html': versions.getHtml,
    'POST /deploy/:id/versions/:version/restore': versions.restore,
    'GET /deploy/:id/stats': statistics.get,
    'GET /deploy/:id/settings': settings.get,
    'GET /deploy/:id/mails': deliveries.listMails,
    'POST /deploy/:id/mails/test': deliveries.testMail,
    'POST /deploy/:id/mails/:deliveryId/retry': deliveries.retryMail,

    'GET /deploy/:id/spam': spam.list,
    'DELETE /deploy/:id/spam': spam.deleteAll,
    'POST /deploy/:id/spam/:submissionId/release': spam.release,
    'DELETE /deploy/:id/spam/:submissionId': spam.delete,

    'GET /trash': trash.list,
    'POST /trash/:id/restore': trash.restore,
    'DELETE /trash/:id': trash.purge,

    // POST is answered ahead of Express, in dispatch.ts.
    'OPTIONS /submit/:deployId': submit.preflight,
    'POST /submit/:deployId': submit.submit,
    'GET /submit/:deployId/thanks': submit.thanks,

    'GET /submissions/:deployId': submissions.list,
    'GET /submissions/:deployId/search': inbox.search,
    'POST /submissions/:deployId/bulk': inbox.bulk,
    'GET /submissions/:deployId/after/:cursor': live.after,
    'GET /submissions/:deployId/stream': live.stream,
    'GET /submissions/:deployId/:submissionId': submissions.get,
    'PATCH /submissions/:deployId/:submissionId': inbox.mark,
    'DELETE /submissions/:deployId/:submissionId': submissions.delete,
    'GET /submissions/:deployId/:submissionId/files/:fileId': files.get,
    'GET /submissions/:deployId/export.csv': exports.csv,
    'GET /submissions/:deployId/export.xlsx': exports.xlsx,
    'GET /submissions/:deployId/export.ndjson': exports.ndjson,

    'GET /webhooks/:deployId': webhooks.list,
    'POST /webhooks/:deployId': webhooks.create,
    'DELETE /webhooks/:deployId/:webhookId': webhooks.delete,
    'PATCH /webhooks/:deployId/:webhookId': webhooks.change,
    'GET /webhooks/:deployId/:webhookId/secret': webhooks.getSecret,
    'POST /webhooks/:deployId/:webhookId/secret/rotate': webhooks.rotateSecret,
    'POST /webhooks/:deployId/:webhookId/test': deliveries.test,
    'GET /webhooks/:deployId/:webhookId/deliveries': deliveries.list,
    'POST /webhooks/:deployId/:webhookId/deliveries/:deliveryId/retry': deliveries.retry,

    'GET /altcha.js': altcha.widget,
    'GET /altcha/challenge': altcha.challenge,

    'GET /files/:deployId/:submissionId/:fileId': fileLinks.get,
    'GET /unsubscribe/:deployId': unsubscribe.ask,
    'POST /unsubscribe/:deployId': unsubscribe.unsubscribe,
    'GET /unsubscribe/:deployId/:recipientId': unsubscribe.askRecipient,
    'POST /unsubscribe/:deployId/:recipientId': unsubscribe.unsubscribeRecipient,
    'GET /confirm/:deployId/:recipientId': confirm.ask,
    'POST /confirm/:deployId/:recipientId': confirm.confirm,

    'POST /mcp': mcp.answer,
    'GET /llms.txt': llms.get,

    'GET /': reference.start,
    'GET /dashboard': dashboard.start,
    'GET /dashboard/assets/:asset': dashboard.asset,
    'GET /dashboard/*view': dashboard.view,
    'GET /openapi.json': reference.document,
    'GET /docs': reference.page,
    'GET /docs/start.js': reference.pageScript,
    'GET /docs/page.css': reference.pageStyles,
    'GET /docs/swagger-ui.css': reference.swaggerStyles,
    'GET /docs/swagger-ui-bundle.js': reference.swaggerScript,
    // Answered on every host, in dispatch.ts.
    'GET /.well-known/security.txt': securityTxt,
    'GET /healthz': health.up,
    'GET /readyz': health.ready,
    'GET /internal/tls': tls.ask,
  });
  return endpoints;
}

type App = {
  listener: RequestListener;
  /** A deployment has changed. */
  invalidate(change: DeploymentChange): void;
  /** Changes by other processes may have been missed. */
  invalidateAll(): void;
  pageLookups(): PageLookups;
};

/** The whole HTTP surface. */
export function createApp({
  config,
  limits,
  db,
  openFile,
  forms,
  submissions,
  compute,
  checks,
  labelsOf,
  leadsHere,
  links,
  altcha,
  mailLink,
  metrics,
  log,
  newRequestId,
  isStarting,
  readiness,
  onPurge,
  stopping,
}: {
  config: Config;
  limits: Limits;
  db: Database;
  openFile: OpenFile;
  forms: Forms;
  submissions: SubmissionService;
  compute: ComputePool;
  /** Another, for checks of pages. */
  checks: Pick<ComputePool, 'run'>;
  /** What people call the fields of a deployment's page, by their names. */
  labelsOf(deploymentId: string): Promise<Labels>;
  /** Whether a URL leads back to this service. */
  leadsHere(url: URL): boolean;
  /** The links in mails. */
  links(): Promise<SignedLinks>;
  altcha(): Promise<Altcha>;
  /** undefined when there is no mail server. */
  mailLink: MailLink | undefined;
  metrics: Metrics;
  log: Log;
  newRequestId(): string;
  isStarting(): boolean;
  readiness(): Promise<Readiness>;
  /** Called when the rest of a purged deployment is to be removed. */
  onPurge(): void;
  /** Fires when the service stops. */
  stopping: AbortSignal;
}): App {
  const ownerQueue = new OwnerQueue(limits);
  const sending = new ResponseWriter({ largest: config.maxHtmlBytes, limits });
  const body = createBodyReader({
    largest: Math.max(config.maxHtmlBytes, config.maxFilesBytes),
    compute,
    limits,
  });
  const clientAddress = clientAddressFrom(config.trustProxy);
  const sessionCookie = createSessionCookie(config.baseUrl);
  const authentication = createAuthentication({
    db,
    clientAddress,
    sessionCookie,
    limits,
  });
  const placeOf = createHostSplit(config, limits);
  const urlOf = (slug: string): string => pageUrl(config, slug);

  const speak = createSpeak();
  const renderer = new PageRenderer({
    submitUrl: submitUrl(config),
    widgetFor: createWidgetFor(config, speak),
    compute,
    limits,
  });
  const pages = new PageCache(
    {
      read: (slugs, maxBytes) => findPages(db, slugs, { submitUrl: submitUrl(config), maxBytes }),
      render: (slug, page) => renderer.render(page.ownerId, { ...page, slug }),
      canSend: (ownerId) => sending.fits(ownerId),
    },
    { maxBytes: config.pageCacheBytes, limits },
  );
  const visitorPages = createVisitorPages(urlOf, speak, limits);
  const showThanks: ShowThanks = async (response, deploymentId, headers) => {
    const form = await forms.get(deploymentId).then(
      (found) => found ?? ('absent' as const),
      () => undefined,
    );
    visitorPages.thank(response, form, headers);
  };
  const submit = new SubmissionHandler({ submissions, forms, visitorPages, body, clientAddress }, config, limits);
  function invalidate({ deploymentId, slug }: DeploymentChange): void {
    pages.invalidate(slug);
    forms.invalidate(deploymentId);
    submissions.invalidate(deploymentId);
  }

  const servePage = createServePage(pages, sending, config.baseUrl);

  const endpoints = createEndpoints({
    config,
    limits,
    db,
    openFile,
    ownerQueue,
    authentication,
    sessionCookie,
    body,
    clientAddress,
    mailLink,
    sending,
    checks,
    labelsOf,
    placeOf,
    findPage: (slug) => pages.get(slug),
    prepareNewPage: (ownerId, page) => renderer.prepare(ownerId, page),
    onDeploymentChange: invalidate,
    leadsHere,
    links,
    altcha,
    forms,
    watch: createSubmissionWatch((...of) => lastNumbers(db, ...of), limits),
    onPurge,
    stopping,
    showThanks,
    readiness,
    log,
  });
  const listener = createListener({
    api: createApi(endpoints, {
      authenticate: authentication.ofRequest,
      ownerQueue,
      isCredentialValid: (id) => isCredentialValid(db, id),
      body,
      sending,
      limits,
    }),
    endpoints,
    servePage,
    findForm: createFindForm(pages),
    submit,
    visitorPages,
    forms,
    showThanks,
    speak,
    placeOf,
    cookieName: sessionCookie.name,
    abuseContact: config.abuseContact,
    metrics,
    log,
    logRequest: createLogRequest(log, [...endpoints.map(({ path }) => path), ...Object.values(VIEW_PATHS)]),
    newRequestId,
    isStarting,
    limits,
  });

  return {
    listener,
    invalidate,
    invalidateAll() {
      pages.invalidateAll();
      forms.invalidateAll();
      submissions.invalidateAll();
    },
    pageLookups: () => pages.lookups,
  };
}
