import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../../client/client.ts';
import type { Event } from '../../lib/events.ts';
import { COMMAND_LIMITS, SIZES } from '../../limits.ts';
import { type Output, printAnswer, printable, printLine, printTable, say } from '../output.ts';
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

export async function listWebhooks(service: Service, name: string, { json }: Output): Promise<void> {
  const deployId = await idOf(service, name);
  const { data, text } = await service.answer(
    service.api.GET('/webhooks/{deployId}', { params: { path: { deployId } } }),
  );
  if (json) return await printAnswer(text);
  const rows = data.webhooks.map(({ id, type, active, events, created_at, url }) => [
    ...[id, type, active ? 'active' : 'off', events.join(','), created_at, url],
  ]);
  await printTable(['ID', 'TYPE', 'STATE', 'EVENTS', 'CREATED', 'URL'], rows);
}

/** Sends a sample submission, and says what has become of it. */
export async function testWebhook(service: Service, name: string, webhookId: string, { json }: Output): Promise<void> {
  const deployId = await idOf(service, name);
  const path = { params: { path: { deployId, webhookId } } };
  const { data, text } = await service.answer(service.api.POST('/webhooks/{deployId}/{webhookId}/test', path));
  if (json) return await printAnswer(text);
  await printLine(printable(data.id));
  const until = performance.now() + COMMAND_LIMITS.webhookTest.attemptTimeoutMs;
  for (;;) {
    const { data: log } = await service.answer(service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', path));
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
