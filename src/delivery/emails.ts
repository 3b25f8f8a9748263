import { escapeHtml } from '../html.ts';
import { readJsonObject, unquote } from '../json-text.ts';
import { type Content, fieldsOf, type ShownField } from './payloads.ts';

/** A mail without its sender and its recipient. `replyTo` is one plain address. */
export type Email = { subject: string; text: string; html: string; replyTo?: string };

// RFC 5321's Mailbox with a Dot-string and a Domain, and the length of its local part (4.5.3.1).
const MAILBOX =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const MAX_MAILBOX_LENGTH = 254;

/** The mail to the owner of a deployment about a submission. */
export function submissionEmail({ deploymentId, slug, data, createdAt }: Content): Email {
  const time = createdAt.toISOString();
  const fields = fieldsOf(data).filter(({ name }) => !name.startsWith('_'));
  const replyTo = replyAddress(data);
  return {
    ...compose({
      subject: `New submission for ${slug}`,
      lead: `A form of ${slug} was submitted at ${time} (UTC)${fields.length === 0 ? ', with no fields to show' : ''}.`,
      fields,
      why: `You get this mail because email notifications are on for the deployment ${deploymentId}: PATCH /deploy/${deploymentId} with {"email_notifications": false} switches them off.`,
    }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

/** The mail to the owner of a deployment about a webhook that was switched off; `text` says why, in whole sentences. */
export const noticeEmail = ({ slug, text }: { slug: string; text: string }): Email =>
  compose({
    subject: `A webhook of ${slug} was switched off`,
    lead: text,
    fields: [],
    why: `You get this mail because you own ${slug}: DELETE /webhooks/:deployId/:webhookId ends all mail about a webhook.`,
  });

/** The address for Reply-To: the value of the field `email`, if there is one such field and it is one plain address. */
function replyAddress(data: string): string | undefined {
  const [field, ...others] = readJsonObject(data).members.filter(({ name }) => name === 'email');
  if (field === undefined || others.length > 0 || !field.value.startsWith('"')) return undefined;
  const address = unquote(field.value);
  // `=?` begins an encoded word (RFC 2047), which some software could decode to a second address.
  const isPlain = address.length <= MAX_MAILBOX_LENGTH && MAILBOX.test(address) && !address.includes('=?');
  return isPlain ? address : undefined;
}

function compose(mail: { subject: string; lead: string; fields: readonly ShownField[]; why: string }): Email {
  const { subject, why } = mail;
  const lead = printable(mail.lead);
  const fields = mail.fields.map(({ name, value }) => ({ name: printable(name), value: printable(value) }));
  const list = fields.map(textField).join('\n');
  return {
    subject,
    text: `${[lead, list, why].filter((part) => part !== '').join('\n\n')}\n`,
    // No colours: those of the mail client are readable in light and dark mode.
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body>
<div style="max-width:40em;margin:0 auto;font:16px/1.5 system-ui,sans-serif;word-break:break-word">
<h1 style="font-size:20px">${escapeHtml(subject)}</h1>
<p>${escapeHtml(lead)}</p>
${fields.map(htmlField).join('')}<p style="font-size:13px;opacity:.75">${escapeHtml(why)}</p>
</div>
</body>
</html>
`,
  };
}

/** The lines of a field. All except the first are indented, so that none looks like another field. */
const textField = ({ name, value }: ShownField): string => `${name}: ${value}`.replaceAll('\n', '\n    ');

const htmlField = ({ name, value }: ShownField): string =>
  `<div style="margin:0 0 12px;white-space:pre-wrap"><b>${escapeHtml(name)}</b><br>${escapeHtml(value)}</div>\n`;

/**
 * Text for mail software: every line break is a line feed; no other control characters except tabs, and no lone
 * surrogates.
 */
const printable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n|[\u2028\u2029]/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '\uFFFD');
