import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { escapeHtml } from '../../lib/html.ts';
import { pageName } from '../../sites/page-name.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { FormSnippet } from './form-snippet.tsx';
import type { Page } from './page-layout.tsx';
import { QrCode } from './qr-code.tsx';
import { Section } from './section.tsx';
import { Snippet } from './snippet.tsx';
import { Loading } from './states.tsx';
import { unseen } from './unseen.tsx';

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
  <Section title={t.page.share.heading}>
    <h3>{t.page.share.inPrint}</h3>
    <QrCode text={page.url} name={page.slug} />
    <h3>{t.page.share.onSite}</h3>
    <p class="muted">{t.page.share.onSiteHint}</p>
    <Snippet text={frameOf(page)} copy={<Rich text={t.page.share.copyFrame} with={{ unseen }} />} />
    <details>
      <summary>{t.page.share.onlyForm}</summary>
      <div class="stack">
        {fields ? <FormSnippet id={page.id} fields={fields} /> : <Loading label={t.page.share.readingForm} />}
      </div>
    </details>
  </Section>
);
