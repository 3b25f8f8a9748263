import { compactJson, readJsonList, readJsonObject, unquote } from '../lib/json-text.ts';
import { type ControlKind, controlsOf, isForPeople } from './control-fields.ts';
import type { Labels } from './forms-of-page.ts';

/*
 * The fields of a submission as people read them, in mails and in messages.
 */

/** `value`: JSON. `label`: what people read in place of the name. */
type FieldForPeople = { name: string; label: string; value: string; control: ControlKind | undefined };

/** A value in a field, which may be the name of a file: `file` is then its URL in the API, and its size in bytes. */
export type ShownValue = { value: string; file?: { path: string; bytes: number } };

/**
 * The content of a submission, without control fields except the address for Reply-To. `data`: JSON text of an object, as stored. `id`: of
 * the submission; empty for a sample.
 */
export function fieldsForPeople({ id, data }: { id: string; data: string }, labels: Labels): FieldForPeople[] {
  const { members } = readJsonObject(data);
  const controlOf = controlsOf(
    members.map(({ name }) => name),
    id,
  );
  return members.flatMap(({ name, value }) => {
    const control = controlOf(name);
    if (!isForPeople(control)) return [];
    const label = labels.get(name)?.replace(/:$/, '') ?? (control === 'reply-to' ? 'Reply-To' : name);
    return [{ name, label, value, control }];
  });
}

/** The values of a field: one, or each of a list in which some are files. `isFile`: whether a path is that of a file of the submission. */
export function valuesOf(json: string, isFile: (path: string) => boolean): ShownValue[] {
  const items = json.startsWith('[') ? readJsonList(json) : [json];
  const files = items.map((item) => fileIn(item, isFile));
  if (files.every((file) => file === undefined)) return [{ value: shownValue(json) }];
  return items.map((item, at) => files[at] ?? { value: shownValue(item) });
}

/** A file that was submitted, whose value the service has made: an object that looks like one has no such path. */
function fileIn(json: string, isFile: (path: string) => boolean): ShownValue | undefined {
  const members = json.startsWith('{') ? readJsonObject(json).members : [];
  const [filename, , size, url] = members;
  if (members.length !== 4 || filename?.name !== 'filename' || size?.name !== 'size' || url?.name !== 'url') {
    return undefined;
  }
  const path = shownValue(url.value);
  if (!isFile(path)) return undefined;
  return { value: shownValue(filename.value) || 'file', file: { path, bytes: Number(size.value) } };
}

/** A value for people. A string is shown as it is, and a list of plain values joined; any other is compact JSON. */
export function shownValue(json: string): string {
  const items = json.startsWith('[') ? readJsonList(json) : [json];
  return items.some((item) => /^[[{]/.test(item)) ? compactJson(json) : items.map(shownScalar).join(', ');
}

const shownScalar = (json: string): string => (json.startsWith('"') ? unquote(json) : json);
