import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/lib/languages.ts';
import { flatTexts, type NamedText, textsOf } from '../../support/dashboard-texts.ts';

/* Types make every language have every text. The rest is here: that each can be filled in, is translated, and is plain. */

const textsIn = (language: Language): readonly NamedText[] => flatTexts(textsOf(language));
const ENGLISH = textsIn('en');
const CATEGORIES = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

/** The names of the texts with plural forms. A group may have a text *other* too. */
const COUNTED = new Set(ENGLISH.flatMap(([name]) => (name.endsWith('.one') ? [name.slice(0, -'.one'.length)] : [])));
/** The name of a text; of one with plural forms, that of all of them. */
const nameOf = (name: string): string =>
  name.replace(/\.(\w+)$/, (end, last, at) => (CATEGORIES.has(last) && COUNTED.has(name.slice(0, at)) ? '' : end));
/** The English texts; of those with plural forms, that for several. */
const english = new Map(ENGLISH.map(([name, text]) => [nameOf(name), text]));

const PLACE_OR_MARK = /\{\w+\}|<\/?\w+>/g;
const fixedIn = (text: string): string[] => (text.match(PLACE_OR_MARK) ?? []).toSorted();
/** Letters in a row, without what stays as it is. */
const wordsIn = (text: string): string[] => text.replaceAll(PLACE_OR_MARK, '').match(/\p{L}{2,}/gu) ?? [];

it('English has texts with places, marks and plural forms', () => {
  expect(ENGLISH.length).toBeGreaterThan(500);
  expect(new Set(ENGLISH.flatMap(([, text]) => fixedIn(text))).size).toBeGreaterThan(20);
});

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const texts = textsIn(language);

  it('have the places and marks of the English ones', () => {
    const wrong = texts.flatMap(([name, text]) => {
      const [expected, found] = [fixedIn(english.get(nameOf(name)) ?? '').join(), fixedIn(text).join()];
      // A form for exactly one, two or none may be a word.
      const isNamed = /\.(?:zero|one|two)$/.test(name) && found === expected.replace(/\{count\},?/, '');
      return expected === found || isNamed ? [] : [{ name, expected, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('close each mark where it was opened, and have no other braces', () => {
    const wrong = texts.filter(([, text]) => {
      let rest = text;
      for (let before = ''; before !== rest; ) {
        before = rest;
        rest = rest.replaceAll(/<(\w+)>([^<>]*)<\/\1>/g, '$2');
      }
      return /[<>]/.test(rest.replaceAll(/\{\{\w+\}\}/g, '')) || /[{}]/.test(rest.replaceAll(/\{\{?\w+\}\}?/g, ''));
    });
    expect(wrong.filter(([name, text]) => text !== english.get(nameOf(name)))).toEqual([]);
  });

  it('have a form for each plural category, and no other', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const byName = Map.groupBy(texts, ([name]) => nameOf(name));
    const wrong = Array.from(byName, ([name, forms]) => ({
      name,
      forms: forms.map(([whole]) => whole.slice(name.length + 1)).toSorted(),
    })).filter(({ forms }) => forms[0] !== '' && forms.join() !== pluralCategories.toSorted().join());
    expect(wrong).toEqual([]);
  });

  it('are not empty, and have no space at their ends that English has not', () => {
    const wrong = texts.filter(([name, text]) => {
      const source = english.get(nameOf(name)) ?? '';
      return text.trim() === '' || /^\s/.test(text) !== /^\s/.test(source) || /\s$/.test(text) !== /\s$/.test(source);
    });
    expect(wrong).toEqual([]);
  });

  it.skipIf(language === 'en')('are translated', () => {
    const same = texts.filter(([name, text]) => text === english.get(nameOf(name)) && wordsIn(text).length > 3);
    expect(same).toEqual([]);
    const translated = texts.filter(([name, text]) => text !== english.get(nameOf(name)));
    expect(translated.length / texts.length).toBeGreaterThan(0.9);
  });
});
