import { csvCell } from '../../../forms/csv-cell.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { dayOf } from '../../ui/time.tsx';
import { type Labels, labelOf } from '../columns/column-labels.ts';
import { isShown, type Submission, textIn } from '../read-submissions.ts';

/** The values of a field in a cell. */
const cellOf = ({ fields }: Submission, name: string): string =>
  fields
    .filter((field) => field.name === name && isShown(field))
    .flatMap(({ values }) => values.map(textIn))
    .join(', ');

/**
 * Submissions as CSV (RFC 4180), newest first, with the columns of the export of a page: the fields of the form in its order, then
 * others. A spreadsheet knows by the mark at its beginning that it is UTF-8.
 */
function toCsv(rows: readonly Submission[], labels: Labels): string {
  const sent = rows.flatMap(({ fields }) => fields.filter(isShown).map(({ name }) => name));
  const known = new Set(sent);
  const names = [...new Set([...Array.from(labels.keys()).filter((name) => known.has(name)), ...sent])];
  const hasPages = rows.some(({ pageName }) => pageName !== undefined);
  const hasForms = rows.some(({ form }) => form !== '');
  const head = ['id', 'created_at', 'ip_address', ...(hasForms ? ['form'] : []), ...(hasPages ? ['page'] : [])];
  const lines = rows.map((row) => [
    ...[row.id, row.createdAt, row.ipAddress],
    ...(hasForms ? [row.form] : []),
    ...(hasPages ? [row.pageName ?? ''] : []),
    ...names.map((name) => cellOf(row, name)),
  ]);
  const header = [...head, ...names.map((name) => labelOf(labels, name))];
  return `\uFEFF${[header, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')}`;
}

/** Has the browser save submissions. `slug`: of their page, if they are of one. */
export function downloadCsv(rows: readonly Submission[], labels: Labels, slug?: string): void {
  const { fileOfPage, fileOfAll } = t.inbox.exporting;
  const day = dayOf(new Date());
  const href = URL.createObjectURL(new Blob([toCsv(rows, labels)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = href;
  link.download = `${slug === undefined ? fill(fileOfAll, { day }) : fill(fileOfPage, { page: slug, day })}.csv`;
  link.click();
  // The browser has begun to read it then.
  setTimeout(() => URL.revokeObjectURL(href));
}
