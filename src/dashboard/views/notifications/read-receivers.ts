import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { type Delivery, mailLog, webhookLog } from '../../logs.ts';
import { may } from '../../permissions.ts';
import { type ReadSettings, readSettings } from '../../settings/edited-settings.ts';
import { READS_WEBHOOKS } from '../../ui/page-layout.tsx';
import { nextAttempt } from './receiver-states.tsx';

export const READS_FEEDS = 'GET /deploy/{id}/feeds';

export type Webhook = Schemas['Webhook'] & {
  health: Schemas['WebhookHealth'] | undefined;
  /** When what has failed is tried again. */
  nextAt: string | null | undefined;
};
export type Feed = Schemas['ListedFeed'];
export type Receivers = {
  found: ReadSettings;
  mails: readonly Delivery[];
  webhooks: readonly Webhook[];
  feeds: readonly Feed[];
};

/** The settings of mail and the last mails. People who may see them get the webhooks of a page, how each works, and its feeds too. */
export async function readReceivers(id: string, signal: AbortSignal): Promise<Receivers> {
  const params = { path: { deployId: id } };
  const newest = { page: 1, limit: DASHBOARD_LIMITS.notifications.logPageSize };
  const [found, { items: mails }, { webhooks }, { webhooks: health }, { feeds }] = await Promise.all([
    readSettings(id, signal),
    mailLog(id).read(newest, signal),
    may(READS_WEBHOOKS) ? answer(api.GET('/webhooks/{deployId}', { params, signal })) : { webhooks: [] },
    may(READS_WEBHOOKS) ? answer(api.GET('/webhooks/{deployId}/health', { params, signal })) : { webhooks: [] },
    may(READS_FEEDS) ? answer(api.GET('/deploy/{id}/feeds', { params: { path: { id } }, signal })) : { feeds: [] },
  ]);
  const withHealth = webhooks.map(async (webhook) => {
    const own = health.find(({ id: of }) => of === webhook.id);
    const isFailing = webhook.active && (own?.failing_since ?? null) !== null;
    // Only these have a next attempt.
    const log = isFailing ? await webhookLog(id, webhook).read(newest, signal) : undefined;
    return { ...webhook, health: own, nextAt: nextAttempt(log?.items ?? []) };
  });
  return { found, mails, webhooks: await Promise.all(withHealth), feeds };
}
