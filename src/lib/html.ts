/** Escapes text for an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/**
 * An icon without a picture, and the source of CSP's img-src that allows it: browsers ask for /favicon.ico for a page without an icon, and
 * report that its policy forbids that.
 */
export const NO_ICON = { tag: '<link rel="icon" href="data:,">', source: 'data:' } as const;
