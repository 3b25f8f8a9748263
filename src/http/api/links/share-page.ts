import { createHash } from 'node:crypto';
import type { NumberedSubmission } from '../../../db/submissions/submission-queries.ts';
import { labelsOf, type PageForm } from '../../../forms/forms-of-page.ts';
import { fieldsForPeople, type ShownValue, valuesOf } from '../../../forms/shown-fields.ts';
import { inBytes } from '../../../lib/byte-size.ts';
import { escapeHtml, NO_ICON } from '../../../lib/html.ts';
import { SIZES } from '../../../sizes.ts';

/*
 * The page of a share: submissions as HTML, which needs no script. It has no IP address, note or mark.
 */

const STYLE = `:root{color-scheme:light dark;--text:#1b1f24;--muted:#59616d;--back:#f3f5f8;--card:#fff;--line:#d9dee6;--accent:#0b57d0}
@media(prefers-color-scheme:dark){:root{--text:#eceef2;--muted:#a8b0bd;--back:#121417;--card:#1c1f24;--line:#363c46;--accent:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:48rem;margin:auto;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}
h1{margin:0 0 .25rem;font-size:1.5rem;line-height:1.25;text-wrap:balance}
.note{margin:0 0 1.5rem;color:var(--muted)}
article{margin:0 0 1rem;padding:1rem 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h2{margin:0 0 .75rem;color:var(--muted);font-size:.875rem;font-weight:600}
dl{margin:0}
dt{font-size:.875rem;font-weight:600}
dd{margin:0 0 .75rem;white-space:pre-wrap}
dd:last-child{margin-bottom:0}
a{color:var(--accent);text-underline-offset:.2em}
nav{display:flex;gap:1.5rem;padding:.5rem 0}
nav a{padding:.5rem 0}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
@media(min-width:40rem){main{padding-top:3rem}dl{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.75rem 1.5rem}dd{margin:0}}`;

/** The page loads nothing, posts nothing, and is in no frame. */
export const SHARE_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src ${NO_ICON.source}; ` +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** `path`: of the share. `isOlder`: these are not the newest submissions. */
export type SharedPage = {
  path: string;
  name: string;
  deploymentId: string;
  submissionCount: number;
  timeZone: string;
  forms: readonly PageForm[];
  isOlder: boolean;
};

function valueHtml({ value, file }: ShownValue, path: string, submissionId: string): string {
  if (!file) return escapeHtml(value);
  const fileId = file.path.split('/').at(-1) ?? '';
  return `<a href="${path}/${submissionId}/${escapeHtml(fileId)}">${escapeHtml(value)}</a> (${inBytes(file.bytes)})`;
}

/** Two elements of a list for each field. Values have the direction of their own language. */
function submissionHtml(
  { id, data, form, createdAt }: NumberedSubmission,
  { path, deploymentId, timeZone, forms }: SharedPage,
): string {
  const time = new Intl.DateTimeFormat('en-GB', {
    ...{ dateStyle: 'long', timeStyle: 'short' },
    timeZone,
  });
  const isFile = (url: string): boolean => url.startsWith(`/submissions/${deploymentId}/${id}/files/`);
  const fields = fieldsForPeople({ id, data }, labelsOf(forms, form)).map(({ label, value }) => {
    const values = valuesOf(value, isFile).map((one) => valueHtml(one, path, id));
    return `<dt dir="auto">${escapeHtml(label)}</dt><dd dir="auto">${values.join('\n')}</dd>`;
  });
  const place = form === null ? '' : ` · <bdi>${escapeHtml(form)}</bdi>`;
  return `<article>
<h2><time datetime="${createdAt.toISOString()}">${time.format(createdAt)}</time>${place}</h2>
${fields.length === 0 ? '<p class="note">It has no fields.</p>' : `<dl>${fields.join('\n')}</dl>`}
</article>
`;
}

const countOf = (submissions: number): string =>
  submissions === 1 ? '1 submission' : `${submissions.toLocaleString('en')} submissions`;

/**
 * The page in pieces. `batches`: its submissions, newest first, and one more where there are older ones, which is not shown.
 */
export async function* sharePage(
  page: SharedPage,
  batches: AsyncIterable<NumberedSubmission[]>,
): AsyncGenerator<string> {
  const name = escapeHtml(page.name);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Submissions of ${name}</title>
${NO_ICON.tag}
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Submissions of <bdi>${name}</bdi></h1>
<p class="note">${countOf(page.submissionCount)}, newest first, in the time of ${escapeHtml(page.timeZone.replaceAll('_', ' '))}. Who has the address of this page can read them.</p>
`;
  let last: NumberedSubmission | undefined;
  let shown = 0;
  let hasOlder = false;
  for await (const batch of batches) {
    for (const submission of batch) {
      hasOlder = shown === SIZES.share.pageRows;
      if (hasOlder) break;
      shown += 1;
      last = submission;
      yield submissionHtml(submission, page);
    }
  }
  if (shown === 0) yield '<p>There is nothing here yet.</p>\n';
  const links = [
    ...(page.isOlder ? [`<a href="${page.path}">Newest</a>`] : []),
    ...(hasOlder && last ? [`<a href="${page.path}?before=${last.number}">Older</a>`] : []),
  ];
  yield `${links.length > 0 ? `<nav aria-label="Pages">${links.join('\n')}</nav>\n` : ''}</main>
</body>
</html>
`;
}
