import { escapeHtml } from '../../lib/html.ts';
import type { Language } from '../../lib/languages.ts';
import { MAIL_TEXTS } from '../../texts/mail-texts.ts';
import { type MailFields, printable } from './mail-fields.ts';

/** A mail without its sender. `replyTo` is one plain address. */
export type Email = {
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
  /** An http or https URL that stops such mails when it gets a POST (RFC 8058). */
  unsubscribe?: string;
  /** The language of its texts; undefined: it is not known. */
  language?: Language;
  /** The address of a visitor; otherwise the mail goes to that of its delivery. */
  visitor?: string;
};

/** A part of a mail, as text and as HTML. */
export type Block = { text: string; html: string };

/** A time for people, in a time zone (IANA): `22 November 2026, 16:04 UTC`, `22 November 2026, 17:04 CET`. */
export function inWords(time: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const [day, month, year] = [parts.get('day'), parts.get('month'), parts.get('year')];
  return `${day} ${month} ${year}, ${parts.get('hour')}:${parts.get('minute')} ${parts.get('timeZoneName')}`;
}

function element(tag: string, style: string, words: string): Block {
  const text = printable(words);
  return { text, html: `<${tag} style="${style}">${escapeHtml(text).replaceAll('\n', '<br>')}</${tag}>` };
}

const LINE_ABOVE = 'margin:24px 0 0;padding:12px 0 0;border-top:1px solid #888';

export const paragraph = (words: string): Block => element('p', 'margin:0 0 16px', words);

export const code = (words: string): Block =>
  element('p', 'margin:0 0 16px;font:14px/1.4 Consolas,Menlo,monospace', words);

export const heading = (words: string): Block => element('h2', `${LINE_ABOVE};font-size:16px`, words);

const BUTTON =
  'display:inline-block;margin:0 8px 8px 0;padding:8px 16px;border:1px solid #888;border-radius:6px;text-decoration:none';

type Link = readonly [label: string, url: string];

/** Links that look like buttons. The text leaves out mailto:, because mail software has a button to reply. */
export const buttons = (links: readonly Link[]): Block => ({
  text: links
    .filter(([, url]) => !url.startsWith('mailto:'))
    .map(([label, url]) => `${label}: ${url}`)
    .join('\n'),
  html: `<p style="margin:0 0 8px">${links.map(([label, url]) => `<a href="${escapeHtml(url)}" style="${BUTTON}"><b>${escapeHtml(label)}</b></a>`).join('')}</p>`,
});

/** One such link, whose address is enough for the text. */
export const button = (label: string, url: string): Block => ({ ...buttons([[label, url]]), text: url });

// Without line breaks between its elements, which would be shown.
export const fieldList = ({ text, html }: MailFields): Block => ({
  text,
  html: `<div style="margin:0 0 16px;white-space:pre-wrap">${html}</div>`,
});

export function footer(words: string, links: readonly Link[] = []): Block {
  const anchors = links.map(([label, url]) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`);
  return {
    text: [words, ...links.map(([label, url]) => `${label}: ${url}`)].join('\n'),
    html: `<p style="${LINE_ABOVE};font-size:13px">${escapeHtml(words)}${anchors.length > 0 ? '<br>' : ''}${anchors.join(' &middot; ')}</p>`,
  };
}

/** `language`: of the texts; empty where it is not known. */
export function compose(subject: string, blocks: readonly Block[], language: Language | '' = 'en'): Email {
  const dir = language !== '' && MAIL_TEXTS[language].dir === 'rtl' ? ' dir="rtl"' : '';
  return {
    ...(language !== '' && { language }),
    subject,
    text: `${blocks.map(({ text }) => text).join('\n\n')}\n`,
    // No colours of text and background: those of the mail client are readable in light and in dark mode.
    html: `<!doctype html>
<html lang="${language}"${dir}>
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
