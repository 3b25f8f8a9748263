import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { escapeHtml } from '../../lib/html.ts';
import { pageName } from '../../sites/page-name.ts';
import { FormSnippet } from './form-snippet.tsx';
import type { Page } from './page-layout.tsx';
import { QrCode } from './qr-code.tsx';
import { Section } from './section.tsx';
import { Snippet } from './snippet.tsx';
import { Loading } from './states.tsx';

/** The page in a frame of another site. */
const frameOf = (page: Page): string =>
  `<iframe src="${page.url}" title="${escapeHtml(pageName(page))}" width="100%" height="720" style="border: 0" loading="lazy"></iframe>\n`;

/** How a page, or only its form, comes to visitors: in print, and on another site. `fields`: of its form, once it is read. */
export const Share = ({
  page,
  fields,
}: {
  page: Page;
  fields?: readonly Schemas['FormField'][] | undefined;
}): JSX.Element => (
  <Section title="Share it">
    <h3>In print</h3>
    <QrCode text={page.url} name={page.slug} />
    <h3>On another site</h3>
    <p class="muted">Paste this where the page is to appear. It keeps its look, and its form works there.</p>
    <Snippet text={frameOf(page)} of="the frame" />
    <details>
      <summary>Only its form, in the look of the other site</summary>
      <div class="stack">
        {fields ? <FormSnippet id={page.id} fields={fields} /> : <Loading label="Reading the form" />}
      </div>
    </details>
  </Section>
);
