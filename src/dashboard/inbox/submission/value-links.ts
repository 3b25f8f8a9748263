import { namesAddress, onlyAddress } from '../../../forms/address-fields.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { exactTime } from '../../ui/time.tsx';
import { type Labels, labelOf } from '../columns/column-labels.ts';
import { type Field, isShown, type Submission, textIn } from '../read-submissions.ts';

const EMAIL = /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/;
const URL_OF_WEB = /^https?:\/\/\S+$/i;
const PHONE = /^\+?[\d ()/.-]{6,25}$/;

/** Encodes any text; half a character has no code. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const mailto = (address: string): string => `mailto:${encode(address).replace('%40', '@')}`;

/** The address to which a value leads that is an address of mail, a URL or a phone number. */
export function linkOf(name: string, text: string): string | undefined {
  if (text.length > DASHBOARD_LIMITS.inbox.linkChars) return undefined;
  if (EMAIL.test(text)) return mailto(text);
  if (URL_OF_WEB.test(text) && URL.canParse(text)) return text;
  const isPhone = PHONE.test(text) && (text.startsWith('+') || /phone|tel|mobil/i.test(name));
  return isPhone ? `tel:${text.replaceAll(/[^\d+]/g, '')}` : undefined;
}

/** The address to reply to, if the submission has one: of the field for it, of `email`, or of all other fields for addresses. */
function replyAddress({ fields }: Submission, labels: Labels): string | undefined {
  const addressesIn = (isWanted: (field: Field) => boolean): string[] =>
    fields
      .filter((field) => isWanted(field))
      .flatMap(({ values }) => values.map((value) => textIn(value).trim()))
      .filter((text) => EMAIL.test(text));
  const isForAddress = ({ name }: Field): boolean =>
    labels.get(name)?.type === 'email' || namesAddress(name) || namesAddress(labelOf(labels, name));
  return (
    onlyAddress(addressesIn(({ control }) => control === 'reply-to')) ??
    onlyAddress(addressesIn(({ name }) => name === 'email')) ??
    onlyAddress(addressesIn((field) => isShown(field) && isForAddress(field)))
  );
}

/** The fields that people filled in, each with its label. */
const linesOf = ({ fields }: Submission, labels: Labels): string =>
  fields
    .filter(isShown)
    .map(({ name, values }) => `${labelOf(labels, name)}: ${values.map(textIn).join(', ')}`)
    .join('\n')
    // A browser sends the lines of a textarea with CRLF.
    .replaceAll(/\r\n?/g, '\n');

/** A submission as a text to paste elsewhere: its page, its time, and its fields. */
export const plainText = (submission: Submission, labels: Labels, pageName: string): string =>
  `${fill(t.inbox.detail.copiedHead, { page: pageName, time: exactTime(submission.createdAt) })}\n\n${linesOf(submission, labels)}\n`;

/** A mail that replies to a submission: with its subject, and as much of it as a quotation as fits into an address. */
export function replyLink(submission: Submission, labels: Labels, pageName: string): string | undefined {
  const address = replyAddress(submission, labels);
  if (address === undefined) return undefined;
  let link = `${mailto(address)}?subject=${encode(`Re: ${pageName}`)}&body=`;
  for (const character of `\n\n${linesOf(submission, labels).replaceAll(/^/gm, '> ')}`) {
    // Lines of a mail end so in an address (RFC 6068).
    link += character === '\n' ? '%0D%0A' : encode(character);
    if (link.length > DASHBOARD_LIMITS.inbox.linkChars) return `${link}…`;
  }
  return link;
}
