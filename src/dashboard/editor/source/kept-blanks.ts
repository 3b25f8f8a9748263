/** Returns a text as a field of one line shows it. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Returns a text that was typed on one line with the line breaks and other blanks that it had before, where it is not another one. */
export function withBlanksOf(before: string, typed: string): string {
  const parts = before.split(/(\s+)/);
  const same = (index: number): string => oneLine(parts[index] ?? '');
  let [from, at] = [0, 0];
  while (from < parts.length && typed.startsWith(same(from), at)) {
    at += same(from).length;
    from += 1;
  }
  let [to, end] = [parts.length, typed.length];
  while (to > from && end - same(to - 1).length >= at && typed.endsWith(same(to - 1), end)) {
    to -= 1;
    end -= same(to).length;
  }
  return parts.slice(0, from).join('') + typed.slice(at, end) + parts.slice(to).join('');
}
