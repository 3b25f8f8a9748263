/*
 * A submission that came by /f/, the address for forms made for another service, has a mark at the end of its id. Its control
 * fields have another meaning for as long as it is kept, also in the spam folder, the trash and exports, and each of these keeps ids.
 */

/** Control fields that a page may also show to its visitors: each is data then, and the mark has its letter. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['subject', 's'],
  ['redirect', 'r'],
]);

const MARK = 'f';
/** The mark, alone or behind the 24 characters of an id, as `newSubmissionId` makes it. */
const MARKED = /^(?:sub_[0-9A-Za-z]{24})?(fs?r?)$/;

/** Returns whether a page that shows a field of this name to visitors makes it data. */
export const canBeShown = (name: string): boolean => LETTERS.has(name);

/** Returns the mark for the id of a submission. `isShown`: whether the form's page shows a field to visitors. */
export const foreignMark = (isShown: (name: string) => boolean): string =>
  MARK + Array.from(LETTERS, ([name, letter]) => (isShown(name) ? letter : '')).join('');

/** Returns the mark of an id, or an empty text. A mark is its own. */
export const markOf = (id: string): string => MARKED.exec(id)?.[1] ?? '';

/** Returns which control fields of a submission are data because its page shows them; undefined: it did not come by /f/. */
export function shownControls(id: string): ((name: string) => boolean) | undefined {
  const mark = markOf(id);
  if (mark === '') return undefined;
  return (name) => {
    const letter = LETTERS.get(name);
    return letter !== undefined && mark.includes(letter);
  };
}
