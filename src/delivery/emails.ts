import type { WebhookNotice } from '../db/delivery-target.ts';
import { escapeHtml } from '../html.ts';
import { isFileId } from '../ids.ts';
import { readJsonObject, unquote } from '../json-text.ts';
import { fileLinkExpiry, type SignedLinks } from '../signed-links.ts';
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

/** A submission, and what its mail links to. */
type SubmissionMail = {
  deploymentId: string;
  submissionId: string;
  slug: string;
  /** JSON text of an object, as stored. */
  data: string;
  createdAt: Date;
  /** When the mail is made: its links to files work from then on. */
  now: Date;
  links: Pick<SignedLinks, 'file' | 'unsubscribe'>;
  pageUrl: string;
  /** The origin of the API. */
  baseUrl: string;
};

// RFC 5321's Mailbox with a Dot-string and a Domain, and the length of its local part (4.5.3.1).
const MAILBOX =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const MAX_MAILBOX_LENGTH = 254;

/** The mail to the owner of a deployment about a submission. */
export function submissionEmail(mail: SubmissionMail): Email {
  const { deploymentId, submissionId, slug, data, createdAt, now, links, pageUrl, baseUrl } = mail;
  const expires = fileLinkExpiry(now);
  const files = `/submissions/${deploymentId}/${submissionId}/files/`;
  const fields = layOutFields(data, (path) => {
    const fileId = path.startsWith(files) ? path.slice(files.length) : '';
    return isFileId(fileId) ? links.file({ deploymentId, submissionId, fileId }, expires) : undefined;
  });
  const replyTo = replyAddress(data);
  const unsubscribe = links.unsubscribe(deploymentId);
  const end = fields.count === 0 ? ', with no fields to show.' : '.';
  return {
    ...compose(`New submission for ${slug}`, [
      paragraph(`A form of ${slug} was submitted on ${inWords(createdAt)}${end}`),
      ...(fields.isCut
        ? [
            paragraph('It is too large for a mail, which shows a part of it. This request answers all of it:'),
            code(`curl ${baseUrl}/submissions/${deploymentId}/${submissionId} -H "Authorization: Bearer YOUR_API_KEY"`),
          ]
        : []),
      ...(fields.count > 0 ? [fieldList(fields)] : []),
      ...(fields.hasFiles
        ? [paragraph(`The links to files work until ${inWords(expires)}, for everybody who has them.`)]
        : []),
      footer(`You get this mail because mail about submissions to ${slug} is on.`, [
        ['Open the page', pageUrl],
        ['Stop these mails', unsubscribe],
      ]),
    ]),
    ...(replyTo === undefined ? {} : { replyTo }),
    unsubscribe,
  };
}

/** The mail to the owner of a deployment about a webhook that was switched off. */
export function noticeEmail({
  deploymentId,
  slug,
  notice,
  pageUrl,
  baseUrl,
}: {
  deploymentId: string;
  slug: string;
  notice: WebhookNotice | string;
  pageUrl: string;
  baseUrl: string;
}): Email {
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
  // `=?` begins an encoded word (RFC 2047), which some software could decode to a second address.
  const isPlain = address.length <= MAX_MAILBOX_LENGTH && MAILBOX.test(address) && !address.includes('=?');
  return isPlain ? address : undefined;
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
