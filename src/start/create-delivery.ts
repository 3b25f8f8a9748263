import { pageUrl } from '../config.ts';
import { readDigest } from '../db/deliveries/digests.ts';
import { reserveConfirmation } from '../db/deliveries/visitor-confirmations.ts';
import { CaptchaProviders, type SiteverifyUrls } from '../delivery/captcha-providers.ts';
import { Dispatcher } from '../delivery/dispatcher.ts';
import { Sender } from '../delivery/sender.ts';
import type { Core } from './core.ts';

/** Makes the parts that send: deliveries, links to sign in, and questions to the providers of captchas. */
export function createDelivery(
  { config, limits, log, db, metrics, labelsOf, own, links }: Core,
  siteverifyUrls: SiteverifyUrls | undefined,
) {
  if (config.smtpUrl === undefined) log.warn('mail is off: SMTP_URL is not set');
  const allowedNetworks = config.webhookAllowCidrs;
  const sender = new Sender({
    limits,
    allowedNetworks,
    own,
    urlOf: (slug) => pageUrl(config, slug),
    baseUrl: config.baseUrl,
    links,
    labelsOf,
    readDigest: (...range) => readDigest(db, ...range),
    reserveConfirmation: (confirmation) => reserveConfirmation(db, confirmation, config.confirmationsPerDay),
    smtpUrl: config.smtpUrl,
    mailFrom: config.mailFrom,
    log,
  });
  const dispatcher = new Dispatcher({
    db,
    sender,
    retryDelays: config.deliveryRetryDelays,
    timeoutMs: config.deliveryTimeoutMs,
    leaseMs: config.deliveryLeaseMs,
    limits,
    log,
    count: (kind, result) => metrics.delivery(kind, result),
  });
  return { sender, dispatcher, captchas: new CaptchaProviders({ limits, allowedNetworks, own, urls: siteverifyUrls }) };
}
