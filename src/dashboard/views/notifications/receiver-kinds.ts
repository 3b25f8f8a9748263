import { type Format, formatAt, isOfSlack } from '../../../lib/webhook-receivers.ts';
import type { IconName } from '../../ui/icon.tsx';

/*
 * The receivers that a webhook can have, and how people find the address of each.
 */

type Kind = { steps: readonly string[]; type?: 'slack'; format?: Format };

export const OWN = 'A program of your own';
const TEAMS = 'Microsoft Teams';
const GOOGLE_CHAT = 'Google Chat';

export const KINDS: Readonly<Record<string, Kind>> = {
  [OWN]: { steps: ['It gets each submission in a request, signed with a secret.'] },
  'A program with Standard Webhooks': {
    steps: ['It gets each submission as the libraries of Standard Webhooks expect events, signed with a secret.'],
    format: 'standard',
  },
  Slack: {
    steps: ['In Slack, make an app with an incoming webhook.', 'Paste its address: https://hooks.slack.com/services/…'],
    type: 'slack',
  },
  Discord: {
    steps: [
      'In the settings of your channel, open Integrations, Webhooks, and make a new webhook.',
      'Press Copy Webhook URL, and paste it: https://discord.com/api/webhooks/…',
    ],
    format: 'discord',
  },
  [TEAMS]: {
    steps: [
      'At your channel, open Workflows, and choose the template that posts to a channel when a webhook request is received.',
      'Copy the address that it shows at the end, and paste it.',
    ],
    format: 'teams',
  },
  [GOOGLE_CHAT]: {
    steps: [
      'In the menu of your space, open Apps & integrations, and add a webhook.',
      'Copy its address, and paste it: https://chat.googleapis.com/v1/spaces/…',
    ],
    format: 'google-chat',
  },
  Telegram: {
    steps: [
      'Make a bot with @BotFather, and add it to your chat. The address is https://api.telegram.org/bot, its token and /sendMessage.',
      'Below, give the id of the chat: a number, or @name of a channel.',
    ],
    format: 'telegram',
  },
  Zapier: { steps: ['Begin a Zap with Webhooks by Zapier, Catch Hook.', 'Paste its address.'] },
  Make: { steps: ['Begin a scenario with Webhooks, Custom webhook.', 'Paste its address.'] },
  n8n: { steps: ['Begin a workflow with a Webhook node for POST.', 'Paste its production URL.'] },
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
    ? { icon: 'webhook', label: 'A program', isProgram: true }
    : { icon: 'chat', label: service, isProgram: false };
}
