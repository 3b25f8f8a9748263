import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import type { InPlace } from '../in-place/use-in-place.ts';
import { addField } from '../source/form/form-edits.ts';
import type { SourceForm } from '../source/form/source-forms.ts';
import { FIELD_TYPES, type FieldType } from './field-types.ts';
import { OptionList, optionWords } from './option-list.tsx';

/** The options that a new choice begins with. */
const FIRST_OPTIONS = [0, 1].map((index) => ({ value: '', label: optionWords(index) }));

/** Adds a field at the end of a form. */
export function AddField({ form, inPlace: { source, edit } }: { form: SourceForm; inPlace: InPlace }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [label, setLabel] = useState('');
  const [type, setType] = useState<FieldType>('text');
  const [isRequired, setRequired] = useState(false);
  const [options, setOptions] = useState(FIRST_OPTIONS);
  const [isMissing, setMissing] = useState(false);
  const shown = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(isOpen);
  // The focus goes to the label, and afterwards back to the button.
  useEffect(() => {
    if (wasOpen.current !== isOpen) shown.current?.querySelector<HTMLElement>('input, button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  function close(): void {
    setOpen(false);
    setLabel('');
    setType('text');
    setRequired(false);
    setOptions(FIRST_OPTIONS);
    setMissing(false);
  }
  function add(): void {
    setMissing(label.trim() === '');
    if (label.trim() === '') return;
    edit(addField(source, form, { label: label.trim(), type, isRequired, ...(type === 'choice' && { options }) }));
    close();
  }
  return (
    <div ref={shown}>
      {isOpen ? (
        <fieldset class="add-field">
          <legend>{t.editor.newField.heading}</legend>
          <Field
            label={t.editor.newField.label}
            value={label}
            onChange={setLabel}
            error={isMissing && label.trim() === '' ? t.editor.newField.labelMissing : undefined}
          />
          <Select
            label={t.editor.field.type}
            value={type}
            options={FIELD_TYPES}
            onChange={(chosen) => setType(chosen)}
          />
          {type === 'choice' && <OptionList options={options} onChange={setOptions} />}
          <Checkbox label={t.editor.field.required} isOn={isRequired} onChange={setRequired} />
          <div class="buttons end">
            <Button onClick={close}>{t.editor.newField.cancel}</Button>
            <Button kind="main" onClick={add}>
              {t.editor.newField.add}
            </Button>
          </div>
        </fieldset>
      ) : (
        <Button icon="plus" onClick={() => setOpen(true)}>
          {t.editor.newField.open}
        </Button>
      )}
    </div>
  );
}
