import type { StorageUse, WebhookNotice } from '../../db/deliveries/delivery-target.ts';
import type { Labels } from '../../db/deployments/labels.ts';
import { inBytes } from '../../lib/byte-size.ts';
import { escapeHtml } from '../../lib/html.ts';
import { isFileId } from '../../lib/ids.ts';
import { readJsonObject, unquote } from '../../lib/json-text.ts';
import { isPlainAddress } from '../../lib/mail-address.ts';
import { fileLinkExpiry, type SignedLinks } from '../../lib/signed-links.ts';
import { SIZES } from '../../limits.ts';
import { layOutFields, type MailFields, printable } from './mail-fields.ts';

/** A mail without its sender and its recipient. `replyTo` is one plain address. */
export type Email = {
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
  /** A URL that stops such mails (RFC 8058). */
  unsubscribe?: string;
};

/** What every mail about a deployment has. `pageUrl`: its page; `baseUrl`: the origin of the API. */
type AboutDeployment = { deploymentId: string; slug: string; pageUrl: string; baseUrl: string };

/** A mail that shows submissions. `recipientId`: who gets it; undefined for the owner. */
type ShowingSubmissions = AboutDeployment & {
  recipientId: string | undefined;
  labels: Labels;
  /** When the mail is made: its links to files work from then on. */
  now: Date;
  links: Pick<SignedLinks, 'file' | 'unsubscribe'>;
};

/** A submission. `data`: JSON text of an object, as stored. */
type Shown = { id: string; data: string; createdAt: Date };

/** The fields of a submission, with links to its files, in at most `maxBytes` of HTML. */
function fieldsOf(
  { deploymentId, labels, now, links }: ShowingSubmissions,
  { id: submissionId, data }: Pick<Shown, 'id' | 'data'>,
  maxBytes?: number,
): MailFields {
  const expires = fileLinkExpiry(now);
  const files = `/submissions/${deploymentId}/${submissionId}/files/`;
  const fileUrl = (path: string): string | undefined => {
    const fileId = path.startsWith(files) ? path.slice(files.length) : '';
    return isFileId(fileId) ? links.file({ deploymentId, submissionId, fileId }, expires) : undefined;
  };
  return layOutFields(data, fileUrl, labels, maxBytes);
}

const aboutFiles = (now: Date): Block =>
  paragraph(`The links to files work until ${inWords(fileLinkExpiry(now))}, for everybody who has them.`);

/** Why the mail comes, and how it stops. */
function stopFooter({ slug, recipientId, pageUrl }: ShowingSubmissions, unsubscribe: string): Block {
  const reason =
    recipientId === undefined
      ? `mail about submissions to ${slug} is on`
      : `you are a recipient of mail about submissions to ${slug}`;
  return footer(`You get this mail because ${reason}.`, [
    ['Open the page', pageUrl],
    ['Stop these mails', unsubscribe],
  ]);
}

/** The mail about a submission. */
export function submissionEmail(mail: ShowingSubmissions & { submission: Shown }): Email {
  const { deploymentId, slug, submission, recipientId, now, links, baseUrl } = mail;
  const fields = fieldsOf(mail, submission);
  const replyTo = replyAddress(submission.data);
  const unsubscribe = links.unsubscribe(deploymentId, recipientId);
  const end = fields.count === 0 ? ', with no fields to show.' : '.';
  return {
    ...compose(`New submission for ${slug}`, [
      paragraph(`A form of ${slug} was submitted on ${inWords(submission.createdAt)}${end}`),
      ...(fields.isCut
        ? [
            paragraph('It is too large for a mail, which shows a part of it. This request answers all of it:'),
            code(
              `curl ${baseUrl}/submissions/${deploymentId}/${submission.id} -H "Authorization: Bearer YOUR_API_KEY"`,
            ),
          ]
        : []),
      ...(fields.count > 0 ? [fieldList(fields)] : []),
      ...(fields.hasFiles ? [aboutFiles(now)] : []),
      stopFooter(mail, unsubscribe),
    ]),
    ...(replyTo === undefined ? {} : { replyTo }),
    unsubscribe,
  };
}

/** The mail that shows what mail about submissions looks like. `data`: a sample. */
export function testEmail(mail: ShowingSubmissions & { data: string }): Email {
  const { deploymentId, slug, recipientId, links, data } = mail;
  const unsubscribe = links.unsubscribe(deploymentId, recipientId);
  return {
    ...compose(`Test mail for ${slug}`, [
      paragraph(`This is a test, and no form was submitted. A mail about a submission to ${slug} looks like this:`),
      fieldList(fieldsOf(mail, { id: '', data })),
      stopFooter(mail, unsubscribe),
    ]),
    unsubscribe,
  };
}

