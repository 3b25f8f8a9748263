import type { JSX } from 'preact';
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
  empty = 'The first part of its address. Left empty: made of its title.',
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
  const hint = slug === '' ? empty : `Its address: ${slug}.${document.documentElement.dataset.pages}`;
  return <Field label={label} hint={hint} value={value} onChange={onChange} autoComplete="off" error={error} />;
}
