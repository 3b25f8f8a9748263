const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** `1 byte`, `18 bytes`, `2.5 MB`. */
export function inBytes(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let size = bytes / 1_000;
  let at = 0;
  // A size that would be rounded to 1000.0 is 1 of the next unit.
  for (; size >= 999.95 && at < UNITS.length - 1; at += 1) size /= 1_000;
  return `${size.toFixed(1).replace(/\.0$/, '')} ${UNITS[at]}`;
}

/** Returns the size that each of several may have, so that all together have at most `total`: what small ones leave, others may use. */
export function shareOf(sizes: readonly number[], total: number): number {
  let left = total;
  for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
