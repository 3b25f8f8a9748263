import { namesAddress, onlyAddress } from '../../forms/address-fields.ts';
import { type ControlKind, controlsOf, isForPeople } from '../../forms/control-fields.ts';
import type { Labels } from '../../forms/forms-of-page.ts';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { escapeHtml } from '../../lib/html.ts';
import { FILE_ID } from '../../lib/ids.ts';
import { type JsonMember, readJsonObject, unquote } from '../../lib/json-text.ts';
import { toMailAddress } from '../../lib/mail-address.ts';
import { fileLinkExpiry, type SignedLinks } from '../../lib/signed-links.ts';
import { SIZES } from '../../sizes.ts';
import {
  type Block,
  buttons,
  code,
  compose,
  type Email,
  fieldList,
  footer,
  heading,
  inWords,
  paragraph,
} from './layout.ts';
import { layOutFields, type MailFields } from './mail-fields.ts';

/** The parts of every mail that shows submissions. `pageUrl`: the page; `baseUrl`: the origin of the API. */
export type SubmissionMail = {
  deploymentId: string;
  /** What people call the page. */
  name: string;
  pageUrl: string;
  baseUrl: string;
  /** The recipient; null for the owner. */
  recipientId: string | null;
  labels: Labels;
  /** The names of fields that take a mail address by their type. */
  addressFields: ReadonlySet<string>;
  /** The owner's, in which all times are. */
  timeZone: string;
  /** When the mail is made: its links to files work from then on. */
  now: Date;
  links: Pick<SignedLinks, 'file' | 'spam' | 'unsubscribe'>;
};

/** A submission. `data`: JSON text of an object, as stored. `form`: the name of its form, among several. */
type Shown = { id: string; data: string; createdAt: Date; form?: string | null };

/** Characters of the name of a form in a sentence. */
const MAX_FORM_CHARS = 60;

