import { setTimeout as delay } from 'node:timers/promises';
import type { Event } from '../../lib/events.ts';
import { SIZES } from '../../sizes.ts';
import { COMMAND_LIMITS } from '../limits.ts';
import { type Output, printAnswer, printable, printLine, printList, printOutcome, say } from '../output.ts';
import { idOf, type Service } from './service.ts';

/** A command about one webhook of a page. */
type OnWebhook<Options = Output> = (
  service: Service,
  name: string,
  webhookId: string,
  options: Options,
) => Promise<void>;

/** The parameters of requests about one webhook. */
const pathOf = async (service: Service, name: string, webhookId: string) => ({
  deployId: await idOf(service, name),
  webhookId,
});

type AddOptions = Output & { type?: 'generic' | 'slack' | undefined; events?: Event[] | undefined };

export async function addWebhook(
  service: Service,
  name: string,
  url: string,
  { type, events, ...output }: AddOptions,
): Promise<void> {
  const deployId = await idOf(service, name);
  const { data, text } = await service.answer(
    service.api.POST('/webhooks/{deployId}', {
      params: { path: { deployId } },
      body: { url, ...(type && { type }), ...(events && { events }) },
    }),
  );
  await printOutcome(text, data.id, `try it: formhost webhooks test ${name} ${data.id}`, output);
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

export const removeWebhook: OnWebhook = async (service, name, webhookId, output) => {
  const path = await pathOf(service, name, webhookId);
  const { text } = await service.answer(service.api.DELETE('/webhooks/{deployId}/{webhookId}', { params: { path } }));
  await printOutcome(text, webhookId, 'removed, with its pending deliveries', output);
};

/** Switches a webhook on or off. */
const setActive =
  (active: boolean, message: string): OnWebhook =>
  async (service, name, webhookId, output) => {
    const path = await pathOf(service, name, webhookId);
    const { text } = await service.answer(
      service.api.PATCH('/webhooks/{deployId}/{webhookId}', { params: { path }, body: { active } }),
    );
    await printOutcome(text, webhookId, message, output);
  };

export const enable = setActive(true, 'enabled: pending deliveries are sent');
export const disable = setActive(false, 'disabled: pending deliveries wait, and new submissions are not sent');

/** Prints the secret that signs a webhook's deliveries, or a new one. */
export const showSecret: OnWebhook<Output & { rotate?: true | undefined }> = async (
  service,
  name,
  webhookId,
  { json, rotate },
) => {
  const params = { path: await pathOf(service, name, webhookId) };
  const { data, text } = await service.answer(
    rotate
      ? service.api.POST('/webhooks/{deployId}/{webhookId}/secret/rotate', { params })
      : service.api.GET('/webhooks/{deployId}/{webhookId}/secret', { params }),
  );
  if (json) return await printAnswer(text);
  await printLine(printable(data.secret));
  if (rotate) say('for 24 hours the secret before signs as well');
};

/** Sends a sample submission, and says what has become of it. */
export const testWebhook: OnWebhook = async (service, name, webhookId, { json }) => {
  const params = { path: await pathOf(service, name, webhookId) };
  const { data, text } = await service.answer(service.api.POST('/webhooks/{deployId}/{webhookId}/test', { params }));
  if (json) return await printAnswer(text);
  await printLine(printable(data.id));
  const until = performance.now() + COMMAND_LIMITS.webhookTest.attemptTimeoutMs;
  for (;;) {
    const { data: log } = await service.answer(
      service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', { params }),
    );
    const sent = log.deliveries.find(({ id }) => id === data.id);
    if (sent?.status === 'succeeded') return say(`the receiver has answered ${sent.last_status}`);
    if (sent?.last_error) {
      const next = sent.next_attempt_at === null ? '' : `; it is tried again at ${sent.next_attempt_at}`;
      say(`it has failed: ${sent.last_error}${next}`);
      process.exitCode = 1;
      return;
    }
    if (performance.now() > until)
      return say(`it is under way: formhost webhooks log ${name} ${webhookId} shows what becomes of it`);
    await delay(COMMAND_LIMITS.webhookTest.pollMs);
  }
};

/** The latest deliveries of a webhook. */
export const showLog: OnWebhook<Output & { limit: number }> = async (service, name, webhookId, { json, limit }) => {
  const params = { path: await pathOf(service, name, webhookId), query: { limit } };
  const answered = await service.answer(service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', { params }));
  await printList(
    [answered],
    ['ID', 'STATUS', 'ATTEMPTS', 'ANSWER', 'UPDATED', 'SUBMISSION', 'ERROR'],
    ({ deliveries }) =>
      deliveries.map(({ id, status, attempts, last_status, updated_at, submission_id, last_error }) => [
        ...[id, status, String(attempts), String(last_status ?? '-'), updated_at],
        ...[submission_id ?? 'test', last_error ?? '-'],
      ]),
    { json },
  );
  const { total, deliveries } = answered.data;
  if (!json && total > deliveries.length)
    say(`${deliveries.length} of ${total} deliveries: --limit shows up to ${SIZES.list.maxLimit}`);
};

export async function retryDelivery(
  service: Service,
  name: string,
  webhookId: string,
  deliveryId: string,
  output: Output,
): Promise<void> {
  const params = { path: { ...(await pathOf(service, name, webhookId)), deliveryId } };
  const { data, text } = await service.answer(
    service.api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', { params }),
  );
  const message = `it is sent again: formhost webhooks log ${name} ${webhookId} shows what becomes of it`;
  await printOutcome(text, data.id, message, output);
}
