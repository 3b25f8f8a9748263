import type { JSX } from 'preact';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Checkbox } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Choice, Column } from '../columns/inbox-columns.ts';
import { MenuLabel } from './menu-label.tsx';

type Props = {
  columns: readonly Column[];
  choices: readonly Choice[];
  isChosen: boolean;
  /** Without names, the columns are chosen by themselves. */
  onChoose(names: readonly string[] | undefined): void;
};

/** Chooses the fields that have columns: at least one, and no more than fit. Fields that nobody has filled in come last. */
export function ColumnsMenu({ columns, choices, isChosen, onChoose }: Props): JSX.Element {
  const names = columns.map(({ name }) => name);
  const { maxColumns } = DASHBOARD_LIMITS.inbox;
  function toggle(name: string, isOn: boolean): void {
    const changed = isOn ? [...names, name] : names.filter((one) => one !== name);
    if (changed.length > 0 && changed.length <= maxColumns) onChoose(changed);
  }
  const list = (some: readonly Choice[]) =>
    some.map(({ name, label }) => (
      <Checkbox key={name} label={label} isOn={names.includes(name)} onChange={(isOn) => toggle(name, isOn)} />
    ));
  const empty = choices.filter(({ isFilled }) => !isFilled);
  return (
    <Menu label={<MenuLabel icon="columns" text={t.inbox.columns.menu} />} isOn={isChosen}>
      <fieldset class="column-choices">
        <legend class="unseen">{t.inbox.columns.menu}</legend>
        {list(choices.filter(({ isFilled }) => isFilled))}
        {empty.length > 0 && <p class="muted">{t.inbox.columns.empty}</p>}
        {list(empty)}
      </fieldset>
      {names.length >= maxColumns && <p class="muted">{counted(t.inbox.columns.most, maxColumns)}</p>}
      {isChosen && (
        <button type="button" class="button quiet" onClick={() => onChoose(undefined)}>
          {t.inbox.columns.byThemselves}
        </button>
      )}
    </Menu>
  );
}
