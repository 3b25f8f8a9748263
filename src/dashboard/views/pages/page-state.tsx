import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import type { Overviewed } from '../../own-pages.ts';
import { pageLinks } from '../../page-links.ts';
import { PageProblems } from '../../ui/page-problems.tsx';
import { counted, numbers } from '../../ui/time.tsx';

const opening = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: 'short', day: 'numeric', month: 'short' },
  ...{ hour: 'numeric', minute: '2-digit' },
});

/** When a page opens, in the zone of the browser. */
function Opens({ id }: { id: string }): JSX.Element {
  const { data } = useData(`opens:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
  );
  const at = data?.opens_at;
  return <>{at ? `Opens ${opening.format(new Date(at))}` : 'Not open yet'}</>;
}

const STATES = {
  open: { badge: 'badge good', text: () => 'Open' },
  closed: { badge: 'badge', text: () => 'Closed' },
  full: { badge: 'badge warn', text: () => 'Full' },
  'not-open': { badge: 'badge', text: (id: string) => <Opens id={id} /> },
};

/** What a visitor finds at a page, and what its owner has to look after. */
export function PageState({ page }: { page: Overviewed }): JSX.Element {
  const { id, state, places } = page;
  if (page.taken_down) return <span class="badge bad">Taken down</span>;
  const known = state === undefined ? undefined : STATES[state];
  return (
    <>
      {known && <span class={known.badge}>{known.text(id)}</span>}
      {places && (
        <span class="muted">
          {numbers.format(places.taken)} of {numbers.format(places.of)}
        </span>
      )}
      <PageProblems page={page} />
      {page.failing_webhooks > 0 && (
        <a class="badge warn" href={pageLinks(id).notifications}>
          {counted(page.failing_webhooks, 'webhook')} failing
        </a>
      )}
    </>
  );
}
