/*
 * Addresses of services that can't use what a webhook sends, or can use one type of it only. Deliveries to them would
 * fail, or be dropped after a 202, so the owner is told when the webhook is made.
 *
 * Sources: Slack, "Sending messages using incoming webhooks" and "Creating webhook triggers"; Discord, "Webhook
 * Resource" (Execute Webhook, Execute Slack-Compatible Webhook); Microsoft, "Create Incoming Webhooks with Workflows".
 */

type Type = 'generic' | 'slack';

/** `problem`: what is wrong with an address of the service for a type, undefined when none was sent. */
type Service = { hosts: RegExp; path: RegExp; problem(type: Type | undefined, path: string): string | undefined };

const SLACK =
  '{url} is a webhook of Slack, which takes messages in its own format only: {send} {type: slack} when you create the webhook.';
const SLACK_WORKFLOW =
  '{url} starts a workflow of Slack, which takes neither type of webhook: use the address of an incoming webhook, https://hooks.slack.com/services/..., and {send} {type: slack}.';
const DISCORD =
  '{url} is a webhook of Discord, which takes messages in its own format only (content, embeds): put a relay such as n8n between, which makes a message of each submission.';
const TEAMS =
  '{url} is a webhook of Microsoft Teams, which takes Adaptive Cards only: put a relay such as Power Automate or n8n between, which makes a card of each submission.';
const WORKFLOW =
  '{url} starts a workflow of Microsoft, and those made for Teams take Adaptive Cards only: put a relay such as n8n between, or {send} {type: generic} for a flow of your own that reads JSON.';

const SLACK_HOSTS = /^hooks\.slack(?:-gov)?\.com$/;
const SLACK_WORKFLOWS = /^\/(?:triggers|workflows)\//;

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '');

/** Returns whether only Slack's messages are of use at an address. */
export const isOfSlack = (url: URL): boolean => SLACK_HOSTS.test(hostOf(url)) && !SLACK_WORKFLOWS.test(url.pathname);

const SERVICES: readonly Service[] = [
  { hosts: SLACK_HOSTS, path: SLACK_WORKFLOWS, problem: () => SLACK_WORKFLOW },
  {
    hosts: SLACK_HOSTS,
    path: /^/,
    problem: (type) => (type === 'slack' ? undefined : SLACK),
  },
  {
    hosts: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/,
    path: /^\/api\/(?:v\d+\/)?webhooks\//,
    // Documented as an address for Slack's format.
    problem: (type, path) => (type === 'slack' && path.endsWith('/slack') ? undefined : DISCORD),
  },
  { hosts: /\.webhook\.office\.com$/, path: /^/, problem: () => TEAMS },
  { hosts: /^outlook\.office(?:365)?\.com$/, path: /^\/webhook/, problem: () => TEAMS },
  {
    hosts: /\.(?:logic\.azure|powerplatform)\.com$/,
    path: /^/,
    problem: (type) => (type === 'generic' ? undefined : WORKFLOW),
  },
];

/** Why a webhook of this type is of no use at an address, and what to do, as a template; undefined when nothing is known of that. */
export function receiverProblem(url: URL, type: Type | undefined): string | undefined {
  const { pathname } = url;
  const host = hostOf(url);
  const service = SERVICES.find(({ hosts, path }) => hosts.test(host) && path.test(pathname));
  return service?.problem(type, pathname);
}
