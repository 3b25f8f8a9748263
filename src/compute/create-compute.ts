import type { Config } from '../config.ts';
import type { Limits } from '../limits.ts';
import { ComputePool } from './pool.ts';

/** Makes the threads: one each for pages and large bodies, for checks, and for labels. */
export function createCompute(config: Config, limits: Limits) {
  const makePool = (): ComputePool => new ComputePool(config, limits);
  // A check can take seconds, and visitors wait for pages, mails for labels.
  const pools = { pages: makePool(), checks: makePool(), labels: makePool() };
  return { ...pools, close: () => Promise.all(Object.values(pools).map((pool) => pool.close())) };
}
