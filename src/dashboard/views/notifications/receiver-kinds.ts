import { type Format, formatAt, isOfSlack } from '../../../lib/webhook-receivers.ts';
import { t } from '../../texts/chosen-texts.ts';
import type { IconName } from '../../ui/icon.tsx';

/*
 * The receivers that a webhook can have, and how people find the address of each.
 */

type Kind = { steps: readonly string[]; type?: 'slack'; format?: Format };

const { receivers: texts } = t.notifications;

export const OWN: string = texts.own.label;

export const KINDS: Readonly<Record<string, Kind>> = {
  [OWN]: { steps: [texts.own.gets] },
  [texts.standard.label]: { steps: [texts.standard.gets], format: 'standard' },
  Slack: { steps: [texts.slack.make, texts.slack.paste], type: 'slack' },
  Discord: { steps: [texts.discord.make, texts.discord.paste], format: 'discord' },
  'Microsoft Teams': { steps: [texts.teams.make, texts.teams.paste], format: 'teams' },
  'Google Chat': { steps: [texts.googleChat.make, texts.googleChat.paste], format: 'google-chat' },
  Telegram: { steps: [texts.telegram.make, texts.telegram.chat], format: 'telegram' },
  Zapier: { steps: [texts.zapier.make, texts.pasteAddress] },
  Make: { steps: [texts.make.make, texts.pasteAddress] },
  n8n: { steps: [texts.n8n.make, texts.n8n.paste] },
};

/** The name of the service whose address this is; undefined for any other address. */
export function serviceAt(url: URL): string | undefined {
  if (isOfSlack(url)) return 'Slack';
  const format = formatAt(url);
  return Object.keys(KINDS).find((name) => format !== undefined && KINDS[name]?.format === format);
}

/** The sign of a receiver in a list, and whether what it gets is signed for it. */
export function signOf(url: string, type: 'generic' | 'slack'): { icon: IconName; label: string; isProgram: boolean } {
  if (type === 'slack') return { icon: 'slack', label: 'Slack', isProgram: false };
  const service = serviceAt(new URL(url));
  return service === undefined
    ? { icon: 'webhook', label: t.notifications.webhooks.aProgram, isProgram: true }
    : { icon: 'chat', label: service, isProgram: false };
}
