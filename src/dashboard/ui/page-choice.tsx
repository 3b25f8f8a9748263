import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { usePages } from '../data.ts';
import { Checkbox } from './field.tsx';
import { Listed } from './states.tsx';

/** The choice of some of the owner's pages. `chosen`: their ids. */
export function PageChoice({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}): JSX.Element {
  const loaded = usePages('pages-to-choose', DASHBOARD_LIMITS.account.listSize, async (query, signal) => {
    const { deployments, total } = await answer(api.GET('/overview', { params: { query }, signal }));
    return { items: deployments, total };
  });
  return (
    <fieldset class="stack">
      <legend>Which pages</legend>
      <Listed loaded={loaded} label="Loading your pages" of="page">
        {({ id, slug, title }) => (
          <li key={id} class="row">
            <Checkbox
              label={title ?? slug}
              hint={title !== null && <bdi>{slug}</bdi>}
              isOn={chosen.includes(id)}
              onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
            />
          </li>
        )}
      </Listed>
    </fieldset>
  );
}
