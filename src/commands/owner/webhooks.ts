import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../../client/client.ts';
import type { Event } from '../../lib/events.ts';
import { SIZES } from '../../sizes.ts';
import { COMMAND_LIMITS } from '../limits.ts';
import { type Output, printAnswer, printable, printLine, printList, printTable, say } from '../output.ts';
import { idOf, type Service } from './service.ts';

export async function addWebhook(
  service: Service,
  name: string,
  url: string,
  { json, type, events }: Output & { type?: 'generic' | 'slack' | undefined; events?: Event[] | undefined },
): Promise<void> {
  const deployId = await idOf(service, name);
  const { data, text } = await service.answer(
    service.api.POST('/webhooks/{deployId}', {
      params: { path: { deployId } },
      body: { url, ...(type && { type }), ...(events && { events }) },
    }),
  );
  if (json) return await printAnswer(text);
  await printLine(printable(data.id));
  say(`try it: formhost webhooks test ${name} ${data.id}`);
}

export async function listWebhooks(service: Service, name: string, output: Output): Promise<void> {
  const deployId = await idOf(service, name);
  await printList(
    [await service.answer(service.api.GET('/webhooks/{deployId}', { params: { path: { deployId } } }))],
    ['ID', 'TYPE', 'STATE', 'EVENTS', 'CREATED', 'URL'],
    ({ webhooks }) =>
      webhooks.map(({ id, type, active, events, created_at, url }) => [
        ...[id, type, active ? 'active' : 'off', events.join(','), created_at, url],
      ]),
    output,
  );
}

/** The parameters of a request about one webhook. */
const paramsOf = async (service: Service, name: string, webhookId: string) => ({
  params: { path: { deployId: await idOf(service, name), webhookId } },
});

export async function removeWebhook(
  service: Service,
  name: string,
  webhookId: string,
  { json }: Output,
): Promise<void> {
  const params = await paramsOf(service, name, webhookId);
  const { text } = await service.answer(service.api.DELETE('/webhooks/{deployId}/{webhookId}', params));
  if (json) return await printAnswer(text);
  await printLine(printable(webhookId));
  say('removed, with its pending deliveries');
}

/** Switches a webhook on or off. */
export async function setActive(
  active: boolean,
  service: Service,
  name: string,
  webhookId: string,
  { json }: Output,
): Promise<void> {
  const params = await paramsOf(service, name, webhookId);
  const { text } = await service.answer(
    service.api.PATCH('/webhooks/{deployId}/{webhookId}', { ...params, body: { active } }),
  );
  if (json) return await printAnswer(text);
  await printLine(printable(webhookId));
  say(
    active
      ? 'enabled: pending deliveries are sent'
      : 'disabled: pending deliveries wait, and new submissions are not sent',
  );
}

/** Prints the secret that signs a webhook's deliveries, or a new one. */
export async function showSecret(
  service: Service,
  name: string,
  webhookId: string,
  { json, rotate }: Output & { rotate?: true | undefined },
): Promise<void> {
  const params = await paramsOf(service, name, webhookId);
  const { data, text } = await service.answer(
    rotate
      ? service.api.POST('/webhooks/{deployId}/{webhookId}/secret/rotate', params)
      : service.api.GET('/webhooks/{deployId}/{webhookId}/secret', params),
  );
  if (json) return await printAnswer(text);
  await printLine(printable(data.secret));
  if (rotate) say('for 24 hours the secret before signs as well');
}

/** Sends a sample submission, and says what has become of it. */
export async function testWebhook(service: Service, name: string, webhookId: string, { json }: Output): Promise<void> {
  const params = await paramsOf(service, name, webhookId);
  const { data, text } = await service.answer(service.api.POST('/webhooks/{deployId}/{webhookId}/test', params));
  if (json) return await printAnswer(text);
  await printLine(printable(data.id));
  const until = performance.now() + COMMAND_LIMITS.webhookTest.attemptTimeoutMs;
  for (;;) {
    const { data: log } = await service.answer(service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', params));
    const sent = log.deliveries.find(({ id }) => id === data.id);
    if (sent?.status === 'succeeded') return say(`the receiver has answered ${sent.last_status}`);
    if (sent?.last_error) {
      say(
        `it has failed: ${sent.last_error}${sent.next_attempt_at === null ? '' : `; it is tried again at ${sent.next_attempt_at}`}`,
      );
      process.exitCode = 1;
      return;
    }
    if (performance.now() > until)
      return say(`it is under way: formhost webhooks log ${name} ${webhookId} shows what becomes of it`);
    await delay(COMMAND_LIMITS.webhookTest.pollMs);
  }
}

const rowOf = (delivery: Schemas['Delivery']): string[] => [
  delivery.id,
  delivery.status,
  String(delivery.attempts),
  String(delivery.last_status ?? '-'),
  delivery.updated_at,
  delivery.submission_id ?? 'test',
  delivery.last_error ?? '-',
];

/** The latest deliveries of a webhook. */
export async function showLog(
  service: Service,
  name: string,
  webhookId: string,
  { json, limit }: Output & { limit: number },
): Promise<void> {
  const deployId = await idOf(service, name);
  const { data, text } = await service.answer(
    service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', {
      params: { path: { deployId, webhookId }, query: { limit } },
    }),
  );
  if (json) return await printAnswer(text);
  await printTable(
    ['ID', 'STATUS', 'ATTEMPTS', 'ANSWER', 'UPDATED', 'SUBMISSION', 'ERROR'],
    data.deliveries.map(rowOf),
  );
  if (data.total > data.deliveries.length)
    say(`${data.deliveries.length} of ${data.total} deliveries: --limit shows up to ${SIZES.list.maxLimit}`);
}

export async function retryDelivery(
  service: Service,
  name: string,
  webhookId: string,
  deliveryId: string,
  { json }: Output,
): Promise<void> {
  const deployId = await idOf(service, name);
  const { data, text } = await service.answer(
    service.api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', {
      params: { path: { deployId, webhookId, deliveryId } },
    }),
  );
  if (json) return await printAnswer(text);
  await printLine(printable(data.id));
  say(`it is sent again: formhost webhooks log ${name} ${webhookId} shows what becomes of it`);
}
