/** The owner that an embedded database gets at its first start; mail to it reaches nobody. */
export const FIRST_OWNER = 'owner@localhost';

/** RFC 5321, section 4.5.3.1. */
const MAX_ADDRESS_CHARS = 254;
// RFC 5321's Mailbox with a Dot-string and a Domain, and the length of its local part (4.5.3.1).
const MAILBOX =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;

/** Whether a text is one mail address, without a name, quotes or anything that mail software could read as more. */
export const isMailAddress = (text: string): boolean =>
  // `=?` begins an encoded word (RFC 2047), which some software could decode to a second address.
  text.length <= MAX_ADDRESS_CHARS && MAILBOX.test(text) && !text.includes('=?');
