import { type ReadProblem, sentencesOf } from '../problems/read-problem.ts';
import { render, type Vocabulary } from '../problems/sentence.ts';

/*
 * The words of the dashboard for what the API names: people see labels of fields, and views.
 */

/** The labels of a form's fields, by their names in the API. */
export type FieldLabels = Readonly<Record<string, string>>;

const VIEWS: Readonly<Record<string, string>> = {
  'GET /trash': 'the trash',
  'GET /keys': 'Account',
  'GET /sessions': 'Account',
  'PATCH /deploy/:id': 'Settings',
  'GET /deploy/:id/domains': 'Settings',
  'GET /deploy/:id/files': 'Page',
  'GET /deploy/:id/versions': 'Page',
};

/** The fields of errors that are about a value that is right by itself. */
const FIELDS: Readonly<Record<string, string>> = { 'slug-taken': 'slug' };

const wordsWith = (labels: FieldLabels): Vocabulary => ({
  words: { deployment: 'page', Deployment: 'Page', null: 'leave it empty', once: '', plus: '' },
  field: (name) => labels[name],
  operation: (route) => VIEWS[route],
});

/** Returns a notice in the words of the dashboard. */
export const inViewWords = (template: string): string => render(template, wordsWith({}));

/** The texts of a form about an error: a message, and a text at each field that is wrong, by the names of the labels. */
export type FormProblem = { message: string; atFields: FieldLabels };

/** Returns what a form with these labels says of an error of the API. */
export function formProblem(problem: ReadProblem, labels: FieldLabels = {}): FormProblem {
  const words = wordsWith(labels);
  const field = FIELDS[problem.code ?? ''];
  const errors = field === undefined ? problem.errors : [{ field, detail: problem.detail }];
  const atFields: Record<string, string> = {};
  for (const error of errors) {
    // An item of a list is in the field of the list.
    const name = Object.keys(labels).find((label) => `${error.field}.`.startsWith(`${label}.`));
    if (name !== undefined) atFields[name] ??= render(error.detail, words);
  }
  return { message: sentencesOf(problem, words).join('\n'), atFields };
}
