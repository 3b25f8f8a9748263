import { useMemo } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { t } from '../../texts/chosen-texts.ts';
import { isShown, lineNamed, type Submission, summaryOf, textIn, titleOf } from '../read-submissions.ts';
import { type Labels, labelOf } from './column-labels.ts';

/** A column of the list. */
export type Column = {
  /** The name of its field. */
  name: string;
  label: string;
  /** `wide`: its texts are long; `extra`: a card has no room for it; `blank`: no submission has a text in it. */
  kind?: 'wide' | 'extra' | 'blank';
  textOf(submission: Submission): string;
};

/** A field that may have a column. `isFilled`: a submission of the list has a text in it. */
export type Choice = { name: string; label: string; isFilled: boolean };

/** The columns of a list of all pages, whose forms have different fields. */
const COLUMNS_OF_ALL: readonly Column[] = [
  { name: '', label: t.inbox.columns.submission, textOf: titleOf },
  { name: '', label: t.inbox.columns.page, textOf: ({ pageName }) => pageName ?? '' },
  { name: '', label: t.inbox.columns.summary, kind: 'wide', textOf: summaryOf },
];

/** The column of a page with several forms. */
const FORM_COLUMN: Column = { name: '', label: t.inbox.columns.form, textOf: ({ form }) => form };

const ONLY_TITLES: readonly Column[] = [{ name: '', label: t.inbox.columns.submission, textOf: titleOf }];

/** The names of fields in submissions, in the order in which they first appear, each with whether one has a text. */
function readSentNames(rows: readonly Submission[]): ReadonlyMap<string, boolean> {
  const sent = new Map<string, boolean>();
  for (const { fields } of rows) {
    for (const field of fields) {
      const { name, values } = field;
      if (sent.get(name) || !isShown(field)) continue;
      sent.set(
        name,
        values.some((value) => textIn(value).trim() !== ''),
      );
    }
  }
  return sent;
}

/** The fields that may have columns: those of the form in its order, then others that were sent. */
function choicesOf(labels: Labels, rows: readonly Submission[]): readonly Choice[] {
  const sent = readSentNames(rows);
  const names = new Set([...labels.keys(), ...sent.keys()]);
  return Array.from(names, (name) => ({ name, label: labelOf(labels, name), isFilled: sent.get(name) === true }));
}

/** Three fields: the first one, the one with the longest texts, and another one; those that all submissions leave empty are last. */
function chooseNames(labels: Labels, choices: readonly Choice[], lengthOf: (name: string) => number): string[] {
  // The form knows its fields; without one, all that were sent are fields.
  const ofForm = labels.size > 0 ? choices.filter(({ name }) => labels.has(name)) : choices;
  const filled = ofForm.filter(({ isFilled }) => isFilled);
  // Where nothing is filled in, such as in a test, the first column has the title.
  const [first, ...others] = (filled.length > 0 ? filled : ofForm.slice(0, 1)).map(({ name }) => name);
  if (first === undefined) return [];
  const [wide] = others.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const extra = others.find((name) => name !== wide);
  return [first, ...others.filter((name) => name === wide || name === extra)];
}

/** The columns of a page. `chosen`: the names of the fields that the owner has chosen, if any. */
function columnsOf(
  labels: Labels,
  choices: readonly Choice[],
  rows: readonly Submission[],
  chosen: readonly string[] | undefined,
): readonly Column[] {
  const lengthOf = (name: string): number =>
    labels.get(name)?.type === 'textarea'
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ...rows.map((row) => lineNamed(row, name).length));
  const names = chosen
    ? choices.filter(({ name }) => chosen.includes(name)).map(({ name }) => name)
    : chooseNames(labels, choices, lengthOf);
  if (names.length === 0) return ONLY_TITLES;
  const [first, ...others] = names;
  const [wide] = others.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const blank = new Set(choices.filter(({ isFilled }) => !isFilled).map(({ name }) => name));
  const kindOf = (name: string) => (blank.has(name) ? 'blank' : name === wide ? 'wide' : 'extra');
  return names.map((name) => ({
    name,
    label: labelOf(labels, name),
    ...(name !== first && { kind: kindOf(name) }),
    textOf: (submission) => lineNamed(submission, name) || (name === first ? titleOf(submission) : ''),
  }));
}

/** The columns of the list, with that of the form if it `hasForms`, which stay the same object until one of them changes, and the fields that may have one. */
export function useColumns(
  pageId: string | undefined,
  labels: Labels,
  rows: readonly Submission[],
  { chosen, hasForms }: { chosen: readonly string[] | undefined; hasForms: boolean },
): { columns: readonly Column[]; choices: readonly Choice[] } {
  const choices = useMemo(() => (pageId === undefined ? [] : choicesOf(labels, rows)), [pageId, labels, rows]);
  const some = rows.slice(0, DASHBOARD_LIMITS.inbox.columnRows);
  const ofPage = pageId === undefined ? COLUMNS_OF_ALL : columnsOf(labels, choices, some, chosen);
  const columns = hasForms ? ofPage.toSpliced(1, 0, FORM_COLUMN) : ofPage;
  const key = JSON.stringify(columns.map(({ name, label, kind }) => [name, label, kind]));
  return { columns: useMemo(() => columns, [key]), choices };
}
