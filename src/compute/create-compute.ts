import type { Config } from '../config.ts';
import type { Limits } from '../limits.ts';
import { ComputePool } from './pool.ts';

/** Makes the threads: one each for pages and large bodies, for checks, and for the forms of pages. */
export function createCompute(config: Config, limits: Limits) {
  const makePool = (): ComputePool => new ComputePool(config, limits);
  // A check can take seconds, and visitors wait for pages, submissions and mails for forms.
  const pools = { pages: makePool(), checks: makePool(), forms: makePool() };
  return { ...pools, close: () => Promise.all(Object.values(pools).map((pool) => pool.close())) };
}
