import type { JSX } from 'preact';
import type { Language } from '../../lib/languages.ts';
import { LANGUAGE_OPTIONS } from '../language-names.ts';
import { t } from '../texts/chosen-texts.ts';
import { Select } from './field.tsx';

/** The choice of the language of the dashboard; undefined: that of the browser. */
export const LanguageChoice = ({
  language,
  onChange,
}: {
  language: Language | undefined;
  onChange(language: Language | undefined): void;
}): JSX.Element => (
  <Select<Language | 'browser'>
    label={t.account.language.title}
    value={language ?? 'browser'}
    options={[{ value: 'browser', label: t.account.language.asBrowser }, ...LANGUAGE_OPTIONS]}
    onChange={(value) => onChange(value === 'browser' ? undefined : value)}
  />
);
