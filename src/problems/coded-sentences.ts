/*
 * Sentences that are declared by codes. `{name}` is the place of a value. Rows and answers hold the whole sentence; the dashboard finds
 * the code of it, and says the same in another language.
 */

/** A sentence by its code. `values`: by their places. */
export type Coded<Code extends string> = { code: Code; values: Readonly<Record<string, string>> };

/** The names of the places in a sentence. */
type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;

/** Returns the codes of sentences. */
export function codesOf<Code extends string>(sentences: Readonly<Record<Code, string>>): readonly Code[] {
  const isCode = (name: string): name is Code => Object.hasOwn(sentences, name);
  return Object.keys(sentences).filter(isCode);
}

const PLACE = /\{(\w+)\}/g;

/** Returns a sentence with values in its places. */
export const sentenceWith = <Text extends string>(
  text: Text,
  values: Readonly<Record<Places<Text>, string | number>>,
): string => text.replaceAll(PLACE, (_place, name: string) => String(Reflect.get(values, name)));

/** Matches a sentence with any values in its places; a place that comes again has the same value. */
function patternOf(sentence: string): RegExp {
  const seen = new Set<string>();
  const source = sentence.split(PLACE).map((part, index) => {
    // Every second part is the name of a place.
    if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (seen.has(part)) return `\\k<${part}>`;
    seen.add(part);
    return `(?<${part}>.*?)`;
  });
  return new RegExp(`^${source.join('')}$`, 's');
}

/**
 * Returns a function that finds what a sentence is made of; null for one that is not among these, such as that of another version. Where
 * several match, the first does.
 */
export function sentenceReader<Code extends string>(
  sentences: Readonly<Record<Code, string>>,
): (sentence: string) => Coded<Code> | null {
  const codes = codesOf<Code>(sentences);
  const whole = new Map<string, Code>(codes.map((code) => [sentences[code], code]));
  const patterns = codes.map((code) => ({ code, pattern: patternOf(sentences[code]) }));
  return (sentence) => {
    const exact = whole.get(sentence);
    if (exact !== undefined) return { code: exact, values: {} };
    for (const { code, pattern } of patterns) {
      const found = pattern.exec(sentence);
      if (found) return { code, values: { ...found.groups } };
    }
    return null;
  };
}
