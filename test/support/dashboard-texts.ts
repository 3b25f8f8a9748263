import { readFileSync } from 'node:fs';
import type { Texts } from '../../src/dashboard/texts/translation.ts';
import { LANGUAGES, type Language } from '../../src/lib/languages.ts';
import { PROJECT } from '../../src/lib/project.ts';

/** A text with its name, such as `inbox.empty.title`. */
export type NamedText = readonly [name: string, text: string];

/** Every text of a language, in order. */
export const flatTexts = (texts: object, before = ''): NamedText[] =>
  Object.entries(texts).flatMap(([name, value]): NamedText[] =>
    typeof value === 'string' ? [[before + name, value]] : flatTexts(value, `${before}${name}.`),
  );

/** The texts of the dashboard in each language. */
const DASHBOARD_TEXTS = new Map<Language, Texts>(
  await Promise.all(
    LANGUAGES.map(
      async (language) =>
        [language, (await import(`../../src/dashboard/texts/${language}.ts`)).default] satisfies [Language, Texts],
    ),
  ),
);

/** Returns the texts of the dashboard in a language. */
export function textsOf(language: Language): Texts {
  const texts = DASHBOARD_TEXTS.get(language);
  if (!texts) throw new Error(`There are no texts in ${language}.`);
  return texts;
}

/** A place or a mark of a text. */
const FIXED = /(\{\w+\}|<\/?\w+>)/;

/** Letters as no keyboard writes them, which people can read. */
const wide = (text: string): string =>
  text.replaceAll(/[A-Za-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));

/** The same texts in letters that no code of the dashboard has: what is shown in others is in no file of texts. */
export const inWideLetters = (texts: object): object =>
  Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value
            .split(FIXED)
            .map((part) => (FIXED.test(part) ? part : wide(part)))
            .join('')
        : inWideLetters(value),
    ]),
  );

/** The file that a browser loads the texts of a language from. */
export function textsFile(language: Language): string {
  const manifest = JSON.parse(readFileSync(new URL('dist/dashboard/.vite/manifest.json', PROJECT), 'utf8'));
  return `/dashboard/${manifest[`texts/${language}.ts`].file}`;
}
