import type { SourceField } from '../source/form/source-forms.ts';

export type FieldType = Exclude<SourceField['type'], 'other'>;

/** The types of fields, as people call them. */
export const FIELD_TYPES: readonly { value: FieldType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'long-text', label: 'Long text' },
  { value: 'email', label: 'E-mail address' },
  { value: 'tel', label: 'Phone number' },
  { value: 'number', label: 'Number' },
  { value: 'date', label: 'Date' },
  { value: 'choice', label: 'Choice' },
  { value: 'checkbox', label: 'Checkbox' },
  { value: 'file', label: 'File' },
];

export const typeName = (type: SourceField['type']): string =>
  FIELD_TYPES.find(({ value }) => value === type)?.label ?? 'Other';

/** Returns the name of a field for people. */
export const fieldName = ({ label, name }: SourceField): string => label || name;
