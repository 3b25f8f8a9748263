import type { Submission } from '../../../../db/submissions/submission-queries.ts';
import { controlsOf, HONEYPOT, isEmptyJson, isForPeople } from '../../../../forms/control-fields.ts';
import { columnOf, FIXED_COLUMNS, FORM_COLUMN, OTHER_FIELDS } from '../../../../forms/export-columns.ts';
import type { Labels } from '../../../../forms/forms-of-page.ts';
import { compactJson, type JsonMember, readJsonObject } from '../../../../lib/json-text.ts';
import { SIZES } from '../../../../sizes.ts';

/** The names of all fields that have columns of their own. */
const EXPORT_NAME_CHARS = 1024 * 1024;

/*
 * Exports as tables share these: which fields have a column, and which cell of a row a value is in.
 */

/** Reads the submissions of an export, a few at a time, from the first one; each call reads them again. */
export type Read = () => AsyncIterable<readonly Submission[]>;

export type Columns = {
  /**
   * The names of all columns: `id`, `created_at` and `ip_address`, `form` if there are several, then those of fields, then that for
   * other fields if there are any.
   */
  header: readonly string[];
  /** True if there is a column `form`. */
  hasForms: boolean;
  /** Fields by name, each with the index of its column. */
  indexes: ReadonlyMap<string, number>;
  /** The number of submissions that were read. */
  rows: number;
};

/** The part of a submission that decides which of its fields are shown. */
type Shown = Pick<Submission, 'id' | 'data'>;

/** A field's value as JSON, and the index of its column. */
type Cell = { column: number; value: string };

/**
 * The submissions of a table in the order of its columns, the labels that stand in for names of fields, and whether CSV has a byte order
 * mark. `readRows`: the same submissions in the order of the rows of CSV, where that is another. `hasForms`: whether the page
 * has several forms.
 */
export type TableSource = { read: Read; readRows?: Read; labels: Labels; hasForms?: boolean; hasBom?: boolean };

/**
 * Reads all submissions for their columns: the fields in the order of their first appearance. Yields an empty piece
 * after each part: its reader sees that there is progress.
 */
export async function* collectColumns({ read, labels, ...source }: TableSource): AsyncGenerator<'', Columns> {
  const names: string[] = [];
  const known = new Set<string>();
  let { hasForms = false } = source;
  let rows = 0;
  let nameChars = 0;
  let hasOthers = false;
  for await (const part of read()) {
    rows += part.length;
    for (const submission of part) {
      hasForms ||= submission.form !== null;
      for (const { name } of contentOf(submission)) {
        if (known.has(name)) continue;
        if (known.size === SIZES.export.maxFieldColumns || nameChars + name.length > EXPORT_NAME_CHARS) {
          hasOthers = true;
          continue;
        }
        known.add(name);
        names.push(name);
        nameChars += name.length;
      }
    }
    yield '';
  }
  const fixed = hasForms ? [...FIXED_COLUMNS, FORM_COLUMN] : FIXED_COLUMNS;
  const indexes = new Map(names.map((name, index) => [name, fixed.length + index]));
  const header: string[] = [...fixed, ...names.map((name) => columnOf(name, hasForms))];
  if (hasOthers) header.push(OTHER_FIELDS);
  return { header: labels.size > 0 ? withLabels(header, indexes, labels) : header, hasForms, indexes, rows };
}

/** The header with labels in place of names. A label that would not be the only one of its kind has the name behind it. */
function withLabels(header: readonly string[], indexes: Columns['indexes'], labels: Labels): string[] {
  const labelled = [...header];
  for (const [name, column] of indexes) labelled[column] = labels.get(name) ?? labelled[column] ?? name;
  const counts = new Map<string, number>();
  for (const text of [...header, ...labelled]) counts.set(text, (counts.get(text) ?? 0) + 1);
  const used = new Set(header);
  return header.map((name, column) => {
    const label = labelled[column] ?? name;
    if (label === name) return name;
    let unique = (counts.get(label) ?? 0) > 1 ? `${label} (${name})` : label;
    while (used.has(unique)) unique += ` (${name})`;
    used.add(unique);
    return unique;
  });
}

/** The cells of a submission's fields that are there, from left to right. */
export function cellsOf(
  submission: Shown,
  { hasForms, indexes }: Pick<Columns, 'hasForms' | 'indexes'>,
): readonly Cell[] {
  const cells: Cell[] = [];
  const others: string[] = [];
  for (const [name, value] of fieldsOf(contentOf(submission))) {
    const column = indexes.get(name);
    if (column !== undefined) cells.push({ column, value });
    else others.push(`${JSON.stringify(name)}:${compactJson(value)}`);
  }
  cells.sort((one, other) => one.column - other.column);
  const fixed = FIXED_COLUMNS.length + (hasForms ? 1 : 0);
  if (others.length > 0) cells.push({ column: fixed + indexes.size, value: `{${others.join(',')}}` });
  return cells;
}

/** The fields of a submission without those that say what to do with it. */
function contentOf({ id, data }: Shown): readonly JsonMember[] {
  const { members } = readJsonObject(data);
  const controlOf = controlsOf(
    members.map(({ name }) => name),
    id,
  );
  return members.filter(({ name, value }) => (name === HONEYPOT ? !isEmptyJson(value) : isForPeople(controlOf(name))));
}

/** Fields by name, each value as it is written; those of a name that repeats make a list. */
function fieldsOf(members: readonly JsonMember[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const repeats = new Map<string, string[]>();
  for (const { name, value } of members) {
    const first = fields.get(name);
    const repeated = repeats.get(name);
    if (first === undefined) fields.set(name, value);
    else if (repeated) repeated.push(value);
    else repeats.set(name, [first, value]);
  }
  for (const [name, values] of repeats) fields.set(name, `[${values.join(',')}]`);
  return fields;
}
