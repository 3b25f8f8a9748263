import type { AddressInfo } from 'node:net';
import { ComputePool } from '../compute/pool.ts';
import { type Config, pageUrl } from '../config.ts';
import { createChallenges, createLinks } from '../db/account/link-secret.ts';
import type { OpenSiteFile } from '../db/deployments/site-files.ts';
import type { Database } from '../db/postgres/connect.ts';
import { OwnAddress } from '../delivery/webhooks/own-address.ts';
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
  const { baseUrl, pagesDomain } = config;
  const urlOf = (slug: string): string => pageUrl(config, slug);
  // Apart from that for pages: a check can take seconds, and visitors wait for pages.
  const checks = new ComputePool(config, limits);
  return {
    config,
    limits,
    log,
    db,
    metrics: new Metrics(),
    compute: new ComputePool(config, limits),
    checks,
    labelsOf: (deploymentId: string) =>
      readLabels({ db, limits, checks, openSiteFile, baseUrl, pagesDomain, urlOf }, deploymentId),
    own: new OwnAddress({ baseUrl: new URL(baseUrl), pagesUrl: new URL(urlOf('a-page')), listening }),
    links: createLinks(db, baseUrl),
    altcha: createChallenges(db, limits),
  };
}
