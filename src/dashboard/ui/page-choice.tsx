import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { ownOf, readAllPages } from '../own-pages.ts';
import { t } from '../texts/chosen-texts.ts';
import { Checkbox } from './field.tsx';
import { Shown } from './states.tsx';

/** The choice of some of the owner's pages. `chosen`: their ids. */
export function PageChoice({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}): JSX.Element {
  const loaded = useData('pages-to-choose', async (signal) => ownOf(await readAllPages(signal)));
  return (
    <fieldset class="stack">
      <legend>{t.account.whichPages}</legend>
      <Shown loaded={loaded} label={t.pages.loading}>
        {(pages) => (
          <ul class="rows">
            {pages.map(({ id, slug, title }) => (
              <li key={id} class="row">
                <Checkbox
                  label={title ?? slug}
                  hint={title !== null && <bdi>{slug}</bdi>}
                  isOn={chosen.includes(id)}
                  onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
                />
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </fieldset>
  );
}
