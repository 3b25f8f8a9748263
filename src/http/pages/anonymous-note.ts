import type { Config } from '../../config.ts';
import { escapeHtml } from '../../lib/html.ts';

const STYLE = [
  ...['all:initial', 'display:block', 'clear:both', 'padding:8px 12px', 'position:relative', 'z-index:2147483647'],
  ...['font:12px/1.5 system-ui,sans-serif', 'color:#444', 'background:#fff', 'border-top:1px solid #ddd'],
]
  .map((rule) => `${rule}!important`)
  .join(';');
const LINK_STYLE = 'color:#0645ad!important;text-decoration:underline!important';

/** The line at the bottom of a page that nobody has claimed: how to keep it, and where to report it. */
export function anonymousNote({ baseUrl, abuseContact }: Config): Buffer {
  const service = escapeHtml(baseUrl);
  const report = abuseContact
    ? `<a style="${LINK_STYLE}" rel="nofollow" href="${escapeHtml(abuseContact.uri)}">Report this page</a>`
    : `Report it to the operator of <a style="${LINK_STYLE}" rel="nofollow" href="${service}">${escapeHtml(new URL(baseUrl).host)}</a>`;
  return Buffer.from(
    `\n<div lang="en" dir="ltr" style="${STYLE}">Published without an account: nobody has checked this page, and it is erased soon. ` +
      `If you have published it, open your claim link to keep it. ${report}.</div>\n`,
  );
}
