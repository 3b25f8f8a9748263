import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../../lib/html.ts';
import type { Limits } from '../../limits.ts';
import { writeSmallPage } from './small-page.ts';

/** The headers of every answer to a link in a mail: the address is a secret, and no other page may frame the button. */
export const LINK_HEADERS = { 'Referrer-Policy': 'no-referrer', 'X-Frame-Options': 'DENY' } as const;

/** The field that one-click software posts (RFC 8058). */
const ONE_CLICK = ' name="List-Unsubscribe" value="One-Click"';

/**
 * The page for a person who has opened a link in a mail. `dashboard`: the view where to go on. `button`: posts to the same address,
 * as `oneClick` software does.
 */
export type LinkPage = {
  title: string;
  text: string;
  code?: string;
  dashboard?: string;
  button?: string;
  oneClick?: boolean;
  isSignIn?: boolean;
  headers?: Readonly<Record<string, string>>;
};

export function writeLinkPage(
  response: ServerResponse,
  status: number,
  { title, text, code, dashboard, button, oneClick = false, isSignIn = false, headers }: LinkPage,
  limits: Limits,
): void {
  const content = [
    `<p>${escapeHtml(text)}</p>`,
    ...(code === undefined ? [] : [`<p><code>${escapeHtml(code)}</code></p>`]),
    ...(dashboard === undefined ? [] : [`<p><a class="button" href="${dashboard}">Open the dashboard</a></p>`]),
    ...(button === undefined
      ? []
      : [`<form method="post"><button${oneClick ? ONE_CLICK : ''}>${escapeHtml(button)}</button></form>`]),
  ].join('\n');
  const page = {
    // Mails are in English, too.
    translations: { language: 'en', dir: 'ltr' },
    // A question is no warning.
    sign: status >= 400 ? 'problem' : button === undefined ? 'done' : isSignIn ? 'enter' : 'ask',
    title: escapeHtml(title),
    content,
    formAction: button === undefined ? undefined : "'self'",
  } as const;
  writeSmallPage(response, status, page, { ...LINK_HEADERS, ...headers }, limits);
}
