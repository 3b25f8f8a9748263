import { keyEndpoints } from './api/account/keys.ts';
import { meEndpoints } from './api/account/me.ts';
import { sessionEndpoints } from './api/account/session.ts';
import { signInLinkEndpoints } from './api/account/sign-in-links.ts';
import { deliveryEndpoints } from './api/deliveries/deliveries.ts';
import { webhookEndpoints } from './api/deliveries/webhooks.ts';
import { checkEndpoints } from './api/deployments/check.ts';
import { deploymentEndpoints } from './api/deployments/deployments.ts';
import { domainEndpoints } from './api/deployments/domains.ts';
import { overviewEndpoints } from './api/deployments/overview.ts';
import { settingsEndpoints } from './api/deployments/settings.ts';
import { siteFileEndpoints } from './api/deployments/site-files.ts';
import { trashEndpoints } from './api/deployments/trash.ts';
import { versionEndpoints } from './api/deployments/versions.ts';
import { confirmEndpoints } from './api/links/confirm.ts';
import { fileLinkEndpoint } from './api/links/file-links.ts';
import { spamLinkEndpoints } from './api/links/spam.ts';
import { unsubscribeEndpoints } from './api/links/unsubscribe.ts';
import { altchaEndpoints } from './api/operations/altcha.ts';
import { healthEndpoints } from './api/operations/health.ts';
import { llmsTxtEndpoint } from './api/operations/llms-txt.ts';
import type { Tag } from './api/operations/reference/document.ts';
import { referenceEndpoints } from './api/operations/reference.ts';
import { securityTxt } from './api/operations/security-txt.ts';
import { tlsEndpoint } from './api/operations/tls.ts';
import { exportEndpoints } from './api/submissions/exports.ts';
import { inboxEndpoints } from './api/submissions/inbox.ts';
import { liveEndpoints } from './api/submissions/live.ts';
import { ownerInboxEndpoint } from './api/submissions/owner-inbox.ts';
import { spamEndpoints } from './api/submissions/spam.ts';
import { statisticsEndpoint } from './api/submissions/statistics.ts';
import { submissionFileEndpoint } from './api/submissions/submission-files.ts';
import { submissionEndpoints } from './api/submissions/submissions.ts';
import { testSubmissionEndpoint } from './api/submissions/test-submission.ts';
import type { App } from './app.ts';
import { dashboardEndpoints } from './dashboard/dashboard.ts';
import { mcpEndpoints } from './mcp/mcp.ts';
import type { Endpoint, Tagged } from './request/declaration.ts';
import { submitEndpoints } from './submit/endpoint.ts';

/** Every endpoint of the API, in the order of the reference. Pages are served on hosts of their own, by pages/pages.ts. */
export function createEndpoints(app: App): readonly Tagged[] {
  const byTag: Readonly<Record<Tag, readonly Endpoint[]>> = {
    Account: [...sessionEndpoints(app), ...signInLinkEndpoints(app), ...meEndpoints(app), ...keyEndpoints(app)],
    Deployments: [
      ...overviewEndpoints(app),
      ...deploymentEndpoints(app),
      ...settingsEndpoints(app),
      ...checkEndpoints(app),
      ...versionEndpoints(app),
      ...siteFileEndpoints(app),
      ...domainEndpoints(app),
      statisticsEndpoint(app),
      ...trashEndpoints(app),
    ],
    Submissions: [
      ...submitEndpoints(app),
      ...submissionEndpoints(app),
      testSubmissionEndpoint(app),
      ...inboxEndpoints(app),
      ownerInboxEndpoint(app),
      ...liveEndpoints(app),
      submissionFileEndpoint(app),
      ...exportEndpoints(app),
    ],
    Spam: [...spamEndpoints(app), ...altchaEndpoints(app)],
    Webhooks: webhookEndpoints(app),
    Deliveries: deliveryEndpoints(app),
    Links: [
      ...[fileLinkEndpoint(app), ...unsubscribeEndpoints(app)],
      ...[...confirmEndpoints(app), ...spamLinkEndpoints(app)],
    ],
    Agents: [...mcpEndpoints(app, () => endpoints), llmsTxtEndpoint(app)],
    Service: [
      ...referenceEndpoints(app, () => endpoints),
      ...dashboardEndpoints(app),
      securityTxt,
      ...healthEndpoints(app),
      tlsEndpoint(app),
    ],
  };
  const endpoints = Object.entries(byTag).flatMap(([tag, ofTag]) => ofTag.map((one): Tagged => ({ ...one, tag })));
  return endpoints;
}
