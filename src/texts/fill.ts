/** Puts values, which are HTML as well, into their places in a text. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_place, name: string) => values[name] ?? '');
