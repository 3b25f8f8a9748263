import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import {
  createTestDelivery,
  findDelivery,
  findLoggedMail,
  listDeliveries,
  retryDelivery,
} from '../../../db/deliveries/delivery-log-queries.ts';
import { listRecipients, mailReceivers } from '../../../db/deliveries/mail-recipient-queries.ts';
import { createConfirmationPreview } from '../../../db/deliveries/visitor-confirmation-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { FIRST_OWNER } from '../../../lib/mail-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { OPTIONAL_RATE_LIMIT_HEADERS, RATE_LIMIT_HEADERS } from '../../request/rate-limit.ts';
import {
  answerObject,
  countField,
  countOrNull,
  deliveryId,
  submissionId,
  textOrNull,
  time,
} from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { foundOr404, missing, noSuchWebhook, ownDeployment, ownWebhook } from '../deployments/own-deployment.ts';
import { ONE_TEST, testsOf, tooManyTests } from './test-limit.ts';

const fields = {
  id: deliveryId,
  submission_id: submissionId
    .nullable()
    .meta({ description: 'The submission that it is about; null for a test, and for a mail that lists several.' }),
  status: z.enum(['pending', 'succeeded', 'failed']),
  attempts: countField('How many there have been, including one that is in progress.', 1),
  next_attempt_at: time.nullable().meta({
    description: 'When it is tried next; null while it is in progress or its webhook is off, and when it is over.',
  }),
  last_status: countOrNull('The status of the last answer, of HTTP or SMTP; null without one.', 503),
  last_error: textOrNull('Why the last attempt failed; null when it succeeded.', 'the receiver answered 503'),
  created_at: time,
  updated_at: time,
};
const Listed = answerObject('Delivery', fields);
const Attempt = answerObject('DeliveryAttempt', {
  at: time.meta({ description: 'When it began.' }),
  duration_ms: countField('How many milliseconds it took.', 84),
  status: countOrNull('The status of the answer; null without one.', 503),
  error: textOrNull('Why it failed; null when it succeeded.', 'the receiver answered 503'),
  response: textOrNull(
    `The first ${SIZES.webhook.maxResponseChars} characters of the answer; null without one, and for a compressed one.`,
    'Service Unavailable',
  ),
});
const Detailed = answerObject('DeliveryDetails', {
  ...fields,
  attempts: z.array(Attempt).meta({ description: 'Those that have ended, the first first: the last 50.' }),
});
const Deliveries = answerObject('Deliveries', { deliveries: z.array(Listed), ...paged });
const ListedMail = answerObject('Mail', {
  ...fields,
  recipient: textOrNull(
    'The address; null when the recipient was removed long ago, and when a visitor has given none.',
    'ada@example.org',
  ),
});
const Mails = answerObject('Mails', { deliveries: z.array(ListedMail), ...paged });
const Started = answerObject('DeliveryStarted', { id: deliveryId });
const Retried = answerObject('DeliveryRetried', { id: deliveryId, status: z.literal('pending') });

const WRONG_ID = 'No such delivery: check the id.';
const noSuchDelivery = missing('NoSuchDelivery', 'no such webhook of it, or no such delivery', WRONG_ID);
const noSuchMail = missing('NoSuchMail', 'or no such mail of it', WRONG_ID);
const nobodyGetsMail = errorKind(
  { id: 'NobodyGetsMail', description: 'Nobody would get it. The sentence says what to do.' },
  (todo: string) => new HttpError(409, `Nobody would get this mail: ${todo}, and try again.`),
  'have a recipient confirm',
);
const confirmationSent = errorKind(
  { id: 'ConfirmationSent', description: 'The confirmation has been sent to its visitor.' },
  () => new HttpError(409, 'This confirmation has been sent: a visitor gets it once.'),
);
const started = { status: 202, schema: Started, headers: RATE_LIMIT_HEADERS };
const retried = { status: 202, description: 'It will be tried.', schema: Retried };

/** The log of a webhook. */
const logOf = ({ id, deploymentId }: { id: string; deploymentId: string }) => ({ deploymentId, webhookId: id });

const testOperation = operation('POST', '/webhooks/:deployId/:webhookId/test', 'testWebhook', {
  noAudit: 'It sends a sample.',
  tool: {
    name: 'test_webhook',
    description: 'Sends a sample. Then list_deliveries.',
  },
  noCommand: '`formhost webhooks test` calls it, and waits for the outcome.',
  summary: 'Send a sample submission to a webhook',
  description: `It is sent like any other delivery: the log shows its outcome. No submission is stored. It counts as ${ONE_TEST}`,
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { ...started, description: 'The delivery will be sent.' },
  errors: [noSuchWebhook, tooManyTests],
  async handle({ resource: webhook, ...call }, app) {
    await testsOf(app).countOwner(call);
    return { id: foundOr404(await createTestDelivery(app.db, call.owner.id, webhook.id), noSuchWebhook) };
  },
});

