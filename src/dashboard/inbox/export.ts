import { controlsOf } from '../../lib/control-fields.ts';
import { csvCell } from '../../lib/csv-cell.ts';
import { compactJson, readJsonObject, unquote } from '../../lib/json-text.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { type Labels, labelOf } from './labels.ts';
import type { Submission } from './submissions.ts';

const FIXED = ['id', 'created_at', 'ip_address'];

const cellOf = (json: string): string =>
  json.startsWith('"') ? unquote(json) : json === 'null' ? '' : compactJson(json);

type Read = { fixed: string[]; fields: ReadonlyMap<string, string> };

function read(text: string): Read {
  const members = new Map(readJsonObject(text).members.map(({ name, value }) => [name, value]));
  const values = new Map<string, string[]>();
  const data = readJsonObject(members.get('data') ?? '{}').members;
  const controlOf = controlsOf(data.map(({ name }) => name));
  for (const { name, value } of data) {
    if (!controlOf(name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  return {
    fixed: FIXED.map((name) => cellOf(members.get(name) ?? '""')),
    fields: new Map(
      [...values].map(([name, all]) => [name, cellOf(all.length === 1 ? (all[0] ?? '') : `[${all.join(',')}]`)]),
    ),
  };
}

/** The labels of fields; where two would be the same, each has its name behind it. */
function headerOf(names: readonly string[], labels: Labels): string[] {
  const all = names.map((name) => labelOf(labels, name));
  return names.map((name, index) => {
    const label = all[index] ?? name;
    const isOnly = !FIXED.includes(label) && all.indexOf(label) === all.lastIndexOf(label);
    return isOnly ? label : `${label} (${name})`;
  });
}

/** Some submissions as CSV, as the service's own export with labels has them. */
export function toCsv(submissions: readonly Submission[], labels: Labels): Blob {
  const found = submissions.map(({ json }) => read(json));
  const names = [...new Set(found.flatMap(({ fields }) => [...fields.keys()]))];
  const header = [...FIXED, ...headerOf(names, labels)];
  const rows = found.map(({ fixed, fields }) => [...fixed, ...names.map((name) => fields.get(name) ?? '')]);
  const lines = [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`);
  return new Blob(['\uFEFF', ...lines], { type: 'text/csv' });
}

/** Saves a file that was made in the browser. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DASHBOARD_LIMITS.inbox.savedFileMs);
}
