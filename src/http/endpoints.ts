import { keyEndpoints } from './api/account/keys.ts';
import { meEndpoint } from './api/account/me.ts';
import { sessionEndpoints } from './api/account/session.ts';
import { signInLinkEndpoints } from './api/account/sign-in-links.ts';
import { deliveryEndpoints } from './api/deliveries/deliveries.ts';
import { webhookEndpoints } from './api/deliveries/webhooks.ts';
import { checkEndpoints } from './api/deployments/check.ts';
import { deploymentEndpoints } from './api/deployments/deployments.ts';
import { overviewEndpoints } from './api/deployments/overview.ts';
import { settingsEndpoints } from './api/deployments/settings.ts';
import { trashEndpoints } from './api/deployments/trash.ts';
import { versionEndpoints } from './api/deployments/versions.ts';
import { confirmEndpoints } from './api/links/confirm.ts';
import { fileLinkEndpoint } from './api/links/file-links.ts';
import { unsubscribeEndpoints } from './api/links/unsubscribe.ts';
import { altchaEndpoints } from './api/operations/altcha.ts';
import { healthEndpoints } from './api/operations/health.ts';
import { llmsTxtEndpoint } from './api/operations/llms-txt.ts';
import { referenceEndpoints } from './api/operations/reference.ts';
import { securityTxt } from './api/operations/security-txt.ts';
import { tlsEndpoint } from './api/operations/tls.ts';
import { exportEndpoints } from './api/submissions/exports.ts';
import { inboxEndpoints } from './api/submissions/inbox.ts';
import { liveEndpoints } from './api/submissions/live.ts';
import { spamEndpoints } from './api/submissions/spam.ts';
import { statisticsEndpoints } from './api/submissions/statistics.ts';
import { submissionFileEndpoints } from './api/submissions/submission-files.ts';
import { submissionEndpoints } from './api/submissions/submissions.ts';
import type { App } from './app.ts';
import { dashboardEndpoints } from './dashboard/dashboard.ts';
import { mcpEndpoint } from './mcp/mcp.ts';
import type { Endpoint } from './request/declaration.ts';
import { listEndpoints } from './router.ts';
import { submitEndpoints } from './submit/endpoint.ts';

/** Every endpoint of the API. Pages are served on hosts of their own, by pages/pages.ts. */
export function createEndpoints(app: App): readonly Endpoint[] {
  const session = sessionEndpoints(app);
  const signInLinks = signInLinkEndpoints(app);
  const keys = keyEndpoints(app);
  const deployments = deploymentEndpoints(app);
  const check = checkEndpoints(app);
  const versions = versionEndpoints(app);
  const overview = overviewEndpoints(app);
  const settings = settingsEndpoints(app);
  const trash = trashEndpoints(app);
  const submissions = submissionEndpoints(app);
  const inbox = inboxEndpoints(app);
  const spam = spamEndpoints(app);
  const live = liveEndpoints(app);
  const files = submissionFileEndpoints(app);
  const exports = exportEndpoints(app);
  const statistics = statisticsEndpoints(app);
  const webhooks = webhookEndpoints(app);
  const deliveries = deliveryEndpoints(app);
  const unsubscribe = unsubscribeEndpoints(app);
  const confirm = confirmEndpoints(app);
  const submit = submitEndpoints(app);
  const altcha = altchaEndpoints(app);
  const reference = referenceEndpoints(app, () => endpoints);
  const dashboard = dashboardEndpoints(app);
  const health = healthEndpoints(app);

  const endpoints: readonly Endpoint[] = listEndpoints({
    'POST /session': session.begin,
    'DELETE /session': session.end,
    'DELETE /sessions': session.endAll,
    'POST /session/mail': signInLinks.request,
    'GET /session/mail/:token': signInLinks.ask,
    'POST /session/mail/:token': signInLinks.use,

    'GET /me': meEndpoint(app),
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

    // POST is answered ahead of Express, in listener.ts.
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

    'GET /files/:deployId/:submissionId/:fileId': fileLinkEndpoint(app),
    'GET /unsubscribe/:deployId': unsubscribe.ask,
    'POST /unsubscribe/:deployId': unsubscribe.unsubscribe,
    'GET /unsubscribe/:deployId/:recipientId': unsubscribe.askRecipient,
    'POST /unsubscribe/:deployId/:recipientId': unsubscribe.unsubscribeRecipient,
    'GET /confirm/:deployId/:recipientId': confirm.ask,
    'POST /confirm/:deployId/:recipientId': confirm.confirm,

    'POST /mcp': mcpEndpoint(app, () => endpoints),
    'GET /llms.txt': llmsTxtEndpoint(app),

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
    // Answered on every host, in listener.ts.
    'GET /.well-known/security.txt': securityTxt,
    'GET /healthz': health.up,
    'GET /readyz': health.ready,
    'GET /internal/tls': tlsEndpoint(app),
  });
  return endpoints;
}
