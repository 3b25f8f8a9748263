/*
 * Services that take messages in a format of their own. An address of one sets the format of a webhook. With another one, deliveries
 * would fail, or be dropped after a 202, so the owner is told when the webhook is made.
 *
 * Sources: Slack, "Sending messages using incoming webhooks" and "Creating webhook triggers"; Discord, "Webhook
 * Resource" (Execute Webhook, Execute Slack-Compatible Webhook); Microsoft, "Create Incoming Webhooks with Workflows"; Google Chat,
 * "Build a Google Chat app as a webhook"; Telegram, "Bot API" (Making requests, sendMessage).
 */

/** The formats of messages. `default` is that of the interface, for the type of the webhook. */
export const FORMATS = ['default', 'standard', 'discord', 'teams', 'google-chat', 'telegram'] as const;
export type Format = (typeof FORMATS)[number];

type Type = 'generic' | 'slack';
/** The type and the format that were sent. */
type Wanted = { type: Type | undefined; format: Format | undefined };

/**
 * `format`: that of the service. `problem`: what is wrong with the address for a type and a format; undefined: nothing, except that no
 * other format is of use.
 */
type Service = {
  hosts: RegExp;
  path: RegExp;
  format?: Format;
  problem(wanted: Wanted): string | undefined;
};

const SLACK =
  '{url} is a webhook of Slack, which takes messages in its own format only: {send} {type: slack} when you create the webhook.';
const SLACK_WORKFLOW =
  '{url} starts a workflow of Slack, which takes none of our messages: use the address of an incoming webhook, https://hooks.slack.com/services/..., and {send} {type: slack}.';
const DISCORD_ENDING =
  '{url} is a webhook of Discord for the messages of another service: leave out /slack or /github at its end.';
const WORKFLOW =
  '{url} starts a workflow of Microsoft, which takes Adaptive Cards or JSON: leave {type} out, or {send} {format: default} for a flow of your own that reads JSON.';
const TELEGRAM_PATH =
  '{url} is of the Bot API of Telegram, but of none of its methods that sends messages: use https://api.telegram.org/bot<token>/sendMessage, with the token of your bot.';

const SLACK_HOSTS = /^hooks\.slack(?:-gov)?\.com$/;
const SLACK_WORKFLOWS = /^\/(?:triggers|workflows)\//;
const DISCORD_HOSTS = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '');

/** Returns whether only Slack's messages are of use at an address. */
export const isOfSlack = (url: URL): boolean => SLACK_HOSTS.test(hostOf(url)) && !SLACK_WORKFLOWS.test(url.pathname);

/** A service that takes one format only. */
const only = (name: string, format: Format): Pick<Service, 'format' | 'problem'> => ({
  format,
  problem: ({ type, format: wanted = format }) =>
    type === 'slack' || wanted !== format
      ? `{url} is a webhook of ${name}, which takes messages in its own format only: leave {type} and {format} out.`
      : undefined,
});

const SERVICES: readonly Service[] = [
  { hosts: SLACK_HOSTS, path: SLACK_WORKFLOWS, problem: () => SLACK_WORKFLOW },
  { hosts: SLACK_HOSTS, path: /^/, problem: ({ type }) => (type === 'slack' ? undefined : SLACK) },
  {
    hosts: DISCORD_HOSTS,
    path: /^\/api\/(?:v\d+\/)?webhooks\/.*\/slack$/,
    // Documented as an address for Slack's format.
    problem: ({ type }) => (type === 'slack' ? undefined : DISCORD_ENDING),
  },
  { hosts: DISCORD_HOSTS, path: /^\/api\/(?:v\d+\/)?webhooks\/.*\/github$/, problem: () => DISCORD_ENDING },
  { hosts: DISCORD_HOSTS, path: /^\/api\/(?:v\d+\/)?webhooks\//, ...only('Discord', 'discord') },
  { hosts: /\.webhook\.office\.com$/, path: /^/, ...only('Microsoft Teams', 'teams') },
  { hosts: /^outlook\.office(?:365)?\.com$/, path: /^\/webhook/, ...only('Microsoft Teams', 'teams') },
  {
    hosts: /\.(?:logic\.azure|powerplatform)\.com$/,
    path: /^/,
    format: 'teams',
    problem: ({ type, format = 'teams' }) =>
      type === 'slack' || !['teams', 'default', 'standard'].includes(format) ? WORKFLOW : undefined,
  },
  { hosts: /^chat\.googleapis\.com$/, path: /^\/v1\/spaces\//, ...only('Google Chat', 'google-chat') },
  { hosts: /^api\.telegram\.org$/, path: /^\/bot[^/]+\/(?:test\/)?sendMessage$/i, ...only('Telegram', 'telegram') },
  { hosts: /^api\.telegram\.org$/, path: /^/, problem: () => TELEGRAM_PATH },
];

function serviceAt(url: URL): Service | undefined {
  const host = hostOf(url);
  return SERVICES.find(({ hosts, path }) => hosts.test(host) && path.test(url.pathname));
}

/** The format of the service whose address this is; undefined for an address of another one. */
export const formatAt = (url: URL): Format | undefined => serviceAt(url)?.format;

/** The format of a webhook's messages. `format`: the one that its owner has chosen. */
export function formatOf({ url, type, format }: { url: string; type: Type; format: Format | null }): Format {
  if (type === 'slack') return 'default';
  const address = format === null ? URL.parse(url) : null;
  return format ?? (address ? formatAt(address) : undefined) ?? 'default';
}

/** Why a webhook is of no use at an address, and what to do, as a template; undefined when nothing is known of that. */
export const receiverProblem = (url: URL, wanted: Wanted): string | undefined => serviceAt(url)?.problem(wanted);