const listOperation = operation('GET', '/webhooks/:deployId/:webhookId/deliveries', 'listDeliveries', {
  tool: {
    name: 'list_deliveries',
    description: 'Newest first, with their outcome.',
    isBounded: true,
  },
  command: {
    usage: 'webhooks log <id> <webhook>',
    text: 'List the deliveries of a webhook, newest first',
    limit: 20,
    table: {
      columns: ['ID', 'STATUS', 'ATTEMPTS', 'ANSWER', 'UPDATED', 'SUBMISSION', 'ERROR'],
      rows: ({ deliveries }) =>
        deliveries.map(({ id, status, attempts, last_status, updated_at, submission_id, last_error }) => {
          return [id, status, attempts, last_status, updated_at, submission_id ?? 'test', last_error];
        }),
    },
  },
  summary: 'List the deliveries of a webhook',
  description: ({ config }) =>
    `Newest first. Finished deliveries are kept for ${config.deliveryLogDays} days (DELIVERY_LOG_DAYS).`,
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  query: Paging,
  answer: { description: 'A page of deliveries.', schema: Deliveries },
  errors: [noSuchWebhook],
  async handle({ resource: webhook, query: paging }, { db }) {
    const { rows, total } = await listDeliveries(db, logOf(webhook), paging);
    return { deliveries: rows.map((one) => toWire(Listed, one)), total, ...paging };
  },
});

const getOperation = operation('GET', '/webhooks/:deployId/:webhookId/deliveries/:deliveryId', 'getDelivery', {
  command: {
    usage: 'webhooks delivery <id> <webhook> <delivery>',
    text: 'List the attempts of a delivery, with what the receiver answered',
    table: {
      columns: ['AT', 'MS', 'ANSWER', 'ERROR', 'RESPONSE'],
      rows: ({ attempts }) => attempts.map((one) => [one.at, one.duration_ms, one.status, one.error, one.response]),
    },
  },
  summary: 'Get a delivery, with its attempts',
  description: 'With what the receiver has answered to each attempt.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The delivery.', schema: Detailed },
  errors: [noSuchDelivery],
  async handle({ params: { deliveryId: id }, resource: webhook }, { db }) {
    const { attemptLog, ...delivery } = foundOr404(await findDelivery(db, logOf(webhook), id), noSuchDelivery);
    return toWire(Detailed, { ...delivery, attempts: attemptLog.map((attempt) => toWire(Attempt, attempt)) });
  },
});

const retryOperation = operation(
  'POST',
  '/webhooks/:deployId/:webhookId/deliveries/:deliveryId/retry',
  'retryDelivery',
  {
    noAudit: 'The log of the delivery has the attempt.',
    tool: {
      name: 'retry_delivery',
      description: 'Sends a delivery of list_deliveries again, which then shows the outcome.',
    },
    command: {
      usage: 'webhooks retry <id> <webhook> <delivery>',
      text: 'Send a delivery again',
      prints: ({ id }) => id,
      says: (_answer, { id, webhook }) =>
        `it is sent again: formhost webhooks log ${id} ${webhook} shows what becomes of it`,
    },
    summary: 'Try a delivery again',
    description:
      'It is tried at once, whatever its status, or when the webhook is on again. One that is being attempted does not change.',
    find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
    answer: retried,
    errors: [noSuchDelivery],
    async handle({ params: { deliveryId: id }, resource: webhook }, { db }) {
      if (!(await retryDelivery(db, logOf(webhook), id))) throw noSuchDelivery();
      return { id, status: 'pending' as const };
    },
  },
);

/** Returns whether nobody would get mail about a deployment: its owner has no address yet, and no recipient gets it. */
async function isForNobody(db: Database, owner: Owner, deploymentId: string): Promise<boolean> {
  if (owner.email !== FIRST_OWNER) return false;
  return !(await listRecipients(db, deploymentId)).some(({ isConfirmed, isOff }) => isConfirmed && !isOff);
}

/** Throws 409 where no mail is sent, and where it is only for an owner without an address. */
function checkMail({ smtpUrl }: App['config'], isForNobody: boolean): void {
  if (smtpUrl === undefined) throw nobodyGetsMail('the operator must set SMTP_URL');
  if (isForNobody)
    throw nobodyGetsMail(`change your address, which is ${FIRST_OWNER}, under Account or with {PATCH /me}`);
}

const testMailOperation = operation('POST', '/deploy/:id/mails/test', 'testMail', {
  noAudit: 'It sends a sample.',
  guests: 'editor',
  tool: {
    name: 'test_mail',
    description: 'Sends a sample to all who get mail about a page. Then list_mails.',
  },
  command: {
    usage: 'mails test <id>',
    text: 'Send a sample to everybody who gets mail about a page',
    prints: ({ id }) => id,
    says: (_answer, { id }) => `it is sent: formhost mails list ${id} shows what becomes of it`,
  },
  summary: 'Send a sample mail',
  description:
    'To each confirmed recipient, or the owner, also while `email_notifications` is off. No submission is stored. ' +
    `It counts as ${ONE_TEST}`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { ...started, description: 'It will be sent. The id is that of its first delivery.' },
  errors: [nobodyGetsMail, tooManyTests],
  async handle({ resource: { id }, ...call }, app) {
    const { db, config } = app;
    checkMail(config, await isForNobody(db, call.owner, id));
    await testsOf(app).countOwner(call);
    const [first] = await mailReceivers(db, id, 'test-mail');
    return { id: foundOr404(first) };
  },
});

