import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../html.ts';
import { endEarly } from './errors.ts';

/** A short page of the service itself. `content` is HTML. */
type SmallPage = {
  title: string;
  content: string;
  /** The sources of CSP's form-action that its form may post to; undefined when it has no form. */
  formAction?: string | undefined;
};

const STYLE = `:root{color-scheme:light dark;--text:#1d1d1f;--back:#fff;--accent:#0b57d0}
@media(prefers-color-scheme:dark){:root{--text:#ececf1;--back:#17171a;--accent:#8ab4f8}}
body{margin:0;background:var(--back);color:var(--text);font:1.0625rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:auto;padding:10vh 1.25rem 2rem;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25}
a{color:var(--accent)}
button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:var(--accent);color:var(--back)}`;

const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/**
 * Answers with a page that has no script and loads nothing. It may be framed: the target of a form can be a frame, and
 * such a page offers nothing to clickjacking.
 */
export function writeSmallPage(
  response: ServerResponse,
  status: number,
  { title, content, formAction = "'none'" }: SmallPage,
  headers: Readonly<Record<string, string>>,
): void {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action ${formAction}; base-uri 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Origin-Agent-Cluster': '?1',
  });
  endEarly(response, body);
}
