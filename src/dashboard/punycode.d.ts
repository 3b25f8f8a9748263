declare module 'punycode.js' {
  /** A domain with its letters in place of `xn--…`. */
  export function toUnicode(domain: string): string;
}