const previewOperation = operation('POST', '/deploy/:id/confirmation/preview', 'previewConfirmation', {
  noAudit: 'It stores nothing.',
  guests: 'editor',
  command: {
    usage: 'mails preview <id>',
    text: 'Send yourself the confirmation that visitors get',
    prints: ({ id }) => id,
    says: (_answer, { id }) => `it is sent: formhost mails list ${id} shows what becomes of it`,
  },
  summary: 'Send a preview of the confirmation',
  description: `To the owner: the mail that visitors get, with an example of a reference. It counts as ${ONE_TEST}`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { ...started, description: 'It will be sent.' },
  errors: [nobodyGetsMail, tooManyTests],
  async handle({ resource: { id }, ...call }, app) {
    const { db, config } = app;
    checkMail(config, call.owner.email === FIRST_OWNER);
    await testsOf(app).countOwner(call);
    const made = await createConfirmationPreview(db, id);
    if (made === undefined) throw nobodyGetsMail('set {confirmation} with {PATCH /deploy/:id}');
    return { id: made };
  },
});

const listMailsOperation = operation('GET', '/deploy/:id/mails', 'listMails', {
  guests: 'editor',
  tool: {
    name: 'list_mails',
    description: 'Newest first, with their recipients and outcome.',
    isBounded: true,
  },
  command: {
    usage: 'mails list <id>',
    text: 'List the mails about a page, newest first',
    limit: 20,
    table: {
      columns: ['ID', 'STATUS', 'ATTEMPTS', 'ANSWER', 'UPDATED', 'RECIPIENT', 'SUBMISSION', 'ERROR'],
      rows: ({ deliveries }) =>
        deliveries.map(({ id, status, attempts, last_status, updated_at, recipient, submission_id, last_error }) => {
          return [id, status, attempts, last_status, updated_at, recipient, submission_id, last_error];
        }),
    },
  },
  summary: 'List the mails about a {deployment}',
  description: ({ config }) =>
    'Newest first: about submissions, confirmations to visitors, and tests; no mails that ask recipients, and no notices. ' +
    `Finished deliveries are kept for ${config.deliveryLogDays} days (DELIVERY_LOG_DAYS).`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: Paging,
  answer: { description: 'A page of mails.', schema: Mails },
  async handle({ resource: { id: deploymentId }, query: paging }, { db }) {
    const { rows, total } = await listDeliveries(db, { deploymentId }, paging);
    return { deliveries: rows.map((mail) => toWire(ListedMail, mail)), total, ...paging };
  },
});

const retryMailOperation = operation('POST', '/deploy/:id/mails/:deliveryId/retry', 'retryMail', {
  noAudit: 'The log of deliveries has the attempt.',
  command: {
    usage: 'mails retry <id> <delivery>',
    text: 'Send a mail again',
    texts: { deliveryId: 'id of the mail' },
    prints: ({ id }) => id,
    says: (_answer, { id }) => `it is sent again: formhost mails list ${id} shows what becomes of it`,
  },
  ifMissing: '{GET /deploy/:id/mails} has the ids of mails.',
  summary: 'Try a mail again',
  description:
    'It is tried at once, whatever its status. One that is being attempted does not change. One that has succeeded counts as ' +
    ONE_TEST,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { ...retried, headers: OPTIONAL_RATE_LIMIT_HEADERS },
  errors: [noSuchMail, nobodyGetsMail, confirmationSent, tooManyTests],
  async handle({ params: { deliveryId: id }, resource: { id: deploymentId }, ...call }, app) {
    const { db } = app;
    const mail = foundOr404(await findLoggedMail(db, deploymentId, id), noSuchMail);
    if (mail.isConfirmation && mail.status === 'succeeded') throw confirmationSent();
    if (!mail.isWanted)
      throw nobodyGetsMail('switch email_notifications on, have the recipient confirm, or set confirmation');
    // Otherwise nothing would bound how much mail an owner can have sent.
    if (mail.status === 'succeeded') await testsOf(app).countOwner(call);
    if (!(await retryDelivery(db, { deploymentId }, id))) throw noSuchMail();
    return { id, status: 'pending' as const };
  },
});

/** The deliveries of a webhook, and those by mail: the log, another attempt, a test. */
export const deliveryOperations = [
  ...[testOperation, listOperation, getOperation, retryOperation],
  ...[listMailsOperation, testMailOperation, retryMailOperation, previewOperation],
];
