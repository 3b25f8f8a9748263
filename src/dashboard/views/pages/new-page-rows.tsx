import type { JSX } from 'preact';
import { useData } from '../../data.ts';
import { type ListedDraft, newPageLink, readNewPageDrafts, startOf } from '../../new-page-drafts.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';

const seen = new Map<string, readonly ListedDraft[]>();

/** Returns the heading of the view that goes on with a draft. */
function kindOf(draft: string): string {
  const begun = startOf(draft);
  return begun
    ? fill(t.editor.start.newPageOf, { title: t.editor.start.pages[begun.start].title })
    : t.editor.start.newPage;
}

const Row = ({ draft: { name, title, updatedAt } }: { draft: ListedDraft }): JSX.Element => (
  <li class="page-row">
    <div class="tile hue-8" aria-hidden="true">
      <Icon name="edit" />
    </div>
    <div class="page-name">
      <h2>
        <a class="subtle" href={newPageLink(name)}>
          <bdi>{title ?? kindOf(name)}</bdi>
        </a>
      </h2>
      {title !== null && <p class="muted">{kindOf(name)}</p>}
    </div>
    <p class="page-state">
      <span class="badge warn">{t.pages.state.notPublished}</span>
    </p>
    <div class="page-count">
      {updatedAt !== undefined && (
        <p class="muted">
          <Rich text={t.pages.row.changed} with={{ time: <Time at={updatedAt} /> }} />
        </p>
      )}
    </div>
  </li>
);

/** The pages that the owner writes and has never published. Where they can't be read, the list of pages is shown without them. */
export function NewPageRows(): JSX.Element | false {
  const { data = [], reload } = useData('new-page-drafts', readNewPageDrafts, seen);
  useOtherTabs(reload);
  return (
    data.length > 0 && (
      <ul class="page-rows">
        {data.map((draft) => (
          <Row key={draft.name} draft={draft} />
        ))}
      </ul>
    )
  );
}
