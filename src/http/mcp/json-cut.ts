import { shareOf } from '../../lib/byte-size.ts';
import { readJsonList, readJsonObject } from '../../lib/json-text.ts';

/*
 * JSON texts that are too long for a model. All that is not cut stays as it was submitted: numbers as they are written, and members with
 * one name.
 */

/** The characters of a mark at most, with its quotation marks and the name of the member that it is. */
const MARK_CHARS = 90;
/** An object or a list has fewer members before each has fewer characters: a name and a value that are cut have as many. */
const LEAST_MEMBER_CHARS = 4 * MARK_CHARS;

/** A string in a JSON text. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Returns whether a place in a text is between the two UTF-16 units of one character. */
export const isInCharacter = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));

const mark = (left: number, unit: string): string => `[${left} ${unit} left out: a larger max_chars has them]`;

/** A text cut to so many UTF-16 units, and maybe one less, which would be half a character. */
function cutText(value: string, units: number): string {
  const end = isInCharacter(value, units) ? units - 1 : units;
  return `${value.slice(0, end)}… ${mark(value.length - end, 'characters')}`;
}

/** Returns a JSON text with all strings cut to so many characters. */
export const cutStrings = (json: string, chars: number): string =>
  json.replaceAll(STRING, (literal) => {
    const value: string = literal.length > chars ? JSON.parse(literal) : '';
    return value.length > chars ? JSON.stringify(cutText(value, chars)) : literal;
  });

/** Returns the JSON text of a value in at most so many characters, of which a mark has to be a part. */
function cutScalar(json: string, chars: number): string {
  const value: string = json.startsWith('"') ? JSON.parse(json) : json;
  for (let units = chars; ; units = Math.floor(units / 2)) {
    const text = JSON.stringify(cutText(value, Math.min(units, value.length)));
    if (text.length <= chars || units === 0) return text;
  }
}

/** A member of an object or a list: what stands before its value, which is nothing in a list, and the value. */
type Member = { name: string; value: string };

function cutMember({ name, value }: Member, chars: number): string {
  const shownName = name && `${cutTo(name, Math.floor(chars / 2))}:`;
  return shownName + cutTo(value, chars - shownName.length - ','.length);
}

/**
 * Returns a JSON text with at most so many characters. Long values are cut first, and what they leave is for the others; then objects and
 * lists have fewer members. A mark says how many are left out.
 */
export function cutTo(json: string, chars: number): string {
  if (json.length <= chars) return json;
  const isList = json.startsWith('[');
  if (!isList && !json.startsWith('{')) return cutScalar(json, chars);
  const members: readonly Member[] = isList
    ? readJsonList(json).map((value) => ({ name: '', value }))
    : readJsonObject(json).members.map(({ name, value }) => ({ name: JSON.stringify(name), value }));
  const lengths = members.map(({ name, value }) => name.length + value.length + ':,'.length);
  const most = chars - MARK_CHARS - '[,]'.length;
  let kept = 0;
  for (let least = 0; kept < members.length; kept += 1) {
    least += Math.min(lengths[kept] ?? 0, LEAST_MEMBER_CHARS);
    if (least > most) break;
  }
  const share = shareOf(lengths.slice(0, kept), most);
  const parts = members.slice(0, kept).map((member) => cutMember(member, share));
  const left = members.length - kept;
  if (left > 0) parts.push(isList ? JSON.stringify(`… ${mark(left, 'items')}`) : `"…":"${mark(left, 'members')}"`);
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}
