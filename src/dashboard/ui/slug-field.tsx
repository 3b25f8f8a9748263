import type { JSX } from 'preact';
import { fill, t } from '../texts/chosen-texts.ts';
import { Field } from './field.tsx';

/** A text as a slug: its letters without accents, and hyphens between its words. */
export const slugOf = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

/** The first part of a page's address. It shows the whole address that a text makes; `slugOf` is that text as a slug. */
export function SlugField({
  label,
  value,
  onChange,
  empty = t.page.address.hintOfNew,
  error,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  /** The hint where nothing is typed. */
  empty?: string;
  error?: string | undefined;
}): JSX.Element {
  const slug = slugOf(value);
  const address = `${slug}.${document.documentElement.dataset.pages}`;
  const hint = slug === '' ? empty : fill(t.page.address.whole, { address });
  return <Field label={label} hint={hint} value={value} onChange={onChange} autoComplete="off" error={error} />;
}
