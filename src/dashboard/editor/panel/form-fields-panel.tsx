import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import type { InPlace } from '../in-place/use-in-place.ts';
import { forms, type SourceField } from '../source/form/source-forms.ts';
import { AddField } from './add-field.tsx';
import { FieldRow } from './field-row.tsx';
import { fieldName } from './field-types.ts';

/** Returns in how many submissions a field is; undefined if that can't be known. */
export type CountField = (name: string) => Promise<number | undefined>;

async function sayRemoved(field: SourceField, countField: CountField | undefined): Promise<void> {
  const name = fieldName(field);
  const removed = fill(t.editor.form.removed, { name });
  if (!countField) return say(removed);
  const count = await countField(field.name).catch(() => undefined);
  if (count === 0) return say(removed);
  say(
    count === undefined
      ? fill(t.editor.form.removedKept, { name })
      : counted(t.editor.form.removedStays, count, { name }),
  );
}

/** The forms of a page, each with its fields. */
export function FormFields({
  inPlace,
  onCode,
  countField,
}: {
  inPlace: InPlace;
  onCode(place: { line: number; column: number }): void;
  countField: CountField | undefined;
}): JSX.Element {
  const found = useMemo(() => forms(inPlace.source), [inPlace.source]);
  return (
    <>
      {found.map((form) => (
        <Section
          key={form.index}
          title={found.length === 1 ? t.editor.form.heading : fill(t.editor.form.numbered, { number: form.index + 1 })}
        >
          <ul class="field-rows">
            {form.fields.map((field) => (
              <FieldRow
                key={`${field.type}:${field.name}`}
                {...{ form, field, inPlace, onCode }}
                onRemoved={(removed) => sayRemoved(removed, countField)}
              />
            ))}
          </ul>
          <AddField form={form} inPlace={inPlace} />
        </Section>
      ))}
    </>
  );
}
