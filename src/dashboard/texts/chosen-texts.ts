import { type Language, toLanguage } from '../../lib/languages.ts';
import type { Forms, Places, Texts } from './translation.ts';

/*
 * The texts of the dashboard in the language of this document, which the service has chosen: see chosen-language.ts. Only these are
 * loaded.
 */

const LOADED: Readonly<Record<Language, () => Promise<{ default: unknown }>>> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  pt: () => import('./pt.ts'),
  it: () => import('./it.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  tr: () => import('./tr.ts'),
  ja: () => import('./ja.ts'),
  zh: () => import('./zh.ts'),
  ar: () => import('./ar.ts'),
};

// Tests of the service, whose types know no browser, import this too.
const { document } = globalThis as { document?: { documentElement: { lang: string } } };

/** The language of the dashboard. Outside a browser it is English. */
export const language: Language = toLanguage(document?.documentElement.lang) ?? 'en';

/** The texts. Those of other languages have the places and marks of the English ones. No module that uses them runs before `loadTexts`. */
export let t: Texts;

/** Loads the texts, before anything else of the dashboard. */
export async function loadTexts(): Promise<void> {
  t = (await LOADED[language]()).default as Texts;
}

/** The language with the region of the browser, where the browser has one for it: it decides how dates and numbers are written. */
export const locale: string =
  globalThis.navigator?.languages?.find((tag) => toLanguage(tag.split('-')[0]?.toLowerCase()) === language) ?? language;

export const numbers = new Intl.NumberFormat(locale);

const plurals = new Intl.PluralRules(locale);

/** Values for the places of a text. Numbers are written as the language does. */
type Values<Name extends string> = Readonly<Record<Name, string | number>>;

/** Returns a text with values in its places. */
export const fill = <Text extends string>(text: Text, values: Values<Places<Text>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_place, name: string) => {
    const value: unknown = Reflect.get(values, name);
    return typeof value === 'number' ? numbers.format(value) : String(value);
  });

/** Returns the form of a text that a number of things needs. It has its places still: for texts with elements in them. */
export function formFor<Texts extends Forms>(forms: Texts, count: number): Texts['other'] {
  const byCategory: Readonly<Partial<Record<Intl.LDMLPluralRule, Texts['other']>>> = forms;
  return byCategory[plurals.select(count)] ?? forms.other;
}

/** Returns the text for a number of things, such as `1 submission` and `12,000 submissions`. `values`: for other places than `{count}`. */
export function counted<Texts extends Forms>(
  forms: Texts,
  count: number,
  ...[values]: [Exclude<Places<Texts['other']>, 'count'>] extends [never]
    ? []
    : [Values<Exclude<Places<Texts['other']>, 'count'>>]
): string {
  return fill<string>(formFor(forms, count), { ...values, count });
}
