import type { Config } from '../../config.ts';
import { escapeHtml } from '../../lib/html.ts';
import { fill } from '../../texts/fill.ts';
import type { Translations } from '../response/translations.ts';

const STYLE = [
  ...['all:initial', 'display:block', 'padding:8px 12px', 'position:fixed', 'inset:auto 0 0', 'z-index:2147483647'],
  ...['font:12px/1.5 system-ui,sans-serif', 'color:#444', 'background:#fff', 'border-top:1px solid #ddd'],
];
/** Room below the page, so that the line covers nothing that cannot be scrolled into view. */
const ROOM = '<style>html::after{content:"";display:block;clear:both;height:6rem}</style>';
const LINK_STYLE = 'color:#0645ad!important;text-decoration:underline!important';

/**
 * The line at the bottom of a window with a page that nobody has claimed: how to keep it, and where to report it. In the source it comes
 * first, where nothing of the page takes it in.
 */
export function anonymousNote(
  { baseUrl, abuseContact }: Config,
  { language, dir, gap, unclaimed }: Translations,
): string {
  const { text, keep, report, reportTo } = unclaimed;
  const link = abuseContact
    ? { href: abuseContact.uri, text: report }
    : { href: baseUrl, text: fill(reportTo, { service: escapeHtml(new URL(baseUrl).host) }) };
  // `all: initial` resets the direction too.
  const style = [...STYLE, `direction:${dir}`].map((rule) => `${rule}!important`).join(';');
  return (
    `<div lang="${language}" dir="${dir}" style="${style}">${[text, keep].join(gap)}${gap}` +
    `<a style="${LINK_STYLE}" rel="nofollow" href="${escapeHtml(link.href)}">${link.text}</a></div>${ROOM}`
  );
}
