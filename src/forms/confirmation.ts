/** The mail that a visitor gets after a submission. `field`: the name of the field with the visitor's address. */
export type Confirmation = { field: string; subject: string; text: string };

const PLACEHOLDERS = ['reference', 'page', 'date'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** The placeholders that a confirmation may have, as people write them. */
export const PLACEHOLDER_LIST = PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ');

const KNOWN = new RegExp(`\\{\\{(${PLACEHOLDERS.join('|')})\\}\\}`, 'g');

/** Returns whether every `{{` begins a placeholder that is known. */
export const hasKnownPlaceholders = (text: string): boolean => !text.replaceAll(KNOWN, ' ').includes('{{');

/** A text with values in place of its placeholders. */
export const fillIn = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replaceAll(KNOWN, (_, name: Placeholder) => values[name]);
