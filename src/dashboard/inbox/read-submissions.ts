import { type ControlKind, controlsOf, isForPeople, TEST_MARK } from '../../forms/control-fields.ts';
import { compactJson, readJsonList, readJsonObject, unquote } from '../../lib/json-text.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { t } from '../texts/chosen-texts.ts';

/*
 * Submissions are read from the text of an answer, as they were sent: JSON.parse would round large numbers, drop all but
 * the last field of a name, and put fields whose names are numbers first.
 */

export type SentFile = { filename: string; contentType: string; size: number; href: string };

export type Field = {
  name: string;
  /** Its purpose, where the field is not for people. */
  control: ControlKind | 'test' | undefined;
  /** One, or several where the field was a list: texts as people read them, and files. */
  values: readonly (string | SentFile)[];
};

export type Submission = {
  id: string;
  /** The id of the page to which it was sent. */
  pageId: string;
  /** Its title, or its slug, in a list of all pages. */
  pageName: string | undefined;
  fields: readonly Field[];
  ipAddress: string;
  createdAt: string;
  /** False where the answer has no marks, as in lists and streams. */
  read: boolean;
  starred: boolean;
  pageVersion: number | undefined;
  /** The owner has sent it to test the form. */
  isTest: boolean;
  /** The owner's text about it. */
  note: string;
  /** The owner has nothing left to do about it. */
  isDone: boolean;
  /** The form that has sent it, of several of the page; empty where that is not known. */
  form: string;
  /** Why it is kept apart as spam. */
  reason: string | undefined;
  /** When it was moved to the trash. */
  deletedAt: string | undefined;
};

const FILE_PATH = /^\/submissions\/\w+\/\w+\/files\/\w+$/;

/** The members of an object by name; of several with one name the last. */
const membersOf = (json: string): Map<string, string> =>
  new Map(readJsonObject(json).members.map(({ name, value }) => [name, value]));

function textOf(json = 'null'): string {
  if (json.startsWith('"')) return unquote(json);
  return json === 'null' ? '' : json;
}

function fileOf(json: string): SentFile | undefined {
  const { members } = readJsonObject(json);
  if (members.map(({ name }) => name).join() !== 'filename,content_type,size,url') return undefined;
  const [filename, contentType, size, url] = members.map(({ value }) => value);
  const href = textOf(url);
  // A JSON body may say that it has a file at any address.
  if (!FILE_PATH.test(href)) return undefined;
  return { filename: textOf(filename), contentType: textOf(contentType), size: Number(size), href };
}

/** A value as people read it. */
function readValue(json: string): string | SentFile {
  if (json.startsWith('[') || json.startsWith('{')) return fileOf(json) ?? compactJson(json);
  return textOf(json);
}

/** A list of texts or files is what a form sends where a name repeats. */
function readValues(json: string): (string | SentFile)[] {
  if (!json.startsWith('[')) return [readValue(json)];
  const items = readJsonList(json);
  return items.some((item) => item.startsWith('[')) ? [compactJson(json)] : items.map(readValue);
}

/** A submission from its JSON, whole. `pageId`: of its page, where the JSON does not say it. */
export function readSubmission(json: string, pageId = ''): Submission {
  const members = membersOf(json);
  const data = readJsonObject(members.get('data') ?? '{}').members;
  const id = textOf(members.get('id'));
  const controlOf = controlsOf(
    data.map(({ name }) => name),
    id,
  );
  const fields = data.map(({ name, value }): Field => {
    const values = readValues(value);
    const isMark = name === TEST_MARK.name && values[0] === TEST_MARK.text;
    return { name, control: isMark ? 'test' : controlOf(name), values };
  });
  const version = members.get('page_version');
  return {
    id,
    pageId: members.has('deployment_id') ? textOf(members.get('deployment_id')) : pageId,
    pageName: members.has('slug') ? textOf(members.get('title')) || textOf(members.get('slug')) : undefined,
    fields,
    ipAddress: textOf(members.get('ip_address')),
    createdAt: textOf(members.get('created_at')),
    read: members.get('read') === 'true',
    starred: members.get('starred') === 'true',
    pageVersion: version === undefined ? undefined : Number(version),
    isTest: members.get('test') === 'true' || fields.some(({ control }) => control === 'test'),
    note: textOf(members.get('note')),
    isDone: textOf(members.get('status')) === 'done',
    form: textOf(members.get('form')),
    deletedAt: members.has('deleted_at') ? textOf(members.get('deleted_at')) : undefined,
    reason: members.has('reason') ? textOf(members.get('reason')) : undefined,
  };
}

/** An answer with `submissions`, and its other members as they are written. */
export function readAnswer(
  json: string,
  pageId?: string,
): { submissions: Submission[]; rest: ReadonlyMap<string, string> } {
  const rest = membersOf(json);
  const submissions = readJsonList(rest.get('submissions') ?? '[]').map((one) => readSubmission(one, pageId));
  return { submissions, rest };
}

/** The beginning of a long text. */
export const cut = (text: string, chars: number = DASHBOARD_LIMITS.inbox.lineChars): string =>
  text.length > chars ? `${text.slice(0, chars).toWellFormed()}…` : text;

/** A text as it is; of a file its name. */
export const textIn = (value: string | SentFile): string => (typeof value === 'string' ? value : value.filename);

/** Values on one line. */
const lineOf = (values: Field['values']): string => cut(values.map(textIn).join(', '));

/** The values of a name on one line; empty when there is none. */
export const lineNamed = ({ fields }: Submission, name: string): string =>
  lineOf(fields.filter((field) => field.name === name).flatMap(({ values }) => values));

/** Returns whether a field is for people, and does not say how to handle the submission. */
export const isShown = ({ control }: Field): boolean => control !== 'test' && isForPeople(control);

/** The fields that people filled in, each on a line. */
const linesOf = ({ fields }: Submission): string[] =>
  fields
    .filter(isShown)
    .map(({ values }) => lineOf(values).trim())
    .filter((line) => line !== '');

/** The name of a submission: its first text. */
export const titleOf = (submission: Submission): string =>
  linesOf(submission)[0] ?? (submission.isTest ? t.inbox.rows.test : t.inbox.rows.empty);

/** The texts after the title, as many as a row shows. */
export const summaryOf = (submission: Submission): string => cut(linesOf(submission).slice(1).join(' · '));

/** How many fields with a text are not among these. */
export const countOthers = ({ fields }: Submission, names: readonly string[]): number =>
  new Set(
    fields
      .filter((field) => isShown(field) && !names.includes(field.name) && lineOf(field.values).trim() !== '')
      .map(({ name }) => name),
  ).size;

/** The names and values of its fields, up to a length that is searched at once. */
export const textsOf = ({ fields }: Submission): string =>
  fields
    .flatMap(({ name, values }) => [name, ...values.map(textIn)])
    // Unicode has no such character: a phrase is in one text.
    .join('\uffff')
    .slice(0, DASHBOARD_LIMITS.inbox.searchedChars);
