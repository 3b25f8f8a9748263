import { isUtf8 } from 'node:buffer';
import { type JsonMember, type JsonProblem, readJsonList, readJsonObject, unquote } from '../lib/json-text.ts';
import { filesOfText, type ReadFile, SiteError, type SiteLimits } from '../sites/sent-files.ts';
import { SIZES } from '../sizes.ts';

/** A value that is not a string is not read beyond this, where its level may not be long: no schema accepts a longer one. */
const MAX_SETTING_CHARS = SIZES.body.settingsBytes;

/**
 * The bytes of a JSON object, and the names of the members to read. `longLevels`: how many levels of objects below it may
 * be long; these are read with all of their members. `longLists`: lists in them may be long too, with objects that are. `site`: a
 * member `files` of these has the files of a site.
 */
export type MembersInput = {
  body: Uint8Array;
  names: readonly string[];
  longLevels?: number;
  longLists?: boolean;
  site?: SiteLimits | undefined;
};

/** The files of a site, or why they are refused. */
type Files = { files: ReadFile[] } | { refusal: Pick<SiteError, 'status' | 'message' | 'faults'> };

/** A string, the JSON text of another value, the members of a long object, the items of a long list, or the files of a site. */
export type MemberValue =
  | { string: string }
  | { json: string }
  | { members: Member[] }
  | { items: MemberValue[] }
  | Files;

export type Member = { name: string; value: MemberValue };

/** Members with other names: the first of these, and how many there are. */
export type UnknownMembers = { names: string[]; count: number };

export type ReadMembers = { members: Member[]; unknown?: UnknownMembers; problem?: JsonProblem | 'not UTF-8' };

type Reading = Pick<MembersInput, 'longLevels' | 'longLists' | 'site'>;

const toMember = ({ name, value }: JsonMember, reading: Reading): Member => ({
  name,
  value: reading.site && name === 'files' ? toFiles(value, reading.site) : toValue(value, reading),
});

/** No schema accepts another long value that is not a string. It becomes null, which no schema accepts either, unparsed. */
function toValue(value: string, { longLevels = 0, longLists = false, site }: Reading): MemberValue {
  if (value.startsWith('"')) return { string: unquote(value) };
  if (value.length <= MAX_SETTING_CHARS) return { json: value };
  if (longLists && value.startsWith('[')) {
    return { items: readJsonList(value).map((item) => toValue(item, { longLevels: 1, site })) };
  }
  if (longLevels === 0) return { json: 'null' };
  const below = { longLevels: longLevels - 1, longLists, site };
  const { members, problem } = readJsonObject(value, SIZES.json);
  return problem === undefined ? { members: members.map((member) => toMember(member, below)) } : { json: 'null' };
}

function toFiles(text: string, limits: SiteLimits): Files {
  try {
    return { files: filesOfText(text, limits) };
  } catch (error) {
    if (!(error instanceof SiteError)) throw error;
    return { refusal: { status: error.status, message: error.message, faults: error.faults } };
  }
}

/** The members of a JSON object with these names. Other members are skipped without being parsed. */
export function readMembers({ body, names, ...reading }: MembersInput): ReadMembers {
  if (!isUtf8(body)) return { members: [], problem: 'not UTF-8' };
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const read = readJsonObject(text.startsWith('\uFEFF') ? text.slice(1) : text, SIZES.json);
  if (read.problem !== undefined) return { members: [], problem: read.problem };
  const known = read.members.filter(({ name }) => names.includes(name));
  const others = [...new Set(read.members.map(({ name }) => name))].filter((name) => !names.includes(name));
  return {
    members: known.map((member) => toMember(member, reading)),
    ...(others.length > 0 && {
      unknown: { names: others.slice(0, SIZES.json.maxUnknownNames), count: others.length },
    }),
  };
}
