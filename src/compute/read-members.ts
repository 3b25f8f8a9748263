import { isUtf8 } from 'node:buffer';
import { type JsonProblem, readJsonObject, unquote } from '../json-text.ts';

/** The bytes of a JSON object, and the names of the members to read. */
export type MembersInput = { body: Uint8Array; names: readonly string[] };

/** `value` is the string where the member has one, else the JSON text of its value. */
type Member = { name: string; isString: boolean; value: string };

export type ReadMembers = { members: Member[]; problem?: JsonProblem | 'not UTF-8' };

// Unknown fields are ignored, up to these limits.
export const JSON_LIMITS = { maxDepth: 10_000, maxMembers: 10_000 };
// A value that is not a string is not read beyond this.
const MAX_SETTING_CHARS = 64 * 1024;

/** The members of a JSON object with these names. Other members are skipped without being parsed. */
export function readMembers({ body, names }: MembersInput): ReadMembers {
  if (!isUtf8(body)) return { members: [], problem: 'not UTF-8' };
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const read = readJsonObject(text.startsWith('\uFEFF') ? text.slice(1) : text, JSON_LIMITS);
  if (read.problem !== undefined) return { members: [], problem: read.problem };
  const known = read.members.filter(({ name }) => names.includes(name));
  return {
    members: known.map(({ name, value }) => {
      const isString = value.startsWith('"');
      if (isString) return { name, isString, value: unquote(value) };
      // No schema accepts a long value that is not a string. It becomes null, which no schema accepts either, unparsed.
      return { name, isString, value: value.length <= MAX_SETTING_CHARS ? value : 'null' };
    }),
  };
}
