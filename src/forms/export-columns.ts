/*
 * The columns of exports as tables, which an import reads again.
 */

/** Columns that each row has, in this order. */
export const FIXED_COLUMNS = ['id', 'created_at', 'ip_address'] as const;
/** The column behind them, where the page has several forms. */
export const FORM_COLUMN = 'form';
/** The column of all fields that have none of their own, as a JSON object. */
export const OTHER_FIELDS = 'other_fields';

const PREFIX = 'data.';
const reserved = (columns: readonly string[]): RegExp => new RegExp(`^(?:data\\.)*(?:${columns.join('|')})$`);
/** Names of fields that would be mistaken for a column of ours. */
const RESERVED = reserved([...FIXED_COLUMNS, OTHER_FIELDS]);
/** These names where there is a column of forms. */
const RESERVED_BESIDE_FORMS = reserved([...FIXED_COLUMNS, FORM_COLUMN, OTHER_FIELDS]);

const isReserved = (name: string, hasForms: boolean): boolean =>
  (hasForms ? RESERVED_BESIDE_FORMS : RESERVED).test(name);

/** The name of a field's column. `hasForms`: whether there is a column of forms. */
export const columnOf = (field: string, hasForms: boolean): string =>
  isReserved(field, hasForms) ? PREFIX + field : field;

/** The name of the field that has a column. */
export const fieldOf = (column: string, hasForms: boolean): string =>
  column.startsWith(PREFIX) && isReserved(column, hasForms) ? column.slice(PREFIX.length) : column;
