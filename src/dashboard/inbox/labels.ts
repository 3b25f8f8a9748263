import { send } from '../api.ts';
import { isHiddenField, type Submission } from './submissions.ts';

/** What people call the fields, by their names, in the order of the form. */
export type Labels = ReadonlyMap<string, string>;

const LABEL_CHARS = 60;

const isObject = (value: unknown): value is Record<string, unknown> => value instanceof Object;
const listIn = (value: unknown, name: string): unknown[] => {
  const list = isObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list : [];
};

/** The labels of the page's forms; of fields without a label their names. Nothing where the service can't tell. */
export async function readLabels(id: string, signal: AbortSignal): Promise<Labels> {
  const response = await send(new Request(`/deploy/${id}/check`, { signal }));
  if (!response.ok) return new Map();
  const labels = new Map<string, string>();
  const forms = listIn(await response.json(), 'forms').filter((form) => isObject(form) && form.submits_here !== false);
  for (const field of forms.flatMap((form) => listIn(form, 'fields'))) {
    if (!isObject(field) || typeof field.name !== 'string' || labels.has(field.name)) continue;
    if (field.type === 'hidden' || field.type === 'submit' || isHiddenField(field.name)) continue;
    labels.set(field.name, typeof field.label === 'string' && field.label !== '' ? field.label : field.name);
  }
  return labels;
}

export function labelOf(labels: Labels, name: string): string {
  const label = labels.get(name) ?? name;
  if (label.trim() === '') return 'Field without a name';
  return label.length > LABEL_CHARS ? `${label.slice(0, LABEL_CHARS)}…` : label;
}

/** The fields that have a column: those of the form, then others that submissions have, in their order. */
export function columnsOf(labels: Labels, rows: readonly Submission[], max: number): string[] {
  const names = new Set(labels.keys());
  for (const { fields } of rows) {
    if (names.size >= max) break;
    for (const { name } of fields) if (!isHiddenField(name)) names.add(name);
  }
  return [...names].slice(0, max);
}
