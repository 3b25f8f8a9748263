import { t } from '../../texts/chosen-texts.ts';
import type { SourceField } from '../source/form/source-forms.ts';

export type FieldType = Exclude<SourceField['type'], 'other'>;

/** The types of fields, as people call them. */
const NAMES: Readonly<Record<SourceField['type'], string>> = t.editor.field.types;

const CHOSEN = ['text', 'long-text', 'email', 'tel', 'number', 'date', 'choice', 'checkbox', 'file'] as const;

/** The types that a new field can have. */
export const FIELD_TYPES: readonly { value: FieldType; label: string }[] = CHOSEN.map((value) => ({
  value,
  label: NAMES[value],
}));

export const typeName = (type: SourceField['type']): string => NAMES[type];

/** Returns the name of a field for people. */
export const fieldName = ({ label, name }: SourceField): string => label || name;
