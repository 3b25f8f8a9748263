import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { t } from '../../texts/chosen-texts.ts';
import { timeZone } from '../../ui/time.tsx';
import { type Progress, upload } from '../../upload.ts';

export type Preview = Schemas['ImportPreview'];
type Column = Preview['columns'][number];
export type Use = Column['use'];

/** The order of day and month; empty: as the file shows. */
export type DateOrder = '' | 'day-first' | 'month-first';
/** The uses of the columns of a file. */
export type Choice = { uses: readonly Use[]; dateOrder: DateOrder };

/** Bytes of the beginning of a file that the preview is made of. */
const PREVIEW_BYTES = 256 * 1024;
/** Names that a file of this service, or the contract of imports, has for the columns. */
const [TIME, IP] = ['created_at', 'ip_address'];

const typeOf = ({ name }: File): string => (/\.(?:ndjson|jsonl)$/i.test(name) ? 'application/x-ndjson' : 'text/csv');

/** The uses of columns with these names, where no other column is chosen for them. */
const USUAL: Readonly<Record<string, Use>> = { [TIME]: 'time', [IP]: 'ip' };

/** Returns whether a column can be a field: one with a usual name only if another column has its use. */
export const mayBeField = (name: string, index: number, uses: readonly Use[]): boolean => {
  const usual = USUAL[name];
  return usual === undefined || uses.some((use, at) => use === usual && at !== index);
};

/** The parameters that say what the columns of a file are. */
type Query = {
  time?: string;
  ip?: string;
  leave_out?: string;
  date_order?: 'day-first' | 'month-first';
  time_zone: string;
};

/** The parameters of a choice: columns that are not used under their usual names are left out, or named. */
export function queryOf({ columns }: Pick<Preview, 'columns'>, { uses, dateOrder }: Choice): Query {
  const named = (use: Use): string | undefined => columns.find((_column, index) => uses[index] === use)?.name;
  const [time, ip] = [named('time'), named('ip')];
  const leftOut = columns.filter((_column, index) => uses[index] === 'left-out').map(({ name }) => name);
  return {
    ...(time !== undefined && time !== TIME && { time }),
    ...(ip !== undefined && ip !== IP && { ip }),
    ...(leftOut.length > 0 && { leave_out: JSON.stringify([...new Set(leftOut)]) }),
    ...(dateOrder !== '' && { date_order: dateOrder }),
    time_zone: timeZone,
  };
}

/** Reads how the beginning of a file would be imported; without a choice, one is guessed. */
export function previewFile(id: string, file: File, chosen: Query | undefined, signal: AbortSignal): Promise<Preview> {
  const query = {
    ...(chosen ?? { guess: '1' as const, time_zone: timeZone }),
    ...(file.size > PREVIEW_BYTES && { cut: '1' as const }),
  };
  return answer(
    api.POST('/submissions/{deployId}/import/preview', {
      params: { path: { deployId: id }, query },
      body: file.slice(0, PREVIEW_BYTES),
      headers: { 'Content-Type': typeOf(file) },
      signal,
    }),
  );
}

const isImported = (value: unknown): value is Schemas['Imported'] =>
  value instanceof Object && 'imported' in value && 'errors' in value;

/** Imports a file. */
export async function importFile(
  id: string,
  file: File,
  query: Query,
  { signal, onProgress }: { signal: AbortSignal; onProgress(progress: Progress): void },
): Promise<Schemas['Imported']> {
  const path = `/submissions/${encodeURIComponent(id)}/import?${new URLSearchParams(query)}`;
  const answered = await upload(path, file, { type: typeOf(file), signal, onProgress });
  if (!isImported(answered)) throw new Error(t.importing.noAnswer);
  return answered;
}
