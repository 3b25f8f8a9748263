import type { AddressInfo } from 'node:net';
import { ComputePool } from '../compute/pool.ts';
import { type Config, pageUrl } from '../config.ts';
import { createChallenges, createLinks, fromSecret } from '../db/account/link-secret.ts';
import type { OpenSiteFile } from '../db/deployments/site-files.ts';
import type { Database } from '../db/postgres/connect.ts';
import { OwnAddress } from '../delivery/webhooks/own-address.ts';
import { Hosts } from '../http/request/hosts.ts';
import { ProvenDomains } from '../http/request/proven-domains.ts';
import { createProofs } from '../lib/domain-records.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { Metrics } from '../metrics/metrics.ts';
import { readLabels } from '../submissions/labels.ts';

/** The parts that other parts of the service share. */
export type Core = ReturnType<typeof createCore>;

/** `listening`: where the process listens; undefined until it does. */
export function createCore(
  config: Config,
  limits: Limits,
  log: Log,
  db: Database,
  openSiteFile: OpenSiteFile,
  listening: () => AddressInfo | undefined,
) {
  const { baseUrl } = config;
  const domains = new ProvenDomains(db);
  const hosts = new Hosts(config, domains);
  // Apart from that for pages: a check can take seconds, and visitors wait for pages.
  const checks = new ComputePool(config, limits);
  const labelThread = new ComputePool(config, limits);
  return {
    config,
    limits,
    log,
    db,
    metrics: new Metrics(),
    compute: new ComputePool(config, limits),
    checks,
    labelThread,
    domains,
    hosts,
    labelsOf: (deploymentId: string) => readLabels({ db, limits, labelThread, openSiteFile, hosts }, deploymentId),
    own: new OwnAddress({
      baseUrl: new URL(baseUrl),
      pagesUrl: new URL(pageUrl(config, 'a-page')),
      servesPageAt: (host) => Boolean(domains.pageAt(host)?.slug),
      listening,
    }),
    links: createLinks(db, baseUrl),
    altcha: createChallenges(db, limits),
    domainProofs: fromSecret(db, createProofs),
  };
}
