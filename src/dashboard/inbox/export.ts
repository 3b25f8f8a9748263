import { csvCell } from '../../csv-cell.ts';
import { compactJson, readJsonObject, unquote } from '../../json-text.ts';
import { answer, api } from '../api.ts';
import { isHiddenField } from './submissions.ts';

/** Submissions that are read at a time. */
const AT_A_TIME = 4;
const FIXED = ['id', 'created_at', 'ip_address'];

const cellOf = (json: string): string =>
  json.startsWith('"') ? unquote(json) : json === 'null' ? '' : compactJson(json);

type Read = { fixed: string[]; fields: ReadonlyMap<string, string> };

function read(text: string): Read {
  const members = new Map(readJsonObject(text).members.map(({ name, value }) => [name, value]));
  const values = new Map<string, string[]>();
  for (const { name, value } of readJsonObject(members.get('data') ?? '{}').members) {
    if (!isHiddenField(name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  return {
    fixed: FIXED.map((name) => cellOf(members.get(name) ?? '""')),
    fields: new Map(
      [...values].map(([name, all]) => [name, cellOf(all.length === 1 ? (all[0] ?? '') : `[${all.join(',')}]`)]),
    ),
  };
}

/** Some submissions as CSV, as the service's own export has them. */
export async function exportSelection(id: string, ids: readonly string[]): Promise<Blob> {
  const found: Read[] = [];
  for (let from = 0; from < ids.length; from += AT_A_TIME) {
    const texts = ids.slice(from, from + AT_A_TIME).map((submissionId) =>
      answer(
        api.GET('/submissions/{deployId}/{submissionId}', {
          params: { path: { deployId: id, submissionId } },
          parseAs: 'text',
        }),
      ),
    );
    found.push(...(await Promise.all(texts)).map(read));
  }
  const names = new Set(found.flatMap(({ fields }) => [...fields.keys()]));
  const header = [...FIXED, ...[...names].map((name) => (FIXED.includes(name) ? `data.${name}` : name))];
  const rows = found.map(({ fixed, fields }) => [...fixed, ...Array.from(names, (name) => fields.get(name) ?? '')]);
  const lines = [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`);
  return new Blob(lines, { type: 'text/csv' });
}

/** Saves a file that was made in the browser. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
