import type english from './en.ts';

/*
 * The types of texts. A text may have places for values, such as `{email}`, and marks around parts, such as `<strong>Check</strong>`.
 */

/** All texts of the dashboard, as English has them. */
export type Texts = typeof english;

/** A text about a number of things, by the plural categories that English has. `{count}` is the place of the number. */
export type Forms = Readonly<Record<'one' | 'other', string>>;

/** A part of the texts in another language. */
type Translated<Part, Category extends Intl.LDMLPluralRule> = Part extends string
  ? string
  : Part extends Forms
    ? Readonly<Record<Category, string>>
    : { readonly [Name in keyof Part]: Translated<Part[Name], Category> };

/** All texts in another language. `Category`: the plural categories that Intl.PluralRules has for it. */
export type Translation<Category extends Intl.LDMLPluralRule> = Translated<Texts, Category>;

/** The names of the places in a text. */
export type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never;

/** The names of the marks in a text. */
export type Marks<Text extends string> = Text extends `${string}</${infer Name}>${infer Rest}`
  ? Name | Marks<Rest>
  : never;
