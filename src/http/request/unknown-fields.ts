import { z } from 'zod';
import type { UnknownMembers } from '../../compute/read-members.ts';
import { hintedName } from '../../lib/misspelt.ts';
import { literal } from '../../problems/sentence.ts';
import { SIZES } from '../../sizes.ts';

const MAX_UNKNOWN_CHARS = 40;

/** A header has ASCII only. */
function shown(name: string): string {
  if (name === '') return '(an empty name)';
  const cut = name.length > MAX_UNKNOWN_CHARS ? `${name.slice(0, MAX_UNKNOWN_CHARS)}...` : name;
  return cut.replaceAll(/[^\x20-\x7e]/g, '?');
}

/** The object that a field takes; undefined where it takes none. */
function objectIn(field: unknown): z.ZodObject | undefined {
  if (field instanceof z.ZodObject) return field;
  const isWrapped =
    field instanceof z.ZodExactOptional || field instanceof z.ZodDefault || field instanceof z.ZodNullable;
  return isWrapped ? objectIn(field.unwrap()) : undefined;
}

/** A sentence for each object of a body that has members which are no fields; `path`: of the object that is looked at. */
export function unknownFieldsNotices(
  { values, unknown }: { values: Readonly<Record<string, unknown>>; unknown?: UnknownMembers | undefined },
  { shape }: z.ZodObject,
  path = '',
): string[] {
  const names = Object.keys(shape).map((name) => path + name);
  const notice = unknown ? [unknownFieldsNotice(unknown, names)] : [];
  const inside = Object.entries(shape).flatMap(([name, field]) => {
    const object = objectIn(field);
    const value = values[name];
    if (!object || !(value instanceof Object) || Array.isArray(value)) return [];
    const members = Object.fromEntries(Object.entries(value));
    const others = Object.keys(members).filter((member) => !Object.hasOwn(object.shape, member));
    const named = others.slice(0, SIZES.json.maxUnknownNames).map((member) => `${path}${name}.${member}`);
    const unknownInside = others.length > 0 ? { names: named, count: others.length } : undefined;
    return unknownFieldsNotices({ values: members, unknown: unknownInside }, object, `${path}${name}.`);
  });
  return [...notice, ...inside];
}

/** The sentence that names members of a body that are none of its `fields`. */
export function unknownFieldsNotice({ names, count }: UnknownMembers, fields: readonly string[]): string {
  const named = names.map((name) => {
    const meant = hintedName(name, fields);
    return meant === undefined ? literal(shown(name)) : `${literal(shown(name))} (did you mean ${meant}?)`;
  });
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `Ignored, because no field has this name: ${named.join(', ')}${more}`;
}
