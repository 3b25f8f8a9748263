import { controlsOf, isForPeople } from '../../../forms/control-fields.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { t } from '../../texts/chosen-texts.ts';
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

type CheckedField = { name: string; label: string | null; type: string };

/** The fields of a form that are for people. */
function forPeople(fields: readonly CheckedField[]): CheckedField[] {
  const controlOf = controlsOf(fields.map(({ name }) => name));
  return fields.filter(({ name }) => isForPeople(controlOf(name)));
}

/** Fields without a label have their names. */
function toLabels(fields: readonly CheckedField[]): Labels {
  const labels = new Map<string, FormField>();
  for (const { name, label, type } of forPeople(fields)) {
    if (labels.has(name) || HIDDEN_TYPES.has(type)) continue;
    labels.set(name, { label: label ?? name, type });
  }
  return labels;
}

const NO_LABELS: Labels = new Map();

/** A form of a page that has several. `labels`: of its fields; none where the page has it no longer. */
export type PageForm = { name: string; labels: Labels };

/** `labels`: of the fields of all forms. */
type FormsOfPage = { labels: Labels; forms: readonly PageForm[] };

const NO_FORMS: FormsOfPage = { labels: NO_LABELS, forms: [] };
const seen = new Map<string, FormsOfPage>();

async function readForms(id: string, signal: AbortSignal): Promise<FormsOfPage> {
  const { forms, fields } = await answer(api.GET('/deploy/{id}/forms', { params: { path: { id } }, signal }));
  return { labels: toLabels(fields), forms: forms.map((form) => ({ name: form.name, labels: toLabels(form.fields) })) };
}

/**
 * The forms of a page, where it has several, and the labels of the one with a name, or of all. None until they are there, for a page
 * that can't be checked, and without a page.
 */
export function useLabels(pageId: string | undefined, formName = ''): FormsOfPage {
  const load = async (signal: AbortSignal) => (pageId === undefined ? NO_FORMS : readForms(pageId, signal));
  const { labels, forms } = useData(`forms:${pageId}`, load, seen).data ?? NO_FORMS;
  const form = forms.find(({ name }) => name === formName);
  return { labels: form && form.labels.size > 0 ? form.labels : labels, forms };
}

export function labelOf(labels: Labels, name: string): string {
  const label = labels.get(name)?.label ?? name;
  if (label.trim() === '') return t.inbox.columns.fieldWithoutName;
  return cut(label);
}