/** The mail about a submission. */
export function submissionEmail(mail: SubmissionMail & { submission: Shown }): Email {
  const { name, submission, timeZone } = mail;
  const fields = fieldsOf(mail, submission);
  const replyTo = replyAddress(submission, mail);
  const subject = subjectOf(submission, name, replyTo);
  const form = submission.form ? `The form “${formName(submission.form)}”` : 'A form';
  const end = fields.count === 0 ? ', with no fields to show.' : '.';
  const blocks = [
    paragraph(`${form} of ${name} was submitted on ${inWords(submission.createdAt, timeZone)}${end}`),
    ...(fields.isCut
      ? [
          paragraph('It is too large for a mail, which shows a part of it. This request answers all of it:'),
          curl(`${addressOf(mail)}/${submission.id}`),
        ]
      : []),
    ...(fields.count > 0 ? [fieldList(fields)] : []),
  ];
  return {
    ...stoppable(mail, subject, blocks, {
      hasFiles: fields.hasFiles,
      ownerLinks: [
        ['Open in inbox', inboxUrl(mail, submission.id)],
        ...(replyTo === undefined ? [] : [['Reply', mailto(replyTo, `Re: ${subject}`)] as const]),
        ['Spam', mail.links.spam({ deploymentId: mail.deploymentId, submissionId: submission.id })],
      ],
    }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

/** The mail that shows what mail about submissions looks like. `data`: a sample. */
export const testEmail = (mail: SubmissionMail & { data: string }): Email =>
  stoppable(mail, `Test mail for ${mail.name}`, [
    paragraph(`This is a test, and no form was submitted. A mail about a submission to ${mail.name} looks like this:`),
    fieldList(fieldsOf(mail, { id: '', data: mail.data })),
  ]);

/** Bytes of HTML for what stands around the fields of a submission in a digest besides the name of its form, at most. */
const HEADING_BYTES = 320;

/** The text behind the time of a submission in a digest. */
const ofForm = ({ form }: Shown): string => (form ? `, ${formName(form)}` : '');

/** The mail about all submissions of an hour or a day: the first of them, and how many there are in all. `labels`: those of its form. */
export function digestEmail(
  mail: SubmissionMail & {
    from: Date;
    to: Date;
    submissions: readonly (Shown & { labels?: Labels | undefined })[];
    total: number;
  },
): Email {
  const { name, from, to, submissions, total, timeZone } = mail;
  const [subjectCount, textCount] =
    total === 1 ? ['1 new submission', '1 submission'] : [`${total} new submissions`, `${total} submissions`];
  let left = SIZES.mail.maxFieldsBytes;
  const shown = submissions.map((submission, at) => {
    // Space that one leaves free is for those after it.
    const own = submission.labels ? { ...mail, labels: submission.labels } : mail;
    const around = HEADING_BYTES + Buffer.byteLength(escapeHtml(ofForm(submission)));
    const fields = fieldsOf(own, submission, Math.floor(left / (submissions.length - at)) - around);
    left -= fields.bytes + around;
    return { submission, fields };
  });
  const blocks = [
    paragraph(`${textCount} to ${name} came from ${inWords(from, timeZone)} to ${inWords(to, timeZone)}.`),
    ...(total > shown.length
      ? [
          paragraph(`This mail shows the first ${shown.length}. This request answers all, newest first:`),
          curl(`"${addressOf(mail)}?limit=100"`),
        ]
      : []),
    ...(shown.some(({ fields }) => fields.isCut)
      ? [
          paragraph(
            'Some are too large for this mail, which shows a part of them. This request answers one by its id:',
          ),
          curl(`"${addressOf(mail)}/ID"`),
        ]
      : []),
    ...shown.flatMap(({ submission, fields }, at) => [
      heading(`${at + 1}. ${inWords(submission.createdAt, timeZone)}${ofForm(submission)}`),
      fields.count === 0 ? paragraph('No fields to show.') : fieldList(fields),
      ...(fields.isCut ? [paragraph(`A part of ${submission.id}`)] : []),
    ]),
  ];
  return stoppable(mail, `${subjectCount} for ${name}`, blocks, {
    hasFiles: shown.some(({ fields }) => fields.hasFiles),
    ownerLinks: [['Open the inbox', inboxUrl(mail)]],
  });
}

const addressOf = ({ baseUrl, deploymentId }: SubmissionMail): string => `${baseUrl}/submissions/${deploymentId}`;

const curl = (address: string): Block => code(`curl ${address} -H "Authorization: Bearer YOUR_API_KEY"`);

/** The address in the dashboard of a deployment's submissions, or of one of them. */
const inboxUrl = ({ baseUrl, deploymentId }: SubmissionMail, submissionId?: string): string =>
  baseUrl +
  (submissionId === undefined
    ? VIEW_PATHS.inbox
    : VIEW_PATHS.submission.replace(':submissionId', submissionId)
  ).replace(':id', deploymentId);

/** RFC 6068, of a plain address: in its local part, some characters would end it. */
const mailto = (address: string, subject: string): string =>
  `mailto:${encodeURIComponent(address).replace('%40', '@')}?subject=${encodeURIComponent(subject)}`;

type Ending = { hasFiles: boolean; ownerLinks: readonly (readonly [label: string, url: string])[] };

/**
 * A mail that ends with why it comes and how it stops, and before that with how long its links to files work, and with links
 * for the owner: a recipient has no account.
 */
function stoppable(
  mail: SubmissionMail,
  subject: string,
  blocks: readonly Block[],
  { hasFiles, ownerLinks }: Ending = { hasFiles: false, ownerLinks: [] },
): Email {
  const { deploymentId, name, recipientId, pageUrl, links, now, timeZone } = mail;
  const unsubscribe = links.unsubscribe(deploymentId, recipientId ?? undefined);
  const reason =
    recipientId === null
      ? `mail about submissions to ${name} is on`
      : `you are a recipient of mail about submissions to ${name}`;
  const until = inWords(fileLinkExpiry(now), timeZone);
  const end = [
    ...(hasFiles ? [paragraph(`The links to files work until ${until}, for everybody who has them.`)] : []),
    ...(recipientId === null && ownerLinks.length > 0 ? [buttons(ownerLinks)] : []),
    footer(`You get this mail because ${reason}.`, [
      ['Open the page', pageUrl],
      ['Stop these mails', unsubscribe],
    ]),
  ];
  return { ...compose(subject, [...blocks, ...end]), unsubscribe };
}

/** The fields of a submission, with links to its files, in at most `maxBytes` of HTML. */
function fieldsOf(
  { deploymentId, labels, now, links }: SubmissionMail,
  { id: submissionId, data }: Pick<Shown, 'id' | 'data'>,
  maxBytes?: number,
): MailFields {
  const expires = fileLinkExpiry(now);
  const files = `/submissions/${deploymentId}/${submissionId}/files/`;
  const fileUrl = (path: string): string | undefined => {
    const fileId = path.startsWith(files) ? path.slice(files.length) : '';
    return FILE_ID.test(fileId) ? links.file({ deploymentId, submissionId, fileId }, expires) : undefined;
  };
  return layOutFields({ id: submissionId, data }, fileUrl, labels, maxBytes);
}

/** The name of the field for the visitor's address in most forms. */
const EMAIL = 'email';

type AddressNames = Pick<SubmissionMail, 'labels' | 'addressFields'>;
type IsWanted = (name: string, control: ControlKind | undefined) => boolean;

/** The fields of a submission that are wanted. */
function wantedOf({ id, data }: Pick<Shown, 'id' | 'data'>, isWanted: IsWanted): readonly JsonMember[] {
  const { members } = readJsonObject(data);
  const controlOf = controlsOf(
    members.map(({ name }) => name),
    id,
  );
  return members.filter(({ name }) => isWanted(name, controlOf(name)));
}

/** The text of the one field that `isWanted`; undefined where there is none, or several, or another value. */
export function onlyText(submission: Pick<Shown, 'id' | 'data'>, isWanted: IsWanted): string | undefined {
  const [field, ...others] = wantedOf(submission, isWanted);
  return field?.value.startsWith('"') && others.length === 0 ? unquote(field.value) : undefined;
}

/**
 * The address for Reply-To: of the field for it, or else of `email`, or else the only one in fields that are called so, each where
 * that is one plain address.
 */
const replyAddress = (submission: Pick<Shown, 'id' | 'data'>, names: AddressNames): string | undefined =>
  toMailAddress(onlyText(submission, (_, control) => control === 'reply-to') ?? '') ??
  toMailAddress(onlyText(submission, (name) => name === EMAIL) ?? '') ??
  onlyAddress(
    wantedOf(submission, (name, control) => name !== EMAIL && isForPeople(control) && isForAddress(name, names)).map(
      ({ value }) => (value.startsWith('"') ? toMailAddress(unquote(value)) : undefined),
    ),
  );

const isForAddress = (name: string, { labels, addressFields }: AddressNames): boolean =>
  addressFields.has(name) || namesAddress(name) || namesAddress(labels.get(name) ?? '');

/** The field with the sender's name, as forms call it. */
const NAME_FIELD = /^(?:(?:your|full)[-_ ]?)?name$/i;

/**
 * A text in one line, of at most `maxChars` UTF-16 units, without half a character at its end. Mail software would decode an
 * encoded word (RFC 2047), which could bring back what is left out here.
 */
const oneLine = (text: string, maxChars: number): string =>
  text
    .replaceAll(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim()
    .slice(0, maxChars)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();

/** The name of a form, which may be a visitor's text. */
const formName = (form: string): string => oneLine(form, MAX_FORM_CHARS);

/** The subject that the form has chosen, with the page's name; or else who sent the form, as far as it says that. */
function subjectOf(submission: Pick<Shown, 'id' | 'data'>, page: string, replyTo: string | undefined): string {
  const { maxSubjectChars } = SIZES.mail;
  const pageName = oneLine(page, maxSubjectChars);
  const chosen = oneLine(
    onlyText(submission, (_, control) => control === 'subject' || control === 'shown-subject') ?? '',
    maxSubjectChars,
  );
  if (chosen !== '') return `${chosen} (${pageName})`;
  const name = oneLine(onlyText(submission, (name) => NAME_FIELD.test(name)) ?? '', maxSubjectChars);
  const sender = name || replyTo;
  const subject = `New submission for ${pageName}`;
  return sender ? oneLine(`${subject}: ${sender}`, maxSubjectChars) : subject;
}
