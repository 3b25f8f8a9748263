import type { JSX } from 'preact';
import { may } from '../permissions.ts';
import { FIELD_OF, type FormField, type Option } from '../setting-fields.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, Field, Select, TextArea } from '../ui/field.tsx';
import type { EditedSettings } from './edited-settings.ts';
import { zoneOfOwner } from './local-time.ts';
import './setting-control.css';

/** A value as a person reads it in a sentence. */
function shownValue({ control }: FormField, value: string): string {
  if (typeof control === 'object') return control.find((option) => option.value === value)?.label ?? value;
  if (control === 'switch') return value === 'true' ? 'on' : 'off';
  const text = control === 'time' ? value.replace('T', ' ') : value.trim().split(/\n+/).join(', ');
  return text === '' ? 'nothing' : `“${text}”`;
}

/** Lets a person choose between the own change of a setting and that of another tab. */
function Conflict({ name, edited }: { name: string; edited: EditedSettings }): JSX.Element | null {
  const field = FIELD_OF.get(name);
  const theirs = edited.theirs[name];
  if (field === undefined || theirs === undefined) return null;
  return (
    <div class="buttons conflict">
      <Button of={`of ${field.label}`} onClick={() => edited.choose(name, 'mine')}>
        Keep my change
      </Button>
      <Button of={`of ${field.label}`} onClick={() => edited.choose(name, 'theirs')}>
        Use the other: {shownValue(field, theirs)}
      </Button>
    </div>
  );
}

/** The error of a setting: that of its value, or that somebody else has changed it too. */
const errorOfSetting = (name: string, field: FormField, { theirs, errors }: EditedSettings): string | undefined =>
  theirs[name] === undefined
    ? errors[name]
    : `This was changed in another tab meanwhile, to ${shownValue(field, theirs[name])}.`;

/** The fields of a form on another site are not known. */
const FIELD_NAMES = {
  'address-field': 'The name of the field that holds the address, as your form has it. Left empty: no mail.',
  'number-field':
    'The name of the field in which visitors say how many they are. Left empty: each submission takes one place.',
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
    return <Field {...typing} type="datetime-local" hint={`${zoneOfOwner()} time. ${hint ?? ''}`} />;
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
