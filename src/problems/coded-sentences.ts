/*
 * Sentences that are declared by codes. `{name}` is the place of a value, of which each has one at most. Rows and answers hold the whole
 * sentence; the dashboard finds the code of it, and says the same in another language.
 */

/** A sentence by its code. `value`: of the place in it; null where it has none. */
export type Coded<Code extends string> = { code: Code; value: string | null };

/** Returns the codes of sentences. */
export function codesOf<Code extends string>(sentences: Readonly<Record<Code, string>>): readonly Code[] {
  const isCode = (name: string): name is Code => Object.hasOwn(sentences, name);
  return Object.keys(sentences).filter(isCode);
}

/** Returns a function that finds what a sentence is made of; null for one that is not among these, such as that of another version. */
export function sentenceReader<Code extends string>(
  sentences: Readonly<Record<Code, string>>,
): (sentence: string) => Coded<Code> | null {
  const whole = new Map<string, Code>();
  const parts: { code: Code; start: string; end: string }[] = [];
  for (const code of codesOf<Code>(sentences)) {
    const [start = '', end, ...others] = sentences[code].split(/\{\w+\}/);
    if (others.length > 0) throw new Error(`The sentence of ${code} has more than one place.`);
    if (end === undefined) whole.set(start, code);
    else parts.push({ code, start, end });
  }
  return (sentence) => {
    const code = whole.get(sentence);
    if (code !== undefined) return { code, value: null };
    const found = parts.find(
      ({ start, end }) =>
        sentence.length >= start.length + end.length && sentence.startsWith(start) && sentence.endsWith(end),
    );
    return found
      ? { code: found.code, value: sentence.slice(found.start.length, sentence.length - found.end.length) }
      : null;
  };
}
