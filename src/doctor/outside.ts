import type { Resolve } from '../delivery/resolve.ts';
import { createSendEmail } from '../delivery/send-email.ts';
import type { Cidr } from '../public-address.ts';
import { type Answer, ask } from './ask.ts';
import { checkCertificate } from './certificate.ts';
import { type Finding, fail, ok, skip, warn } from './finding.ts';

/** Run by IANA for anybody to name (RFC 6761). */
export const PUBLIC_URL = 'https://example.com/';

/** A request to a public host. */
export const askPublic = (url: string, resolve: Resolve, signal: AbortSignal): Promise<Answer> =>
  ask(url, { resolve, signal, method: 'HEAD' });

/** That https to a public host works from here. Where the service is local, it need not. */
export async function checkOutgoing(
  url: string,
  isLocal: boolean,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Finding> {
  const { origin } = new URL(url);
  const found = await checkCertificate(origin, origin, resolve, signal);
  if (found.status === 'ok' || found.status === 'warn') return ok(`${origin} is reached over TLS`);
  const complain = isLocal ? warn : fail;
  return complain(
    found.saw,
    'webhooks and Slack need it: let the service out to port 443, and see that names resolve here',
  );
}

/** Wider than any private network there is: 10.0.0.0/8, fc00::/7. */
const isWide = ([network, bits]: Cidr): boolean => bits < (network.kind() === 'ipv4' ? 8 : 7);

/** That webhooks can't be aimed at everything. */
export function checkFence(allowed: readonly Cidr[]): Finding {
  const texts = allowed.map(([network, bits]) => `${network.toString()}/${bits}`);
  if (allowed.some(isWide)) {
    return fail(
      `webhooks may reach ${texts.join(', ')}: whoever has a key can have this network's own servers called`,
      'name only the networks in WEBHOOK_ALLOW_CIDRS in which there are receivers',
    );
  }
  return ok(`webhooks may reach public addresses${texts.length > 0 ? ` and ${texts.join(', ')}` : ''}`);
}

/** SMTP_URL with all of nodemailer's time-outs at `ms`. */
function hasty(smtpUrl: string, ms: number): string {
  const url = new URL(smtpUrl);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout']) {
    url.searchParams.set(name, String(ms));
  }
  return url.href;
}

/** That the mail server takes us: connects, with TLS where it has that, and logs in; sends nothing. */
export async function checkMail(smtpUrl: string | undefined, ms: number): Promise<Finding> {
  if (smtpUrl === undefined) return skip('mail is off: SMTP_URL is not set');
  const { hostname, username } = new URL(smtpUrl);
  const mail = createSendEmail({ smtpUrl: hasty(smtpUrl, ms), from: { name: '', address: 'doctor@formhost.invalid' } });
  const { error, response } = await mail.verify();
  mail.close();
  if (error === undefined) return ok(`${hostname} takes mail${username === '' ? '' : ' and the login'}`);
  return fail(
    `${hostname}: ${error}${response === undefined ? '' : `, saying: ${response}`}`,
    'see SMTP_URL: its host, its port (465 for smtps:, 587 for smtp:), user name and password',
  );
}

/** How far this machine's clock is from others, each with its time and ours at the same moment, in milliseconds. */
export function checkClock(others: readonly { name: string; theirs: number; ours: number }[]): Finding {
  const most = 5_000;
  if (others.length === 0) return skip('there is no other clock within reach');
  const seconds = (ms: number): string => `${(Math.abs(ms) / 1_000).toFixed(1)} s`;
  const said = others.map(({ name, theirs, ours }) => `${seconds(theirs - ours)} from ${name}`).join(', ');
  if (others.every(({ theirs, ours }) => Math.abs(theirs - ours) <= most)) return ok(`this clock is ${said}`);
  return fail(
    `this clock is ${said}`,
    'switch time synchronisation on (timedatectl set-ntp true): receivers refuse webhooks signed at another time',
  );
}

/** The clock that an answer's Date tells, in whole seconds, so that it was half a second later on the average. */
export async function clockOf(url: string, resolve: Resolve, signal: AbortSignal) {
  const askedAt = Date.now();
  const answer = await askPublic(url, resolve, signal).catch(() => undefined);
  const date = Date.parse(answer?.headers.date ?? '');
  return Number.isNaN(date) ? [] : [{ name: new URL(url).host, theirs: date + 500, ours: (askedAt + Date.now()) / 2 }];
}
