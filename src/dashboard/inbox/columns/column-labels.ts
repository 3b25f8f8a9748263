import { controlsOf, isForPeople } from '../../../forms/control-fields.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { cut } from '../read-submissions.ts';

/** A field of the page's forms. */
type FormField = {
  label: string;
  /** `select`, `textarea`, or the type of the `<input>`. */
  type: string;
};

/** The fields of the page's forms by their names, in the order of the form. */
export type Labels = ReadonlyMap<string, FormField>;

/** Fields that nobody fills in. */
const HIDDEN_TYPES: ReadonlySet<string> = new Set(['hidden', 'submit', 'image', 'reset', 'button']);

/** Fields without a label have their names. */
async function readLabels(id: string, signal: AbortSignal): Promise<Labels> {
  const { forms } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } }, signal }));
  const fields = forms.flatMap((form) => {
    const controlOf = controlsOf(form.fields.map(({ name }) => name));
    return form.submits_here ? form.fields.filter(({ name }) => isForPeople(controlOf(name))) : [];
  });
  const labels = new Map<string, FormField>();
  for (const { name, label, type } of fields) {
    if (labels.has(name) || HIDDEN_TYPES.has(type)) continue;
    labels.set(name, { label: label ?? name, type });
  }
  return labels;
}

const NO_LABELS: Labels = new Map();
const seen = new Map<string, Labels>();

/** The labels of a page; none until they are there, for a page that can't be checked, and without a page. */
export function useLabels(pageId: string | undefined): Labels {
  const load = async (signal: AbortSignal) => (pageId === undefined ? NO_LABELS : readLabels(pageId, signal));
  return useData(`labels:${pageId}`, load, seen).data ?? NO_LABELS;
}

export function labelOf(labels: Labels, name: string): string {
  const label = labels.get(name)?.label ?? name;
  if (label.trim() === '') return 'Field without a name';
  return cut(label);
}
