import type { JSX } from 'preact';
import { pageLinks } from '../../page-links.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import type { SiteDrafts } from './site-drafts.ts';

/** Says which other files are shown as they are not published yet, and leads to their editors. */
export function DraftsNotice({ id, drafts }: { id: string; drafts: SiteDrafts | undefined }): JSX.Element | null {
  if (!drafts) return null;
  const files = drafts.drafted.map((path, at) => (
    <>
      {at > 0 && ', '}
      <a key={path} href={`${pageLinks(id).edit}?file=${encodeURIComponent(path)}`}>
        <bdi>{path}</bdi>
      </a>
    </>
  ));
  return (
    <p class="hint">
      <Rich text={t.editor.draft.withOthers} with={{ files: <>{files}</> }} />
    </p>
  );
}
