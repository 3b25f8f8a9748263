import { LIMITS, type LimitOverrides, type Limits, withLimits } from '../../src/limits.ts';

/** A machine may stand still for seconds. Only a test of a deadline should ever see one pass. */
const PATIENCE = 10;

/** Makes the deadlines among limits ten times as long. */
export function lengthenDeadlines(limits: Limits): void {
  for (const area of Object.values(limits)) {
    const deadlines = Object.entries<number>(area).filter(([name]) => name.endsWith('TimeoutMs'));
    Object.assign(area, Object.fromEntries(deadlines.map(([name, ms]) => [name, PATIENCE * ms])));
  }
}

/** The limits of services and parts in tests: those of production, with deadlines ten times as long, and quicker polls. */
export function testLimits(overrides: LimitOverrides = {}): Limits {
  const limits = structuredClone(LIMITS);
  lengthenDeadlines(limits);
  // Tests make deliveries due by hand.
  limits.delivery.pollIntervalMs = 20;
  limits.delivery.digestPollIntervalMs = 20;
  // A service that stops waits for no idle connection of a test.
  limits.server.lingerMs = 0;
  // Tests send more samples, and look more up, than an owner may. The tests of these limits set their own.
  limits.owners.testsPerMinute = 1_000;
  limits.owners.domainChecksPerMinute = 1_000;
  return withLimits(overrides, limits);
}
