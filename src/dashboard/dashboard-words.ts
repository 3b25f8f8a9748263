import { type ReadProblem, sentencesOf } from '../problems/read-problem.ts';
import { literal, render, type Vocabulary } from '../problems/sentence.ts';
import { fill, language, t } from './texts/chosen-texts.ts';

/*
 * The words of the dashboard for what the API names: people see labels of fields, and views.
 */

/** The labels of a form's fields, by their names in the API. */
export type FieldLabels = Readonly<Record<string, string>>;

/** How a value of a field is wrong; `index`: which one of a list. */
type FieldFault = { code: string | undefined; limit: number | undefined; index: number | undefined };

/** Says at a field what to enter; undefined where the sentence of the service is to be shown. */
export type FieldSentences = (name: string, fault: FieldFault) => string | undefined;

const VIEWS: Readonly<Record<string, string>> = {
  'GET /trash': 'the trash',
  'GET /keys': 'Account',
  'GET /sessions': 'Account',
  'PATCH /deploy/:id': 'Settings',
  'GET /deploy/:id/domains': 'Settings',
  'GET /deploy/:id/guests': 'Settings',
  'GET /deploy/:id/shares': 'Settings',
  'GET /deploy/:id/files': 'Page',
  'GET /deploy/:id/versions': 'Page',
};

/** The fields of errors that are about a value that is right by itself. */
const FIELDS: Readonly<Record<string, string>> = { 'slug-taken': 'slug' };

/** The names of fields that no form has. */
const NAMES: FieldLabels = { slug: 'The address' };

const wordsWith = (labels: FieldLabels): Vocabulary => ({
  words: {
    deployment: 'page',
    Deployment: 'Page',
    send: 'enter',
    Send: 'Enter',
    null: 'leave it empty',
    once: '',
    plus: '',
  },
  field: (name) => labels[name] ?? NAMES[name],
  operation: (route) => VIEWS[route],
});

type WrongValue = ReadProblem['errors'][number];

const textOf = (texts: Readonly<Record<string, string>>, code = ''): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

/** Returns how a value is wrong. The sentence of the service says more, in English. */
function sentenceAbout({ detail, code, limit }: WrongValue, words: Vocabulary): string {
  const text = language === 'en' ? undefined : textOf(t.problems.values, code);
  return text === undefined ? render(detail, words) : fill<string>(text, { limit: limit ?? '' });
}

/** Returns the sentences about values that no field of the form has. */
const aboutOthers = (errors: readonly WrongValue[], words: Vocabulary): string[] =>
  errors.map((error) => {
    const sentence = sentenceAbout(error, words);
    return language === 'en' ? sentence : fill(t.problems.atField, { field: error.field, sentence });
  });

/** Returns what is said of an error that is about no field. */
function aboutAll(problem: ReadProblem, words: Vocabulary): string[] {
  const { code, errors } = problem;
  if (language === 'en') return sentencesOf(problem, words);
  const family = code?.startsWith('no-such-') ? t.problems.gone : code?.startsWith('too-many-') && t.problems.tooMany;
  const own = textOf(t.problems.byCode, code) ?? family;
  if (own) return [own];
  return errors.length === 0 ? sentencesOf(problem, words) : aboutOthers(errors, words);
}

/** Returns the template of the sentence about an error. */
const wholeDetail = (problem: ReadProblem, words: Vocabulary): string =>
  language === 'en' ? problem.detail : literal(aboutAll(problem, words).join('\n'));

/** Returns a notice in the words of the dashboard. */
export const inViewWords = (template: string): string => render(template, wordsWith({}));

/** The texts of a form about an error: one at each field that is wrong, by the names of the labels, and a message about the rest. */
export type FormProblem = { message: string; atFields: FieldLabels };

/** Returns what a form with these labels says of an error of the API. `sentenceOf`: its own words at a field. */
export function formProblem(
  problem: ReadProblem,
  labels: FieldLabels = {},
  sentenceOf: FieldSentences = () => undefined,
): FormProblem {
  const words = wordsWith(labels);
  const field = FIELDS[problem.code ?? ''];
  const errors =
    field === undefined
      ? problem.errors
      : [{ field, detail: wholeDetail(problem, words), code: undefined, limit: undefined }];
  const atFields: Record<string, string> = {};
  const others = errors.filter((error) => {
    const { field: wrong, code, limit } = error;
    // An item of a list is in the field of the list.
    const name = Object.keys(labels).find((label) => `${wrong}.`.startsWith(`${label}.`));
    if (name === undefined) return true;
    const [, index] = /\.(\d+)$/.exec(wrong.slice(name.length)) ?? [];
    const said = sentenceOf(name, { code, limit, index: index === undefined ? undefined : Number(index) });
    atFields[name] ??= said ?? sentenceAbout(error, words);
    return false;
  });
  const isAtFields = Object.keys(atFields).length > 0;
  const rest = isAtFields ? aboutOthers(others, words) : aboutAll(problem, words);
  return { message: [...new Set(rest)].join('\n'), atFields };
}
