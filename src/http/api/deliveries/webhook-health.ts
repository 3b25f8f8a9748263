import { z } from 'zod';
import { retryFailedDeliveries } from '../../../db/deliveries/delivery-log.ts';
import { listWebhookHealth } from '../../../db/deliveries/webhooks.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { endpoint } from '../../request/endpoint.ts';
import { answerObject, countField, textOrNull, time, webhookId } from '../../request/fields.ts';
import { toWire } from '../../response/to-wire.ts';
import { noSuchWebhook, ownDeployment, ownWebhook } from '../deployments/own-deployment.ts';

const { healthDeliveries, maxRetried } = SIZES.webhook;

const Health = answerObject('WebhookHealth', {
  id: webhookId,
  failing_since: time.nullable().meta({ description: 'When it failed first since it last succeeded; null: it works.' }),
  last_error: textOrNull('Why it failed last; null while it works.', 'the receiver answered 503'),
  failed: countField(`How many of its last ${healthDeliveries} deliveries have failed, and are not tried again.`, 2),
});
const AllHealth = answerObject('WebhooksHealth', { webhooks: z.array(Health) });
const Retried = answerObject('FailedDeliveriesRetried', {
  retried: countField('How many deliveries will be tried.', 2),
});

const healthEndpoint = ({ db }: App) =>
  endpoint('GET', '/webhooks/:deployId/health', 'getWebhooksHealth', {
    summary: 'See which webhooks of a deployment fail',
    description: 'All webhooks, oldest first.',
    find: (owner, { deployId }) => ownDeployment(db, owner, deployId),
    answer: { description: 'How each webhook works.', schema: AllHealth },
    handle: async ({ resource: { id } }) => ({
      webhooks: (await listWebhookHealth(db, id)).map((one) => toWire(Health, one)),
    }),
  });

const retryEndpoint = ({ db }: App) =>
  endpoint('POST', '/webhooks/:deployId/:webhookId/retry', 'retryWebhook', {
    summary: 'Try the failed deliveries of a webhook again',
    description: `At once, or when the webhook is switched on again. One request tries at most ${maxRetried.toLocaleString('en')}, the oldest first.`,
    find: (owner, ids) => ownWebhook(db, owner, ids),
    answer: { status: 202, description: 'They will be tried.', schema: Retried },
    errors: [noSuchWebhook],
    handle: async ({ resource }) => ({ retried: await retryFailedDeliveries(db, resource) }),
  });

/** Which webhooks fail, and sending again what they have missed. */
export const webhookHealthEndpoints = (app: App) => [healthEndpoint(app), retryEndpoint(app)];
