import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Field } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { daysInWords, type Filter, presets } from '../filter.ts';
import { MenuLabel } from './menu-label.tsx';

/** The times of the submissions that are shown: a preset, or days. */
export function DatesMenu({ filter, onChange }: { filter: Filter; onChange(filter: Filter): void }): JSX.Element {
  const { from, to } = filter;
  const words = daysInWords(filter);
  return (
    <Menu label={<MenuLabel icon="calendar" text={words === '' ? t.inbox.dates.menu : words} />} isOn={words !== ''}>
      <div class="presets">
        {presets().map(({ label, ...days }) => (
          <button
            key={label}
            type="button"
            class="button quiet"
            aria-pressed={days.from === from && days.to === to}
            onClick={() => onChange({ ...filter, ...days })}
          >
            {label}
          </button>
        ))}
      </div>
      <Field
        label={t.inbox.dates.first}
        type="date"
        value={from}
        onChange={(day) => onChange({ ...filter, from: day })}
      />
      <Field label={t.inbox.dates.last} type="date" value={to} onChange={(day) => onChange({ ...filter, to: day })} />
      {words !== '' && (
        <button type="button" class="button quiet" onClick={() => onChange({ ...filter, from: '', to: '' })}>
          {t.inbox.dates.all}
        </button>
      )}
    </Menu>
  );
}
