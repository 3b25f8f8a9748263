import type { JSX } from 'preact';
import { may } from '../permissions.ts';
import { FIELD_OF, type FormField, type Option } from '../setting-fields.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, Field, Select, TextArea } from '../ui/field.tsx';
import type { EditedSettings } from './edited-settings.ts';
import { zoneOfOwner } from './local-time.ts';
import './setting-control.css';

const { conflict } = t.settings;

/** Returns a sentence about a value as a person reads it. */
function sentenceWith(
  sentences: typeof conflict.changedTo | typeof conflict.useOther,
  { control }: FormField,
  value: string,
): string {
  if (typeof control === 'object') {
    return fill(sentences.choice, { value: control.find((option) => option.value === value)?.label ?? value });
  }
  if (control === 'switch') return value === 'true' ? sentences.on : sentences.off;
  const text = control === 'time' ? value.replace('T', ' ') : value.trim().split(/\n+/).join(', ');
  return text === '' ? sentences.nothing : fill(sentences.text, { value: text });
}

/** Lets a person choose between the own change of a setting and that of another tab. */
function Conflict({ name, edited }: { name: string; edited: EditedSettings }): JSX.Element | null {
  const field = FIELD_OF.get(name);
  const theirs = edited.theirs[name];
  if (field === undefined || theirs === undefined) return null;
  const of = fill(conflict.ofSetting, { setting: field.label });
  return (
    <div class="buttons conflict">
      <Button of={of} onClick={() => edited.choose(name, 'mine')}>
        {conflict.keepMine}
      </Button>
      <Button of={of} onClick={() => edited.choose(name, 'theirs')}>
        {sentenceWith(conflict.useOther, field, theirs)}
      </Button>
    </div>
  );
}

/** The error of a setting: that of its value, or that somebody else has changed it too. */
const errorOfSetting = (name: string, field: FormField, { theirs, errors }: EditedSettings): string | undefined =>
  theirs[name] === undefined ? errors[name] : sentenceWith(conflict.changedTo, field, theirs[name]);

/** The fields of a form on another site are not known. */
const FIELD_NAMES = {
  'address-field': t.settings.fieldNames.address,
  'number-field': t.settings.fieldNames.number,
} as const;

function ControlOf({
  field: { control, label, hint },
  ...given
}: {
  field: FormField;
  value: string;
  options: readonly Option[];
  error: string | undefined;
  onChange(text: string): void;
}): JSX.Element {
  const { value, options, onChange, error } = given;
  const shared = { label, hint, error };
  if (control === 'switch') {
    return <Checkbox {...shared} isOn={value === 'true'} onChange={(isOn) => onChange(String(isOn))} />;
  }
  if (control === 'lines' || control === 'origins' || control === 'addresses' || control === 'texts') {
    return <TextArea {...shared} value={value} onChange={onChange} rows={control === 'texts' ? 5 : 3} />;
  }
  const isOfForm = control === 'address-field' || control === 'number-field';
  if (typeof control === 'object' || (isOfForm && options.length > 0)) {
    const choices = typeof control === 'object' ? control : options;
    return <Select {...shared} value={value} options={choices} onChange={onChange} />;
  }
  const typing = { ...shared, value, onChange, autoComplete: 'off' };
  // A field of the type number would have no text where it is none.
  if (control === 'number') return <Field {...typing} inputMode="numeric" />;
  if (control === 'time') {
    const inZone = fill(t.settings.timeIn, { zone: zoneOfOwner(), hint: hint ?? '' });
    return <Field {...typing} type="datetime-local" hint={inZone} />;
  }
  if (isOfForm) return <Field {...typing} hint={FIELD_NAMES[control]} />;
  if (control === 'url') return <Field {...typing} type="url" inputMode="url" />;
  return <Field {...typing} type={control === 'password' ? 'password' : 'text'} />;
}

/** Returns whether this person may change a setting, or a part of it. */
export const mayChangeSetting = (name: string): boolean => may('PATCH /deploy/{id}', name.split('.')[0]);

/** A setting: its control, its error, and what somebody else has made of it. `options`: the fields of the form that can be chosen. */
export function SettingControl({
  name,
  edited,
  options = [],
}: {
  name: string;
  edited: EditedSettings;
  options?: readonly Option[];
}): JSX.Element | null {
  const field = FIELD_OF.get(name);
  if (field === undefined || field.isShown?.(edited.typed) === false) return null;
  return (
    <fieldset class="unframed setting" disabled={!mayChangeSetting(name)}>
      <ControlOf
        field={field}
        value={edited.typed[name] ?? ''}
        options={options}
        error={errorOfSetting(name, field, edited)}
        onChange={(text) => edited.type(name, text)}
      />
      <Conflict name={name} edited={edited} />
    </fieldset>
  );
}