/** Bytes of HTML for what stands around the fields of a submission in a digest, at most. */
const HEADING_BYTES = 320;

/** The mail about all submissions of an hour or a day: the first of them, and how many there are in all. */
export function digestEmail(
  mail: ShowingSubmissions & { from: Date; to: Date; submissions: readonly Shown[]; total: number },
): Email {
  const { deploymentId, slug, recipientId, now, links, baseUrl, from, to, submissions, total } = mail;
  const unsubscribe = links.unsubscribe(deploymentId, recipientId);
  const [subjectCount, textCount] =
    total === 1 ? ['1 new submission', '1 submission'] : [`${total} new submissions`, `${total} submissions`];
  let left = SIZES.mail.maxFieldsBytes;
  const shown = submissions.map((submission, at) => {
    // What one leaves free is for those after it.
    const fields = fieldsOf(mail, submission, Math.floor(left / (submissions.length - at)) - HEADING_BYTES);
    left -= fields.bytes + HEADING_BYTES;
    return { submission, fields };
  });
  const request = (path: string): Block =>
    code(`curl "${baseUrl}/submissions/${deploymentId}${path}" -H "Authorization: Bearer YOUR_API_KEY"`);
  return {
    ...compose(`${subjectCount} for ${slug}`, [
      paragraph(`${textCount} to ${slug} came from ${inWords(from)} to ${inWords(to)}.`),
      ...(total > shown.length
        ? [
            paragraph(`This mail shows the first ${shown.length}. This request answers all, newest first:`),
            request('?limit=100'),
          ]
        : []),
      ...(shown.some(({ fields }) => fields.isCut)
        ? [
            paragraph(
              'Some are too large for this mail, which shows a part of them. This request answers one by its id:',
            ),
            request('/ID'),
          ]
        : []),
      ...shown.flatMap(({ submission, fields }, at) => [
        heading(`${at + 1}. ${inWords(submission.createdAt)}`),
        fields.count === 0 ? paragraph('No fields to show.') : fieldList(fields),
        ...(fields.isCut ? [paragraph(`A part of ${submission.id}`)] : []),
      ]),
      ...(shown.some(({ fields }) => fields.hasFiles) ? [aboutFiles(now)] : []),
      stopFooter(mail, unsubscribe),
    ]),
    unsubscribe,
  };
}

/** The mail that asks a person whether to send mail about a deployment. `owner`: the address of who wants it. */
export function confirmationEmail({
  slug,
  pageUrl,
  owner,
  url,
  expires,
}: Pick<AboutDeployment, 'slug' | 'pageUrl'> & { owner: string; url: string; expires: Date }): Email {
  return compose(`Do you want mail about ${slug}?`, [
    paragraph(
      `${owner} wants you to get a mail when a form of ${slug} is submitted. You get none before you have confirmed.`,
    ),
    paragraph(`To get these mails, open this link until ${inWords(expires)}, and press the button on the page:`),
    link('Confirm', url),
    paragraph('If you do not want them, do nothing.'),
    footer(
      `You get this mail because ${owner}, the owner of ${slug}, gave your address. It comes once a day at most.`,
      [['Open the page', pageUrl]],
    ),
  ]);
}

/** The mail to the owner of a deployment about a recipient that was switched off. */
export function recipientOffEmail({
  deploymentId,
  slug,
  pageUrl,
  baseUrl,
  recipient,
  recipients,
  lastError,
}: AboutDeployment & { recipient: string; recipients: readonly string[]; lastError: string }): Email {
  // An address may have quotes and backticks, which a shell would read.
  const list = JSON.stringify({ recipients }).replaceAll("'", '\\u0027');
  return compose(`Mail to ${recipient} was switched off`, [
    paragraph(
      `${recipient} gets no more mail about ${slug}, because mails to it were refused for good ${SIZES.recipient.maxRefusals} times in a row.`,
    ),
    paragraph(`Last failure: ${lastError}`),
    paragraph(
      'Check the address. This request, with your API key, switches it on again; without the address in the list, it removes it:',
    ),
    code(
      `curl -X PATCH ${baseUrl}/deploy/${deploymentId} -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '${list}'`,
    ),
    footer(`You get this mail because you own ${slug}.`, [['Open the page', pageUrl]]),
  ]);
}

