import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { unseen } from '../../ui/unseen.tsx';
import type { InPlace } from '../in-place/use-in-place.ts';
import { changeField, moveField, removeField } from '../source/form/form-edits.ts';
import type { SourceField, SourceForm, WhyFixed } from '../source/form/source-forms.ts';
import { fieldName, typeName } from './field-types.ts';
import { OptionList } from './option-list.tsx';
import { TypedField } from './typed-field.tsx';

const WHY_FIXED: Readonly<Record<WhyFixed, string>> = t.editor.field.why;

type RowProps = {
  form: SourceForm;
  field: SourceField;
  inPlace: InPlace;
  onCode(place: { line: number; column: number }): void;
  /** Says what becomes of a field that is removed. */
  onRemoved(field: SourceField): void;
};

/** The fields of a field: its label, whether it is required, and its options. */
function Details({ form, field, inPlace: { source, edit }, onCode, onRemoved }: RowProps): JSX.Element {
  const step = `field:${form.index}:${field.name}`;
  const change = (changes: Parameters<typeof changeField>[3], of?: string): void =>
    edit(changeField(source, form, field, changes), of === undefined ? undefined : `${step}:${of}`);
  return (
    <div class="stack">
      {field.canBeLabelled && (
        <TypedField
          label={t.editor.field.label}
          isNeeded
          hint={<Rich text={t.editor.field.labelHint} with={{ name: <>{field.name}</> }} />}
          value={field.label}
          onChange={(label) => change({ label }, 'label')}
        />
      )}
      {field.canBeRequired && (
        <Checkbox
          label={t.editor.field.required}
          hint={t.editor.field.requiredHint}
          isOn={field.isRequired}
          onChange={(isRequired) => change({ isRequired })}
        />
      )}
      {field.options && field.canChangeOptions && (
        <>
          <OptionList options={field.options} onChange={(options, of) => change({ options }, of)} />
          <p class="hint">{t.editor.options.keptWords}</p>
        </>
      )}
      {field.options && !field.canChangeOptions && <p class="muted">{t.editor.field.optionsInCode}</p>}
      {field.reason !== undefined && (
        <p class="muted">
          {t.editor.field.notHere} {WHY_FIXED[field.reason]}
        </p>
      )}
      <div class="buttons actions">
        <Button kind="quiet" onClick={() => onCode(field)}>
          {t.editor.field.showInCode}
        </Button>
        {field.isEditable && (
          <Button
            kind="quiet"
            icon="trash"
            onClick={() => {
              edit(removeField(source, form, field));
              onRemoved(field);
            }}
          >
            <Rich text={t.editor.field.remove} with={{ unseen, name: fieldName(field) }} />
          </Button>
        )}
      </div>
    </div>
  );
}

/** A field of a form: its name, buttons that move it, and its details once they are opened. */
export function FieldRow(props: RowProps): JSX.Element {
  const { form, field, inPlace } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = fieldName(field);
  const move = (by: number): void => inPlace.edit(moveField(inPlace.source, form, field, field.index + by));
  return (
    <li class="field-row">
      <div class="field-head">
        <button
          type="button"
          class="field-name"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="unfold" />
          <span>
            <bdi>{name}</bdi>
            {field.isRequired && <span class="unseen"> {t.editor.field.isRequired}</span>}
            {field.isRequired && <span aria-hidden="true"> *</span>}
            <span class="muted"> {typeName(field.type)}</span>
          </span>
        </button>
        {field.isEditable && field.index > 0 && (
          <IconButton icon="newer" label={fill(t.editor.field.moveUp, { name })} onClick={() => move(-1)} />
        )}
        {field.isEditable && field.index < form.fields.length - 1 && (
          <IconButton icon="unfold" label={fill(t.editor.field.moveDown, { name })} onClick={() => move(1)} />
        )}
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details {...props} />}
      </div>
    </li>
  );
}
