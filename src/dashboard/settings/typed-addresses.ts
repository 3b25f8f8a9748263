/*
 * Addresses as people type and paste them, in the form that the service takes. What can't be read stays as it is: the service says
 * what is wrong with it.
 */

/** A scheme, with or without the slashes: `https://`, `mailto:`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
/** A text that looks like a host with a dot, or this machine. */
const HOST = /^(?:[^\s/:.@]+\.)+[^\s/:.@]{2,}(?=[/:?#]|$)|^localhost(?=[/:?#]|$)/;

/** Returns the address of a page with its scheme: `example.org/thanks` is one of the web. */
export const toHttpUrl = (text: string): string => {
  const typed = text.trim();
  return HOST.test(typed) ? `https://${typed}` : typed;
};

/** Returns the origin of a site or an app: without a path, and with the scheme of the web where there is none. */
export function toSite(text: string): string {
  const address = toHttpUrl(text);
  const [scheme = ''] = SCHEME.exec(address) ?? [];
  if (scheme === '') return address;
  const [authority = ''] = address.slice(scheme.length).split(/[/?#]/, 1);
  return `${scheme}${authority}`.toLowerCase();
}

/** Returns the name of a domain: without scheme, user, port, path and the dot at its end. */
export function toDomain(text: string): string {
  const [authority = ''] = text
    .trim()
    .replace(SCHEME, '')
    .replace(/^\/\//, '')
    .split(/[/?#\\]/, 1);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return host.replace(/:\d*$/, '').replaceAll(/\s/g, '').replace(/\.+$/, '').toLowerCase();
}

/** Returns an e-mail address from a link to it, or from the form `Ada <ada@example.org>`, in lower case. */
export function toAddress(text: string): string {
  const typed = text.trim();
  const [, inside = typed] = /<([^<>]*)>$/.exec(typed) ?? [];
  return inside
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/\?.*$/, '')
    .toLowerCase();
}
