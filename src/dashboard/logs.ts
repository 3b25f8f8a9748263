import type { Schemas } from '../client/client.ts';
import { answer, api } from './api.ts';
import { may, type OperationName } from './permissions.ts';
import { t } from './texts/chosen-texts.ts';

/** `recipient`: of a mail; null for one that was removed. */
export type Delivery = Schemas['Delivery'] & { recipient?: string | null };

export type Attempt = Schemas['DeliveryAttempt'];

/** The deliveries to a webhook, or by mail, newest first. */
export type Log = {
  id: string;
  name: string;
  protocol: 'HTTP' | 'SMTP';
  read(query: { page: number; limit: number }, signal: AbortSignal): Promise<{ items: Delivery[]; total: number }>;
  /** The operation that `retry` calls. */
  retrying: OperationName;
  retry(deliveryId: string): Promise<unknown>;
  /** The attempts of a delivery that have ended; there are none of mails. */
  attempts?(deliveryId: string, signal: AbortSignal): Promise<readonly Attempt[]>;
};

export function webhookLog(deployId: string, { id: webhookId, url }: Schemas['Webhook']): Log {
  const path = { deployId, webhookId };
  return {
    id: webhookId,
    name: url,
    protocol: 'HTTP',
    async read(query, signal) {
      const params = { path, query };
      const call = api.GET('/webhooks/{deployId}/{webhookId}/deliveries', { params, signal });
      const { deliveries: items, total } = await answer(call);
      return { items, total };
    },
    retrying: 'POST /webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry',
    retry(deliveryId) {
      const params = { path: { ...path, deliveryId } };
      return answer(api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', { params }));
    },
    async attempts(deliveryId, signal) {
      const params = { path: { ...path, deliveryId } };
      const call = api.GET('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}', { params, signal });
      return (await answer(call)).attempts;
    },
  };
}

export const mailLog = (id: string): Log => ({
  id: `mails:${id}`,
  name: t.bar.mailLog,
  protocol: 'SMTP',
  async read(query, signal) {
    const params = { path: { id }, query };
    const { deliveries: items, total } = await answer(api.GET('/deploy/{id}/mails', { params, signal }));
    return { items, total };
  },
  retrying: 'POST /deploy/{id}/mails/{deliveryId}/retry',
  retry: (deliveryId) =>
    answer(api.POST('/deploy/{id}/mails/{deliveryId}/retry', { params: { path: { id, deliveryId } } })),
});

/** All logs of a page that the person may read. */
export async function readLogs(id: string, signal: AbortSignal): Promise<Log[]> {
  if (!may('GET /webhooks/{deployId}')) return [mailLog(id)];
  const { webhooks } = await answer(api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } }, signal }));
  return [...webhooks.map((webhook) => webhookLog(id, webhook)), mailLog(id)];
}
