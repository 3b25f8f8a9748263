import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Menu } from '../../ui/menu.tsx';
import type { PageForm } from '../columns/column-labels.ts';
import type { Filter } from '../filter.ts';
import { MenuLabel } from './menu-label.tsx';

type Props = { forms: readonly PageForm[]; filter: Filter; onChange(filter: Filter): void };

/** The form whose submissions are shown, of a page with several. */
export function FormsMenu({ forms, filter, onChange }: Props): JSX.Element {
  const { form } = filter;
  const names = new Set([...forms.map(({ name }) => name), ...(form === '' ? [] : [form])]);
  return (
    <Menu label={<MenuLabel icon="page" text={form === '' ? t.inbox.toolbar.forms : form} />} isOn={form !== ''}>
      <div class="presets">
        {Array.from(names, (name) => (
          <button
            key={name}
            type="button"
            class="button quiet"
            aria-pressed={name === form}
            onClick={() => onChange({ ...filter, form: name })}
          >
            <bdi>{name}</bdi>
          </button>
        ))}
      </div>
      {form !== '' && (
        <button type="button" class="button quiet" onClick={() => onChange({ ...filter, form: '' })}>
          {t.inbox.toolbar.allForms}
        </button>
      )}
    </Menu>
  );
}
