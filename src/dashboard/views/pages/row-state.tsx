import type { JSX } from 'preact';
import { keptDraft } from '../../data.ts';
import type { Overviewed } from '../../own-pages.ts';
import { pageLinks } from '../../page-links.ts';
import { mayAs } from '../../permissions.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { READS_WEBHOOKS } from '../../ui/page-layout.tsx';
import { PageProblems } from '../../ui/page-problems.tsx';
import { PageState } from '../../ui/page-state.tsx';

/** Returns whether this person works on a page: the account has a draft, or this tab has one that is not there yet. */
const isUnpublished = ({ id, draft, role }: Overviewed): boolean =>
  (draft || keptDraft(`html:${id}`) !== undefined) && mayAs(role, 'PUT /deploy/{id}');

/** What a visitor finds at a page, and what its owner has to look after. */
export function RowState({ page }: { page: Overviewed }): JSX.Element {
  if (page.taken_down) return <span class="badge bad">{t.pages.state.takenDown}</span>;
  return (
    <>
      {page.state === 'open' && <span class="badge good">{t.pages.state.open}</span>}
      <PageState page={page} />
      <PageProblems page={page} />
      {isUnpublished(page) && (
        <a class="badge warn" href={pageLinks(page.id).edit}>
          {t.pages.state.notPublished}
        </a>
      )}
      {page.failing_webhooks > 0 && mayAs(page.role, READS_WEBHOOKS) && (
        <a class="badge warn" href={pageLinks(page.id).notifications}>
          {counted(t.pages.state.failingWebhooks, page.failing_webhooks)}
        </a>
      )}
    </>
  );
}
