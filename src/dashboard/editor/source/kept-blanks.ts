/** Returns a text as a field of one line shows it. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/**
 * Returns a text that was typed on one line, with the line breaks and other blanks of the text before it: its beginning and its end that
 * stayed the same have them. A space that does not collapse may be shown as another one.
 */
export function withBlanksOf(before: string, typed: string): string {
  const parts = before.split(/(\s+)/);
  const shown = parts.map((part) => [part, part.replaceAll(/[\t\n\f\r ]+/g, ' '), oneLine(part)]);
  let [from, at] = [0, 0];
  for (; from < parts.length; from += 1) {
    const same = shown[from]?.find((one) => typed.startsWith(one, at));
    if (same === undefined) break;
    at += same.length;
  }
  let [to, end] = [parts.length, typed.length];
  for (; to > from; to -= 1) {
    const same = shown[to - 1]?.find((one) => one.length <= end - at && typed.endsWith(one, end));
    if (same === undefined) break;
    end -= same.length;
  }
  return parts.slice(0, from).join('') + typed.slice(at, end) + parts.slice(to).join('');
}
