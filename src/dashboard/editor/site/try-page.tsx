import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../../texts/chosen-texts.ts';
import { LivePreview } from '../live-preview.tsx';
import { readSource } from '../source/page-source.ts';
import { draftEdits } from '../source/shown/draft-edits.ts';
import { baseEdits, baseOf } from '../source/shown/page-base.ts';
import { applyEdits } from '../source/source-edits.ts';
import type { SiteDrafts } from './site-drafts.ts';

type Props = { html: string; url: string | undefined; drafts: SiteDrafts | undefined; hasLink: boolean };

/** Returns a page as it can be shown at another address, with the drafts of its files. `url`: of the live page. */
function shownPage({ html, url, drafts }: Omit<Props, 'hasLink'>): string {
  if (url === undefined) return html;
  const source = readSource(html);
  const base = baseOf(source, url);
  return applyEdits(html, [...baseEdits(source, base), ...draftEdits(source, { base, drafts })]);
}

/** The page as visitors use it: its scripts run. `hasLink`: a preview link can be made, for what does not work here. */
export function TryPage({ html, url, drafts, hasLink }: Props): JSX.Element {
  const shown = useMemo(() => shownPage({ html, url, drafts }), [html, url, drafts]);
  return (
    <>
      <p class="hint">{hasLink ? t.editor.preview.tryWithLink : t.editor.preview.tryHint}</p>
      <LivePreview html={shown} />
    </>
  );
}
