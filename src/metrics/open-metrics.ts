import cluster from 'node:cluster';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { gatherFromWorkers, offerToPrimary } from './metrics.ts';
import { serveMetrics } from './metrics-server.ts';

type Close = () => Promise<void>;

/** Serves the metrics of this process, or sends them to the primary process, which serves those of all. */
export async function openMetrics(
  expose: () => Registry,
  { host, metricsPort: port }: Config,
): Promise<Close | undefined> {
  if (port === undefined) return undefined;
  const registry = expose();
  if (cluster.isPrimary) return serveMetrics(registry, { host, port });
  offerToPrimary(registry);
  return undefined;
}

/** Serves the metrics of all worker processes. */
export async function openWorkerMetrics({ host, metricsPort: port }: Config): Promise<Close | undefined> {
  return port === undefined ? undefined : serveMetrics(gatherFromWorkers(), { host, port });
}
