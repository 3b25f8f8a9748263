import { controlsOf, isForPeople } from '../../forms/control-fields.ts';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { cut, isShown, lineNamed, type Submission, summaryOf, titleOf } from './read-submissions.ts';

/** The fields of the page's forms by their names, in the order of the form. `isLong`: people write several lines. */
export type Labels = ReadonlyMap<string, { label: string; isLong: boolean }>;

/** Fields that nobody fills in. */
const HIDDEN_TYPES: ReadonlySet<string> = new Set(['hidden', 'submit', 'image', 'reset', 'button']);

/** Fields without a label have their names. */
async function readLabels(id: string, signal: AbortSignal): Promise<Labels> {
  const { forms } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } }, signal }));
  const fields = forms.flatMap((form) => {
    const controlOf = controlsOf(form.fields.map(({ name }) => name));
    return form.submits_here ? form.fields.filter(({ name }) => isForPeople(controlOf(name))) : [];
  });
  const labels = new Map<string, { label: string; isLong: boolean }>();
  for (const { name, label, type } of fields) {
    if (labels.has(name) || HIDDEN_TYPES.has(type)) continue;
    labels.set(name, { label: label ?? name, isLong: type === 'textarea' });
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

/** A column of the list. */
export type Column = {
  /** The name of its field. */
  name: string;
  label: string;
  /** `wide`: its texts are long; `extra`: a card has no room for it. */
  kind?: 'wide' | 'extra';
  textOf(submission: Submission): string;
};

/** The columns of a list of all pages, whose forms have different fields. */
export const COLUMNS_OF_ALL: readonly Column[] = [
  { name: '', label: 'Submission', textOf: titleOf },
  { name: '', label: 'Page', textOf: ({ pageName }) => pageName ?? '' },
  { name: '', label: 'Summary', kind: 'wide', textOf: summaryOf },
];

/** The fields that get a column: those of the form, or those of its submissions where the page has no form. */
function fieldsOf(labels: Labels, rows: readonly Submission[]): string[] {
  if (labels.size > 0) return [...labels.keys()];
  const sent = rows.flatMap(({ fields }) => fields.filter(isShown).map(({ name }) => name));
  return [...new Set(sent)];
}

/** Three fields in the order of the form: the first one, the one with the longest texts, and another one. */
export function columnsOf(labels: Labels, rows: readonly Submission[]): readonly Column[] {
  const [first, ...others] = fieldsOf(labels, rows);
  if (first === undefined) return [{ name: '', label: 'Submission', textOf: titleOf }];
  const lengthOf = (name: string): number =>
    labels.get(name)?.isLong
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ...rows.map((row) => lineNamed(row, name).length));
  const [wide] = others.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const extra = others.find((name) => name !== wide);
  const kindOf = (name: string) => (name === wide ? 'wide' : 'extra');
  return [first, ...others.filter((name) => name === wide || name === extra)].map((name) => ({
    name,
    label: labelOf(labels, name),
    ...(name !== first && { kind: kindOf(name) }),
    textOf: (submission) => lineNamed(submission, name) || (name === first ? titleOf(submission) : ''),
  }));
}
