import { auditOperations } from './api/account/audit-endpoints.ts';
import { grantOperations } from './api/account/grant-endpoints.ts';
import { keyOperations } from './api/account/key-endpoints.ts';
import { meOperations } from './api/account/me-endpoints.ts';
import { oidcOperations } from './api/account/oidc-endpoints.ts';
import { sessionOperations } from './api/account/session-endpoints.ts';
import { signInLinkOperations } from './api/account/sign-in-link-endpoints.ts';
import { deliveryOperations } from './api/deliveries/delivery-endpoints.ts';
import { webhookOperations } from './api/deliveries/webhook-endpoints.ts';
import { anonymousPageOperations } from './api/deployments/anonymous-page-endpoints.ts';
import { checkOperations } from './api/deployments/check-endpoints.ts';
import { deploymentOperations } from './api/deployments/deployment-endpoints.ts';
import { domainOperations } from './api/deployments/domain-endpoints.ts';
import { draftOperations } from './api/deployments/drafts/draft-endpoints.ts';
import { newPageDraftOperations } from './api/deployments/drafts/new-page-draft-endpoints.ts';
import { editOperation } from './api/deployments/edit-endpoints.ts';
import { guestOperations } from './api/deployments/guest-endpoints.ts';
import { overviewOperations } from './api/deployments/overview-endpoints.ts';
import { pageFormsOperation } from './api/deployments/page-form-endpoints.ts';
import { settingsOperations } from './api/deployments/settings-endpoints.ts';
import { siteFileOperations } from './api/deployments/site-file-endpoints.ts';
import { trashOperations } from './api/deployments/trash-endpoints.ts';
import { versionOperations } from './api/deployments/version-endpoints.ts';
import { confirmOperations } from './api/links/confirm-endpoints.ts';
import { feedReadOperation } from './api/links/feed-read-endpoints.ts';
import { fileLinkOperation } from './api/links/file-link-endpoints.ts';
import { invitationOperations } from './api/links/invitation-endpoints.ts';
import { shareReadOperations } from './api/links/share-read-endpoints.ts';
import { spamLinkOperations } from './api/links/spam-link-endpoints.ts';
import { unsubscribeOperations } from './api/links/unsubscribe-endpoints.ts';
import { authorizeOperations } from './api/oauth/authorize-endpoints.ts';
import { oauthMetadataOperations } from './api/oauth/oauth-metadata-endpoints.ts';
import { oauthRegistrationOperations } from './api/oauth/oauth-registration-endpoints.ts';
import { tokenOperations } from './api/oauth/token-endpoints.ts';
import { operatorOperations } from './api/operators/operator-endpoints.ts';
import { altchaOperations } from './api/service/altcha-endpoints.ts';
import { apiCatalogOperation } from './api/service/api-catalog-endpoints.ts';
import { healthOperations } from './api/service/health-endpoints.ts';
import { llmsTxtOperation, skillOperation } from './api/service/llms-txt-endpoints.ts';
import type { Tag } from './api/service/reference/reference-document.ts';
import { referenceOperations } from './api/service/reference-endpoints.ts';
import { securityTxt } from './api/service/security-txt-endpoints.ts';
import { tlsOperation } from './api/service/tls-endpoints.ts';
import { exportOperations } from './api/submissions/export-endpoints.ts';
import { feedOperations } from './api/submissions/feed-endpoints.ts';
import { importOperations } from './api/submissions/import-endpoints.ts';
import { inboxOperations } from './api/submissions/inbox-endpoints.ts';
import { liveOperations } from './api/submissions/live-endpoints.ts';
import { ownerInboxOperation } from './api/submissions/owner-inbox-endpoints.ts';
import { shareOperations } from './api/submissions/share-endpoints.ts';
import { spamOperations } from './api/submissions/spam-endpoints.ts';
import { statisticsOperation } from './api/submissions/statistics-endpoints.ts';
import { submissionOperations } from './api/submissions/submission-endpoints.ts';
import { submissionFileOperation } from './api/submissions/submission-file-endpoints.ts';
import { submissionTrashOperations } from './api/submissions/submission-trash-endpoints.ts';
import { testSubmissionOperation } from './api/submissions/test-submission-endpoints.ts';
import { dashboardOperations } from './dashboard/dashboard-endpoints.ts';
import { mcpOperations } from './mcp/mcp.ts';
import { type Operation, perService, type Tagged } from './operation/declaration.ts';
import { submitOperations } from './submit/submit-endpoints.ts';

/** Returns every endpoint of a service. */
export const endpointsOf = perService((app): readonly Tagged[] =>
  OPERATIONS.map(({ tag, operation }) => ({ ...operation.bind(app), tag })),
);

const BY_TAG: Readonly<Record<Tag, readonly Operation[]>> = {
  Account: [
    ...[...sessionOperations, ...signInLinkOperations, ...oidcOperations],
    ...[...meOperations, ...keyOperations, ...grantOperations, ...auditOperations],
  ],
  Deployments: [
    ...[...deploymentOperations, editOperation, ...overviewOperations, ...settingsOperations, ...checkOperations],
    ...[
      ...versionOperations,
      ...draftOperations,
      ...newPageDraftOperations,
      ...siteFileOperations,
      pageFormsOperation,
      ...domainOperations,
      ...guestOperations,
      statisticsOperation,
      ...trashOperations,
      ...anonymousPageOperations,
    ],
  ],
  Submissions: [
    ...[...submitOperations, ...submissionOperations, testSubmissionOperation, ...inboxOperations, ownerInboxOperation],
    ...[...submissionTrashOperations, ...liveOperations, submissionFileOperation, ...exportOperations],
    ...[...feedOperations, ...shareOperations, ...importOperations],
  ],
  Spam: [...spamOperations, ...altchaOperations],
  Webhooks: webhookOperations,
  Deliveries: deliveryOperations,
  Operators: operatorOperations,
  Links: [
    fileLinkOperation,
    feedReadOperation,
    ...invitationOperations,
    ...shareReadOperations,
    ...unsubscribeOperations,
    ...confirmOperations,
    ...spamLinkOperations,
  ],
  Agents: [...mcpOperations((app) => endpointsOf(app)), llmsTxtOperation, skillOperation],
  OAuth: [...authorizeOperations, ...tokenOperations, ...oauthRegistrationOperations, ...oauthMetadataOperations],
  Service: [
    ...referenceOperations((app) => endpointsOf(app)),
    ...[...dashboardOperations, securityTxt, apiCatalogOperation, ...healthOperations, tlsOperation],
  ],
};

/** Every operation of the API, in the order of the reference. Pages are served on hosts of their own, by pages/pages.ts. */
export const OPERATIONS = Object.entries(BY_TAG).flatMap(([tag, operations]) =>
  operations.map((operation) => ({ tag, operation })),
);
