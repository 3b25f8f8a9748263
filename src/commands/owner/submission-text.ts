import { compactJson, readJsonList, readJsonObject, unquote } from '../../lib/json-text.ts';
import { print, printable, styled } from '../output.ts';

const text = (value: string): string => (value.startsWith('"') ? unquote(value) : compactJson(value));

/** Lines after the first begin below it. */
const indented = (value: string, columns: number): string =>
  value
    .split(/\r\n|\r|\n/)
    .map(printable)
    .join(`\n${' '.repeat(columns)}`);

/** A submission as the API lists it, for a person: what it is on one line, and a line for each field. */
export function showSubmission(json: string): string {
  const members = new Map(readJsonObject(json).members.map(({ name, value }) => [name, value]));
  const of = (name: string): string => printable(text(members.get(name) ?? '""'));
  // Nobody can mark a test as read.
  const unread = members.get('test') === 'true' ? 'test' : 'unread';
  const marks = [
    ...[members.get('read') === 'false' ? unread : '', members.get('starred') === 'true' ? 'starred' : ''],
    ...[members.get('status') === '"done"' ? 'done' : '', of('reason')],
  ];
  // Only submissions of several pages name theirs.
  const head = [styled('bold', of('id')), of('created_at'), of('ip_address'), of('slug'), ...marks].filter(
    (part) => part !== '',
  );
  const fields = readJsonObject(members.get('data') ?? '{}').members.map(({ name, value }) => {
    const shown = printable(name);
    return `  ${styled('cyan', shown)}: ${indented(text(value), shown.length + 4)}\n`;
  });
  const note = text(members.get('note') ?? '""');
  const noted = note === '' ? '' : `  ${styled('bold', 'note')}: ${indented(note, 'note'.length + 4)}\n`;
  return `${head.join('  ')}\n${fields.join('')}${noted}`;
}

/** Prints the submissions of an answer of the API. */
export async function printSubmissions(json: string): Promise<void> {
  const list = readJsonObject(json).members.find(({ name }) => name === 'submissions');
  for (const submission of readJsonList(list?.value ?? '[]')) await print(`${showSubmission(submission)}\n`);
}
