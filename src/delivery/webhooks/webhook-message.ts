import type { LeasedDelivery } from '../../db/deliveries/delivery-queue.ts';
import type { Labels } from '../../forms/forms-of-page.ts';
import { type Event, TEST_HEADER } from '../../lib/events.ts';
import { formatOf } from '../../lib/webhook-receivers.ts';
import { genericHeaders, genericPayload, standardPayload } from '../../webhooks/signed-message.ts';
import { type ChatMessage, chatMessage } from './chat/chat-message.ts';
import { discordPayload } from './chat/discord.ts';
import { googleChatPayload } from './chat/google-chat.ts';
import { isRefusedByTeams, teamsPayload } from './chat/teams.ts';
import { telegramPayload } from './chat/telegram.ts';
import { SAMPLE_DATA, slackPayload } from './payloads.ts';

/*
 * The request to a webhook: the body in the format that the webhook has now, and its headers.
 */

type Webhook = NonNullable<LeasedDelivery['webhook']>;

/** The look-ups for messages. */
export type MessageSources = {
  /** A page's URL by its slug. */
  urlOf(slug: string): string;
  /** The origin of the API. */
  baseUrl: string;
  /** The labels that people see instead of the names of a deployment's fields; `form`: of the form with this name. */
  labelsOf(deploymentId: string, form: string | null): Promise<Labels>;
};

/** `isRefused`: whether the text of an answer with a status of success says that the message was refused. */
export type WebhookMessage = {
  body: string;
  headers: Readonly<Record<string, string>>;
  isRefused?: (response: string) => boolean;
};

/** Writes the message about a delivery to a webhook. */
export async function webhookMessage(
  delivery: LeasedDelivery,
  webhook: Webhook,
  event: Event,
  sources: MessageSources,
): Promise<WebhookMessage> {
  const { deploymentId, slug, submissionId, createdAt } = delivery;
  const data = delivery.data ?? SAMPLE_DATA[event];
  const content = { deploymentId, slug, data, createdAt };
  // A delivery without a submission is a sample.
  const isTest = delivery.isTest || submissionId === null;
  const mark = isTest ? { [TEST_HEADER]: 'true' } : {};
  if (webhook.type === 'slack') return { body: slackPayload(event, content), headers: mark };
  const format = formatOf(webhook);
  if (format === 'default' || format === 'standard') {
    const pageUrl = sources.urlOf(slug);
    const headers = { ...genericHeaders(slug, pageUrl, submissionId), ...mark };
    if (format === 'default') return { body: genericPayload(event, content), headers };
    return { body: standardPayload(event, content, { submissionId, pageUrl, isTest }), headers };
  }
  const labels = await sources.labelsOf(deploymentId, delivery.form);
  const chat = chatMessage({ ...delivery, data, isTest }, labels, sources.baseUrl);
  const body = JSON.stringify(CHAT_PAYLOADS[format](chat, webhook));
  return { body, headers: mark, ...(format === 'teams' && { isRefused: isRefusedByTeams }) };
}

const CHAT_PAYLOADS = {
  discord: discordPayload,
  teams: teamsPayload,
  'google-chat': googleChatPayload,
  telegram: (message: ChatMessage, { chatId }: Webhook) => telegramPayload(message, chatId ?? ''),
};
