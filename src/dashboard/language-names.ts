import { LANGUAGES } from '../lib/languages.ts';

/** Each language by its own name, in the order of the names. */
export const LANGUAGE_OPTIONS = LANGUAGES.map((value) => ({
  value,
  label: new Intl.DisplayNames([value], { type: 'language' }).of(value) ?? value,
})).toSorted((one, other) => one.label.localeCompare(other.label));
