import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../html.ts';
import { writeSmallPage } from './small-page.ts';

/** Of every answer to a link in a mail: the address is a secret, and no other page may frame the button. */
export const LINK_HEADERS = { 'Referrer-Policy': 'no-referrer', 'X-Frame-Options': 'DENY' } as const;

/** What a person sees who has opened a link in a mail. `button`: posts to the same address. */
export function writeLinkPage(
  response: ServerResponse,
  status: number,
  { title, text, code, button }: { title: string; text: string; code?: string; button?: string },
  headers: Readonly<Record<string, string>> = {},
): void {
  const content = [
    `<p>${escapeHtml(text)}</p>`,
    ...(code === undefined ? [] : [`<p><code>${escapeHtml(code)}</code></p>`]),
    // What one-click software posts as well (RFC 8058).
    ...(button === undefined
      ? []
      : [
          `<form method="post"><button name="List-Unsubscribe" value="One-Click">${escapeHtml(button)}</button></form>`,
        ]),
  ].join('\n');
  const page = {
    // Mails are in English, too.
    speech: { language: 'en', dir: 'ltr' },
    sign: status >= 400 || button !== undefined ? 'problem' : 'done',
    title: escapeHtml(title),
    content,
    isLong: true,
    formAction: button === undefined ? undefined : "'self'",
  } as const;
  writeSmallPage(response, status, page, { ...headers, ...LINK_HEADERS });
}
