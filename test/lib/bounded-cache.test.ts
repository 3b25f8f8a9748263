import { describe, expect, it } from 'vitest';
import { createBoundedCache } from '../../src/lib/bounded-cache.ts';

describe('createBoundedCache', () => {
  it('keeps as many entries as it may, without those that were used least recently', () => {
    const cache = createBoundedCache<string, number>(3);
    for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
    expect(cache.get('a')).toBe(0);
    cache.set('d', 3);
    expect([...cache.keys()].toSorted()).toEqual(['a', 'c', 'd']);
  });

  it('keeps entries for as long as it is told, or for ever', () => {
    const [brief, lasting] = [
      createBoundedCache<string, number>(3, { ttlMs: 60_000 }),
      createBoundedCache<string, number>(3),
    ];
    for (const cache of [brief, lasting]) cache.set('a', 1);
    expect(brief.getRemainingTTL('a')).toBeGreaterThan(0);
    expect(brief.getRemainingTTL('a')).toBeLessThanOrEqual(60_000);
    expect(lasting.getRemainingTTL('a')).toBe(Number.POSITIVE_INFINITY);
  });
});
