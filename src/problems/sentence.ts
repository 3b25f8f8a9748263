/*
 * Sentences of errors and notices. Each is a template: names of fields, operations and some words are in braces, so that every
 * client says it in its own words: `{slug} is taken`, `{send} {type: slack}`, `one that {GET /trash} lists`, `no such {deployment}`.
 */

/** Words that clients replace. `once` and `plus` are advice for a person who writes a URL: others leave it out. */
type Word = 'deployment' | 'Deployment' | 'send' | 'Send' | 'null' | 'once' | 'plus';

/** The words of a client. What it has no name for keeps that of the API. */
export type Vocabulary = {
  words: Readonly<Partial<Record<Word, string>>>;
  /** The text between a field and its value; otherwise a colon. */
  beforeValue?: string;
  /** Names a field of the body or the query by its dotted name, a parameter of a path, or a header. */
  field(name: string): string | undefined;
  /** Names an operation by its method and its path: `GET /trash`. */
  operation(route: string): string | undefined;
};

/** A character after a backslash, double braces, which are placeholders of pages and mails, or a name in braces. */
const REFERENCE = /\\([\\{])|(\{\{)|\{([A-Z]+ \/[\w/:.-]*|[A-Za-z][\w.-]*(?:: [\w.-]+)?)\}(?!\})/g;

function wordsFor(reference: string, { words, beforeValue = ': ', field, operation }: Vocabulary): string {
  if (reference.includes(' /')) return operation(reference) ?? reference;
  const [name = '', ...value] = reference.split(': ');
  const byName: Readonly<Record<string, string | undefined>> = words;
  return [byName[name] ?? field(name) ?? name, ...value].join(beforeValue);
}

/** Returns the sentence that a template makes in the words of a client. */
export const render = (template: string, vocabulary: Vocabulary): string =>
  template.replaceAll(
    REFERENCE,
    (_, escaped?: string, braces?: string, reference = '') => escaped ?? braces ?? wordsFor(reference, vocabulary),
  );

const API: Vocabulary = {
  words: { once: ', once', plus: ' In a URL, + is %2B.' },
  field: () => undefined,
  operation: () => undefined,
};

/** Returns the sentence as the API says it: with the names themselves. */
export const inApiWords = (template: string): string => (/[{\\]/.test(template) ? render(template, API) : template);

/** Returns a text from outside, such as the name of a file, as a part of a template that stays as it is. */
export const literal = (text: string): string => text.replaceAll(/[\\{]/g, '\\$&');

/** Returns the name that a value of a body has in sentences, with dots between its parts, by its JSON Pointer. */
export const fieldAt = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');

/** Returns a field and all that it is in, the innermost first: `spam.blocklist.2`, `spam.blocklist`, `spam`. */
function fieldsAround(name: string): string[] {
  const dots = Array.from(name.matchAll(/\./g), ({ index }) => name.slice(0, index));
  return [name, ...dots.toReversed()];
}

/**
 * Returns the sentence of a schema about a value as a template. It begins with the name of the value, or of what that is in, and
 * says after a colon what to send, so that schemas need no braces for these.
 */
export function valueTemplate(path: readonly PropertyKey[], sentence: string): string {
  const own = fieldsAround(path.map(String).join('.')).find((name) => sentence.startsWith(`${name} `));
  const named = own === undefined ? sentence : `{${own}}${sentence.slice(own.length)}`;
  return named.replace(/(?<=: )send\b/, '{send}').replace(/(?<=\bor )null\b/, '{null}');
}