/** The mail to an owner whose storage is nearly full, or full. `baseUrl`: the origin of the API. */
export function storageEmail({
  percent,
  used,
  limit,
  plan,
  baseUrl,
}: StorageUse & Pick<AboutDeployment, 'baseUrl'>): Email {
  const isFull = percent >= 100;
  return compose(isFull ? 'Your storage is full' : `Your storage is ${percent} % full`, [
    paragraph(
      `Your pages, their versions and the files of submissions have ${inBytes(used)}, those in the trash and in spam included. Your plan (${plan}) allows ${inBytes(limit)}.`,
    ),
    paragraph(
      `${isFull ? 'New pages, changes of pages and files of visitors are refused.' : 'When it is full, new pages, changes of pages and files of visitors are refused.'} Submissions without files are always accepted.`,
    ),
    paragraph(
      'To free storage, delete pages for good in the trash, or submissions that have files. Or ask the operator for a larger plan.',
    ),
    footer(`You get this mail because you own pages at ${baseUrl}. It comes once until less is used.`, [
      ['Open the trash', `${baseUrl}/dashboard/trash`],
    ]),
  ]);
}

/** The mail to the owner of a deployment about a webhook that was switched off. */
export function noticeEmail({
  deploymentId,
  slug,
  notice,
  pageUrl,
  baseUrl,
}: AboutDeployment & { notice: WebhookNotice | string }): Email {
  const subject = `A webhook of ${slug} was switched off`;
  const end = footer(`You get this mail because you own ${slug}. It comes once a day for a webhook at most.`, [
    ['Open the page', pageUrl],
  ]);
  if (typeof notice === 'string') return compose(subject, [paragraph(notice), end]);
  const { webhookId, url, isGone, lastError, failingSince } = notice;
  const since = inWords(failingSince);
  const reason = isGone
    ? 'its receiver answered 410 Gone, which asks for no further deliveries'
    : `no delivery to it has succeeded since ${since}`;
  return compose(subject, [
    paragraph(`The webhook ${webhookId} of ${slug} was switched off: ${reason}.`),
    paragraph(`URL: ${url}\nFailing since: ${since}\nLast failure: ${lastError}`),
    paragraph(
      'Submissions that come while it is off are stored, and not sent to it. Deliveries that wait for another attempt are ' +
        'sent when it is on again. To switch it on, mend its receiver and send this request, with your API key:',
    ),
    code(
      `curl -X PATCH ${baseUrl}/webhooks/${deploymentId}/${webhookId} -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '{"active": true}'`,
    ),
    end,
  ]);
}

/** The address for Reply-To: the value of the field `email`, if there is one such field and it is one plain address. */
function replyAddress(data: string): string | undefined {
  const [field, ...others] = readJsonObject(data).members.filter(({ name }) => name === 'email');
  if (field === undefined || others.length > 0 || !field.value.startsWith('"')) return undefined;
  const address = unquote(field.value);
  return isPlainAddress(address) ? address : undefined;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
] as const;

/** A time for people: `22 November 2026, 16:04 UTC`. */
const inWords = (time: Date): string =>
  `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}, ${time.toISOString().slice(11, 16)} UTC`;

/** A part of a mail, as text and as HTML. */
type Block = { text: string; html: string };

const escapeLines = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>');

export function paragraph(words: string): Block {
  const text = printable(words);
  return { text, html: `<p style="margin:0 0 16px">${escapeLines(text)}</p>` };
}

function code(words: string): Block {
  const text = printable(words);
  return { text, html: `<p style="margin:0 0 16px;font:14px/1.4 Consolas,Menlo,monospace">${escapeLines(text)}</p>` };
}

function heading(words: string): Block {
  const text = printable(words);
  return {
    text,
    html: `<h2 style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid #888;font-size:16px">${escapeLines(text)}</h2>`,
  };
}

const link = (label: string, url: string): Block => ({
  text: url,
  html: `<p style="margin:0 0 16px"><a href="${escapeHtml(url)}"><b>${escapeHtml(label)}</b></a></p>`,
});

// Without line breaks between its elements, which would be shown.
const fieldList = ({ text, html }: MailFields): Block => ({
  text,
  html: `<div style="margin:0 0 16px;white-space:pre-wrap">${html}</div>`,
});

export function footer(words: string, links: readonly (readonly [label: string, url: string])[]): Block {
  const anchors = links.map(([label, url]) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`);
  return {
    text: [words, ...links.map(([label, url]) => `${label}: ${url}`)].join('\n'),
    html: `<p style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid #888;font-size:13px">${escapeHtml(words)}<br>${anchors.join(' &middot; ')}</p>`,
  };
}

export function compose(subject: string, blocks: readonly Block[]): Email {
  return {
    subject,
    text: `${blocks.map(({ text }) => text).join('\n\n')}\n`,
    // No colours of text and background: those of the mail client are readable in light and in dark mode.
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body>
<div style="max-width:640px;margin:0 auto;font:16px/1.5 'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere;word-break:break-word">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>
${blocks.map(({ html }) => html).join('\n')}
</div>
</body>
</html>
`,
  };
}
