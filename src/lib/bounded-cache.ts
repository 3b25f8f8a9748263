import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `max` entries, from which the least recently used ones fall out; after `ttlMs`, any. It takes memory
 * as entries come: lru-cache's own `max` would reserve a quarter of a megabyte for 10,000 at once.
 */
export const createBoundedCache = <Key extends {}, Value extends {}>(
  max: number,
  { ttlMs = 0 }: { ttlMs?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl: ttlMs, ttlAutopurge: false });
