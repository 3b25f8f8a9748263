import { type Config, pageUrl } from '../config.ts';
import { readDigest } from '../db/deliveries/digest-queries.ts';
import { reserveConfirmation } from '../db/deliveries/visitor-confirmation-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { CaptchaProviders, type SiteverifyUrls } from './captcha-providers.ts';
import { Dispatcher, type DispatcherSettings } from './dispatcher.ts';
import { DocumentReader } from './document-reader.ts';
import { Sender, type SenderSettings } from './sender.ts';

type DeliverySources = Pick<SenderSettings, 'own' | 'links' | 'formsOf'> & {
  config: Config;
  limits: Limits;
  log: Log;
  db: Database;
  /** Counts a delivery by its kind and its outcome. */
  count: DispatcherSettings['count'];
  siteverifyUrls: SiteverifyUrls | undefined;
};

/** Makes the parts that send: deliveries, links to sign in, questions to the providers of captchas, and requests for documents. */
export function createDelivery({
  config,
  limits,
  log,
  db,
  own,
  links,
  formsOf,
  count,
  siteverifyUrls,
}: DeliverySources) {
  if (config.smtpUrl === undefined) log.warn('mail is off: SMTP_URL is not set');
  const allowedNetworks = config.webhookAllowCidrs;
  const sender = new Sender({
    limits,
    allowedNetworks,
    own,
    urlOf: (slug) => pageUrl(config, slug),
    baseUrl: config.baseUrl,
    links,
    formsOf,
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
    count,
  });
  const fence = { limits, allowedNetworks, own };
  return {
    ...{ sender, dispatcher },
    captchas: new CaptchaProviders({ ...fence, urls: siteverifyUrls }),
    documents: new DocumentReader(fence),
  };
}
