import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import type { Overviewed } from '../own-pages.ts';
import { mayAs } from '../permissions.ts';
import { fill, formFor, locale, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { unseen } from './unseen.tsx';

const openingTime = new Intl.DateTimeFormat(locale, {
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
      {opensAt === undefined
        ? t.pages.state.notOpenYet
        : fill(t.pages.state.opens, { time: openingTime.format(new Date(opensAt)) })}
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
          <Rich
            text={formFor(t.pages.state.places, places.of)}
            with={{ taken: places.taken, count: places.of, unseen }}
          />
        </span>
      )}
      {state === 'full' && <span class="badge warn">{t.pages.state.full}</span>}
      {state === 'closed' && <span class="badge">{t.pages.state.closed}</span>}
      {state === 'not-open' &&
        (mayAs(role, 'GET /deploy/{id}/settings') ? (
          <Opening id={id} />
        ) : (
          <span class="badge warn">{t.pages.state.notOpenYet}</span>
        ))}
    </span>
  );
}
