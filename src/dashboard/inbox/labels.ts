import { controlsOf } from '../../lib/control-fields.ts';
import { api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import type { Submission } from './submissions.ts';

/** What people call the fields, by their names, in the order of the form. */
export type Labels = ReadonlyMap<string, string>;

/** Fields that nobody fills in. */
const HIDDEN_TYPES: ReadonlySet<string> = new Set(['hidden', 'submit', 'image', 'reset', 'button']);

/** The labels of the page's forms; of fields without a label their names. Nothing for a page that can't be checked. */
export async function readLabels(id: string, signal: AbortSignal): Promise<Labels> {
  const { data } = await api.GET('/deploy/{id}/check', { params: { path: { id } }, signal });
  const fields = (data?.forms ?? []).flatMap((form) => {
    const controlOf = controlsOf(form.fields.map(({ name }) => name));
    return form.submits_here ? form.fields.filter(({ name }) => !controlOf(name)) : [];
  });
  const labels = new Map<string, string>();
  for (const { name, label, type } of fields) {
    if (labels.has(name) || HIDDEN_TYPES.has(type)) continue;
    labels.set(name, label ?? name);
  }
  return labels;
}

export function labelOf(labels: Labels, name: string): string {
  const label = labels.get(name) ?? name;
  if (label.trim() === '') return 'Field without a name';
  return label.length > DASHBOARD_LIMITS.inbox.labelChars
    ? `${label.slice(0, DASHBOARD_LIMITS.inbox.labelChars)}…`
    : label;
}

/** The fields that have a column: those of the form, then others that submissions have, in their order. */
export function columnsOf(labels: Labels, rows: readonly Submission[], max: number): string[] {
  const names = new Set(labels.keys());
  for (const { fields } of rows) {
    if (names.size >= max) break;
    for (const { name, control } of fields) if (!control) names.add(name);
  }
  return [...names].slice(0, max);
}
