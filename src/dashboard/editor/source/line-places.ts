/** A place in a text, both counted from 1, as browsers and editors do. */
export type LinePlace = { line: number; column: number };

/** Returns a function that finds the line and the column of an offset. */
export function linePlaces(text: string): (at: number) => LinePlace {
  const starts = [0];
  for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
  return (at) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 };
  };
}
