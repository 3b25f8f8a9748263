import type { JSX } from 'preact';
import { pageLinks } from '../../page-links.ts';
import { locale, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import type { SiteDrafts } from './site-drafts.ts';

const LISTS = new Intl.ListFormat(locale);

/** Says which other files are shown as they are not published yet, and leads to their editors. */
export function DraftsNotice({ id, drafts }: { id: string; drafts: SiteDrafts | undefined }): JSX.Element | null {
  if (!drafts) return null;
  const files = LISTS.formatToParts(drafts.drafted).map(({ type, value }) =>
    type === 'literal' ? (
      value
    ) : (
      <a key={value} href={`${pageLinks(id).edit}?file=${encodeURIComponent(value)}`}>
        <bdi>{value}</bdi>
      </a>
    ),
  );
  return (
    <p class="hint">
      <Rich text={t.editor.draft.withOthers} with={{ files: <>{files}</> }} />
    </p>
  );
}
