import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import type { Overviewed } from '../own-pages.ts';
import { mayAs } from '../permissions.ts';
import { numbers } from './time.tsx';

const openingTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

/** When a form opens that is not open yet. */
function Opening({ id }: { id: string }): JSX.Element {
  const { data: opensAt } = useData(`opens:${id}`, async (signal) => {
    const settings = await answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal }));
    return settings.opens_at ?? undefined;
  });
  return (
    <span class="badge warn">
      {opensAt === undefined ? 'Not open yet' : `Opens ${openingTime.format(new Date(opensAt))}`}
    </span>
  );
}

/** How many places of a page are taken, and whether its form is full, closed or not open yet. An open form without a limit has nothing to say. */
export function PageState({ page: { id, state, places, role } }: { page: Overviewed }): JSX.Element | null {
  if (state === 'open' && !places) return null;
  return (
    <span class="badges form-state">
      {places && (
        <span class="muted">
          {numbers.format(places.taken)} of {numbers.format(places.of)}
          <span class="unseen"> {places.of === 1 ? 'place' : 'places'} taken</span>
        </span>
      )}
      {state === 'full' && <span class="badge warn">Full</span>}
      {state === 'closed' && <span class="badge">Closed</span>}
      {state === 'not-open' &&
        (mayAs(role, 'GET /deploy/{id}/settings') ? <Opening id={id} /> : <span class="badge warn">Not open yet</span>)}
    </span>
  );
}
