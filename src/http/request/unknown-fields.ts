import { distance } from 'fastest-levenshtein';
import type { UnknownMembers } from '../../compute/read-members.ts';
import { SIZES } from '../../limits.ts';

/** A header has ASCII only. */
function shown(name: string): string {
  if (name === '') return '(an empty name)';
  const cut = name.length > SIZES.json.maxUnknownChars ? `${name.slice(0, SIZES.json.maxUnknownChars)}...` : name;
  return cut.replaceAll(/[^\x20-\x7e]/g, '?');
}

const lettersOf = (name: string): string =>
  name
    .slice(0, SIZES.json.maxUnknownChars)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

/** The field that a caller probably meant: it differs in half of its letters at most, and in three. Two that are exchanged count as two. */
function meantBy(name: string, fields: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  const [nearest] = fields
    .map((field) => ({ field, far: distance(letters, lettersOf(field)) }))
    .toSorted((one, other) => one.far - other.far);
  return nearest && nearest.far <= Math.min(nearest.field.length / 2, 3) ? nearest.field : undefined;
}

/** The sentence that names members of a body that are none of its `fields`. */
export function unknownFieldsNotice({ names, count }: UnknownMembers, fields: readonly string[]): string {
  const named = names.map((name) => {
    const meant = meantBy(name, fields);
    return meant === undefined ? shown(name) : `${shown(name)} (did you mean ${meant}?)`;
  });
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `Ignored, because no field has this name: ${named.join(', ')}${more}`;
}
