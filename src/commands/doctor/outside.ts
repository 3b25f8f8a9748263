import { MailClient } from '../../delivery/mail/send-email.ts';
import type { Resolve } from '../../delivery/webhooks/resolve.ts';
import type { Cidr } from '../../lib/public-address.ts';
import { COMMAND_LIMITS, LIMITS } from '../../limits.ts';
import { type Answer, ask } from './ask.ts';
import { checkCertificate } from './certificate.ts';
import { type Finding, fail, ok, skip, warn } from './finding.ts';

/** A host that IANA runs for examples (RFC 6761). */
export const PUBLIC_URL = 'https://example.com/';

/** A request to a public host. */
const askPublic = (url: string, resolve: Resolve, signal: AbortSignal): Promise<Answer> =>
  ask(url, { resolve, signal, method: 'HEAD' });

/** Checks that a public host can be reached over https. For a local service a failure is only a warning. */
export async function checkOutgoing(
  url: string,
  isLocal: boolean,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Finding> {
  const { origin } = new URL(url);
  const found = await checkCertificate(origin, origin, resolve, signal);
  if (found.status === 'ok' || found.status === 'warn') return ok(`${origin} is reached over TLS`);
  const report = isLocal ? warn : fail;
  return report(
    found.saw,
    'webhooks and Slack need it: allow outgoing connections to port 443, and see that names resolve here',
  );
}

/** Whether a network is larger than any private one (10.0.0.0/8, fc00::/7). */
const isWide = ([network, bits]: Cidr): boolean => bits < (network.kind() === 'ipv4' ? 8 : 7);

/** Checks that webhooks can't reach every network. */
export function checkWebhookNetworks(allowed: readonly Cidr[]): Finding {
  const texts = allowed.map(([network, bits]) => `${network.toString()}/${bits}`);
  if (allowed.some(isWide)) {
    return fail(
      `webhooks may reach ${texts.join(', ')}: anyone with a key can send requests to the servers of this network`,
      'name only the networks in WEBHOOK_ALLOW_CIDRS in which there are receivers',
    );
  }
  return ok(`webhooks may reach public addresses${texts.length > 0 ? ` and ${texts.join(', ')}` : ''}`);
}

/** SMTP_URL with all of nodemailer's time-outs set to `ms`. */
function withTimeouts(smtpUrl: string, ms: number): string {
  const url = new URL(smtpUrl);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout']) {
    url.searchParams.set(name, String(ms));
  }
  return url.href;
}

/** Checks that the mail server accepts a connection, TLS where it offers that, and the login; sends no mail. */
export async function checkMail(smtpUrl: string | undefined, ms: number): Promise<Finding> {
  if (smtpUrl === undefined) return skip('mail is off: SMTP_URL is not set');
  const { hostname, username } = new URL(smtpUrl);
  const mail = new MailClient({
    smtpUrl: withTimeouts(smtpUrl, ms),
    from: { name: '', address: 'doctor@formhost.invalid' },
    maxConnections: 1,
    limits: LIMITS,
  });
  const { error, response } = await mail.verify();
  mail.close();
  if (error === undefined) return ok(`${hostname} accepts connections${username === '' ? '' : ' and the login'}`);
  return fail(
    `${hostname}: ${error}${response === undefined ? '' : `: ${response}`}`,
    'see SMTP_URL: its host, its port (465 for smtps:, 587 for smtp:), user name and password',
  );
}

/**
 * Checks how far this clock is from others. Each has its time and this machine's at the same moment, in milliseconds.
 */
export function checkClock(others: readonly { name: string; theirs: number; ours: number }[]): Finding {
  if (others.length === 0) return skip('there is no other clock within reach');
  const seconds = (ms: number): string => `${(Math.abs(ms) / 1_000).toFixed(1)} s`;
  const said = others.map(({ name, theirs, ours }) => `${seconds(theirs - ours)} from ${name}`).join(', ');
  if (others.every(({ theirs, ours }) => Math.abs(theirs - ours) <= COMMAND_LIMITS.doctor.clockDifferenceMs))
    return ok(`this clock is ${said}`);
  return fail(
    `this clock is ${said}`,
    'switch time synchronisation on (timedatectl set-ntp true): receivers refuse webhooks signed at another time',
  );
}

/** The time in an answer's Date header. It is cut to whole seconds, so that half a second is added. */
export async function clockOf(url: string, resolve: Resolve, signal: AbortSignal) {
  const askedAt = Date.now();
  const answer = await askPublic(url, resolve, signal).catch(() => undefined);
  const date = Date.parse(answer?.headers.date ?? '');
  return Number.isNaN(date) ? [] : [{ name: new URL(url).host, theirs: date + 500, ours: (askedAt + Date.now()) / 2 }];
}
