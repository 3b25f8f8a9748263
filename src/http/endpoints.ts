import { keyOperations } from './api/account/keys.ts';
import { meOperations } from './api/account/me.ts';
import { sessionOperations } from './api/account/session.ts';
import { signInLinkOperations } from './api/account/sign-in-links.ts';
import { deliveryOperations } from './api/deliveries/deliveries.ts';
import { webhookOperations } from './api/deliveries/webhooks.ts';
import { checkOperations } from './api/deployments/check.ts';
import { deploymentOperations } from './api/deployments/deployments.ts';
import { domainOperations } from './api/deployments/domains.ts';
import { overviewOperations } from './api/deployments/overview.ts';
import { settingsOperations } from './api/deployments/settings.ts';
import { siteFileOperations } from './api/deployments/site-files.ts';
import { trashOperations } from './api/deployments/trash.ts';
import { versionOperations } from './api/deployments/versions.ts';
import { confirmOperations } from './api/links/confirm.ts';
import { fileLinkOperation } from './api/links/file-links.ts';
import { spamLinkOperations } from './api/links/spam.ts';
import { unsubscribeOperations } from './api/links/unsubscribe.ts';
import { altchaOperations } from './api/operations/altcha.ts';
import { healthOperations } from './api/operations/health.ts';
import { llmsTxtOperation } from './api/operations/llms-txt.ts';
import type { Tag } from './api/operations/reference/document.ts';
import { referenceOperations } from './api/operations/reference.ts';
import { securityTxt } from './api/operations/security-txt.ts';
import { tlsOperation } from './api/operations/tls.ts';
import { exportOperations } from './api/submissions/exports.ts';
import { inboxOperations } from './api/submissions/inbox.ts';
import { liveOperations } from './api/submissions/live.ts';
import { ownerInboxOperation } from './api/submissions/owner-inbox.ts';
import { spamOperations } from './api/submissions/spam.ts';
import { statisticsOperation } from './api/submissions/statistics.ts';
import { submissionFileOperation } from './api/submissions/submission-files.ts';
import { submissionOperations } from './api/submissions/submissions.ts';
import { testSubmissionOperation } from './api/submissions/test-submission.ts';
import { dashboardOperations } from './dashboard/dashboard.ts';
import { mcpOperations } from './mcp/mcp.ts';
import { type Operation, perService, type Tagged } from './operation/declaration.ts';
import { submitOperations } from './submit/endpoint.ts';

/** Returns every endpoint of a service. */
export const endpointsOf = perService((app): readonly Tagged[] =>
  OPERATIONS.map(({ tag, operation }) => ({ ...operation.bind(app), tag })),
);

const BY_TAG: Readonly<Record<Tag, readonly Operation[]>> = {
  Account: [...sessionOperations, ...signInLinkOperations, ...meOperations, ...keyOperations],
  Deployments: [
    ...[...deploymentOperations, ...overviewOperations, ...settingsOperations, ...checkOperations],
    ...[...versionOperations, ...siteFileOperations, ...domainOperations, statisticsOperation, ...trashOperations],
  ],
  Submissions: [
    ...[...submitOperations, ...submissionOperations, testSubmissionOperation, ...inboxOperations, ownerInboxOperation],
    ...[...liveOperations, submissionFileOperation, ...exportOperations],
  ],
  Spam: [...spamOperations, ...altchaOperations],
  Webhooks: webhookOperations,
  Deliveries: deliveryOperations,
  Links: [fileLinkOperation, ...unsubscribeOperations, ...confirmOperations, ...spamLinkOperations],
  Agents: [...mcpOperations((app) => endpointsOf(app)), llmsTxtOperation],
  Service: [
    ...referenceOperations((app) => endpointsOf(app)),
    ...[...dashboardOperations, securityTxt, ...healthOperations, tlsOperation],
  ],
};

/** Every operation of the API, in the order of the reference. Pages are served on hosts of their own, by pages/pages.ts. */
export const OPERATIONS = Object.entries(BY_TAG).flatMap(([tag, operations]) =>
  operations.map((operation) => ({ tag, operation })),
);
