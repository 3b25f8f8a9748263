/** The values of hexadecimal digits in either case, by their bytes; -1 for other bytes. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[0-9a-f]/i.test(character) ? Number.parseInt(character, 16) : -1;
});

/** Returns the byte that two hexadecimal digits at `at` stand for; a negative number where there are no two. */
export const hexByte = (bytes: Uint8Array, at: number): number =>
  ((DIGITS[bytes[at] ?? 0] ?? -1) << 4) | (DIGITS[bytes[at + 1] ?? 0] ?? -1);
