import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { escapeHtml, NO_ICON } from '../../lib/html.ts';
import type { Limits } from '../../limits.ts';
import { NO_LOOK, type PageLook } from '../../sites/page-look.ts';
import { endEarly } from './errors.ts';
import { colorStyle, colorTags } from './page-colors.ts';
import type { Translations } from './translations.ts';

/** A short page of the service itself. Title and content are HTML. */
type SmallPage = {
  translations: Pick<Translations, 'language' | 'dir'>;
  /** The picture above the title. */
  sign: keyof typeof SIGNS;
  title: string;
  content: string;
  /** The look of the page that it belongs to. */
  look?: PageLook | undefined;
  /** A script of the service. */
  script?: string | undefined;
  /** The sources of CSP's form-action that its form may post to; undefined when it has no form. */
  formAction?: string | undefined;
};

const SIGNS = {
  enter: '<path d="M20 5h17a5 5 0 0 1 5 5v28a5 5 0 0 1-5 5H20M5 24h23m-9-9.5 9.5 9.5-9.5 9.5"/>',
  ask: '<circle cx="24" cy="24" r="21"/><path d="M17.5 19a6.5 6.5 0 1 1 9.3 5.9c-1.8.9-2.8 2-2.8 4.1M24 35v.5"/>',
  done: '<circle cx="24" cy="24" r="21"/><path d="m15 24.5 6.5 6.5L34 18"/>',
  wait: '<circle cx="24" cy="24" r="21"/><path d="M24 12.5V24l7.5 5"/>',
  problem: '<circle cx="24" cy="24" r="21"/><path d="M24 13.5v13M24 33.5v.5"/>',
} as const;

const STYLE = `:root{color-scheme:light dark;--text:#1b1f24;--muted:#59616d;--back:#f3f5f8;--card:#fff;--line:#d9dee6;--accent:#0b57d0;--on-accent:#fff;--done:#1a7f47;--problem:#a15c00}
@media(prefers-color-scheme:dark){:root{--text:#eceef2;--muted:#a8b0bd;--back:#121417;--card:#1c1f24;--line:#363c46;--accent:#8ab4f8;--on-accent:#10203a;--done:#6fd39d;--problem:#f2bd6b}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;background:var(--back);color:var(--text);font:1.0625rem/1.55 system-ui,sans-serif}
main{width:calc(100% - 2rem);max-width:34rem;margin:auto;padding:2.25rem 1.5rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;overflow-wrap:anywhere}
.of{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;margin:0 0 1.25rem;color:var(--muted);font-size:.9375rem;font-weight:600}
@media(min-width:40rem){main{padding:3rem}}
svg{display:block;width:3rem;margin-bottom:1.25rem;fill:none;stroke:var(--problem);stroke-width:3;stroke-linecap:round}
.enter,.ask{stroke:var(--link,var(--accent))}
.done{stroke:var(--done)}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25;text-wrap:balance}
p{margin:0 0 1rem}
main>:last-child{margin-bottom:0}
a{color:var(--link,var(--accent));text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--link,var(--accent));outline-offset:3px}
form{margin:1.5rem 0}
form>:last-child{margin-bottom:0}
[hidden]{display:none}
label{display:block;margin-bottom:.35rem;font-weight:600}
input{font:inherit;font-size:1rem;width:100%;padding:.6rem;border:1px solid var(--muted);border-radius:.6rem;color:var(--text);background:var(--back)}
input::file-selector-button{font:inherit;margin-inline-end:.75rem;padding:.35rem .8rem;border:1px solid var(--muted);border-radius:.4rem;background:var(--card);color:var(--text)}
button,.button{display:inline-block;font:inherit;font-weight:600;min-height:2.9rem;padding:.6rem 1.5rem;border:1px solid var(--edge,transparent);border-radius:.6rem;background:var(--accent);color:var(--on-accent);cursor:pointer;text-decoration:none}
.note{margin-top:1.75rem;padding-top:1.25rem;border-top:1px solid var(--line);color:var(--muted);font-size:.9375rem}
code{font:.9em ui-monospace,Menlo,Consolas,monospace}`;

/** The source of CSP's style-src or script-src that allows a text. */
const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const STYLE_SOURCE = sourceOf(STYLE);

/**
 * Answers with a page that loads nothing, and has a script only where it counts down. It may be framed: the target of a form can be a frame, and
 * such a page offers nothing to clickjacking.
 */
export function writeSmallPage(
  response: ServerResponse,
  status: number,
  { translations, sign, title, content, look = NO_LOOK, script, formAction = "'none'" }: SmallPage,
  headers: Readonly<Record<string, string>>,
  limits: Limits,
): void {
  const colors = colorStyle(look);
  const name = look.title === null ? undefined : escapeHtml(look.title);
  const styles = colors ? `${STYLE_SOURCE} ${sourceOf(colors)}` : STYLE_SOURCE;
  const scripts = script === undefined ? '' : ` script-src ${sourceOf(script)};`;
  const body = `<!doctype html>
<html lang="${translations.language}" dir="${translations.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}${name ? ` · ${name}` : ''}</title>
${NO_ICON.tag}
${colorTags(look)}<style>${STYLE}</style>${colors && `\n<style>${colors}</style>`}
</head>
<body>
<main>
${name ? `<p class="of"><bdi>${name}</bdi></p>\n` : ''}<svg class="${sign}" viewBox="0 0 48 48" aria-hidden="true">${SIGNS[sign]}</svg>
<h1>${title}</h1>
${content}
</main>${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`;
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src ${styles}; img-src ${NO_ICON.source};${scripts} form-action ${formAction}; base-uri 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Origin-Agent-Cluster': '?1',
  });
  endEarly(response, body, limits);
}
