/** The owner that an embedded database gets at its first start; mail to it reaches nobody. */
export const FIRST_OWNER = 'owner@localhost';

/** RFC 5321, section 4.5.3.1. */
const MAX_ADDRESS_CHARS = 254;
// RFC 5321's Mailbox with a Dot-string and a Domain, and the length of its local part (4.5.3.1).
const MAILBOX =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;

/** Labels of letters, digits and hyphens, where letters may be beyond ASCII: nothing that has a meaning in a URL. */
const UNICODE_DOMAIN = /^[a-z\d.\u0080-\uffff-]+$/i;

/**
 * The mail address that a text is, without the white space around it, and with its domain in IDNA (`xn--`); undefined where it is
 * none, or has a name, quotes or anything that mail software could read as more. The part before the `@` is ASCII: beyond it,
 * each server on the way of a mail must have SMTPUTF8 (RFC 6531), which many have not.
 */
export function toMailAddress(text: string): string | undefined {
  // The next line (U+0085) is white space for Unicode, and not for JavaScript.
  const given = text.replaceAll('\u0085', ' ').trim();
  // The URL parser takes quadratic time for a long host that is not ASCII.
  if (given.length > MAX_ADDRESS_CHARS) return undefined;
  const domainAt = given.lastIndexOf('@') + 1;
  const address = given.slice(0, domainAt) + toAscii(given.slice(domainAt));
  // `=?` begins an encoded word (RFC 2047), which some software could decode to a second address.
  const isOne = address.length <= MAX_ADDRESS_CHARS && MAILBOX.test(address) && !address.includes('=?');
  return isOne ? address : undefined;
}

export const isMailAddress = (text: string): boolean => toMailAddress(text) !== undefined;

/** A domain in ASCII; one that can't be written so stays as it is. */
function toAscii(domain: string): string {
  if (!UNICODE_DOMAIN.test(domain) || !/[^ -~]/.test(domain) || !URL.canParse(`http://${domain}/`)) return domain;
  const { hostname } = new URL(`http://${domain}/`);
  // Digits of other scripts make an address of IPv4, to which nobody meant to write.
  return /^[\d.]+$/.test(hostname) ? domain : hostname;
}
