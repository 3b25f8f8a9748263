/*
 * Sentences of the API, in the words of the command line: the API names fields and paths, a person has typed options and commands.
 */

const REPLACEMENTS: readonly [pattern: RegExp, replacement: string][] = [
  // Fields of a request.
  [/^slug is taken: .*/, 'the slug is taken: choose another with --slug.'],
  [/^from is not before to: .*/, '--from is not before --to: give an earlier --from, or a later --to.'],
  [/^(slug|from|to|by|tz|type|events|name|scope)(?= is | has )/, '--$1'],
  [/^expires_at\b/, '--expires'],
  [/^Last-Event-ID\b/, '--after'],
  [/^(?:html|The body)\b/, 'the page'],
  [/^q\b/, 'the query'],
  [/^url\b/, 'the address'],
  [/^domain\b/, 'the domain'],
  [/\bdeployment(?=s?\b)/g, 'page'],
  [/, once\. In a URL, \+ is %2B\.$/, '.'],
  // Requests of the API.
  [/\bsend type: /g, 'give --type '],
  [/\bsend (?=recipients|email_notifications)/g, 'set '],
  [/(?<=: )send\b/, 'give'],
  [/go on from the cursor of an answer/, 'give --after the id of one'],
  [/0, the id of a submission, or the cursor of an answer/, '0 or the id of a submission'],
  [/^No such webhook: check the id/, 'No such webhook: choose one that `formhost webhooks list` shows'],
  [/^No such delivery: check the id/, 'No such delivery: choose one that `formhost webhooks log` shows'],
  [/^No such spam: check the ids/, '$&, which `formhost spam list` shows'],
  [/GET \/keys\b/g, '`formhost keys list`'],
  [/GET \/trash\b/g, '`formhost trash list`'],
  [/GET \/deploy\/:id\/domains lists/g, '`formhost domains list` shows'],
  [/GET \/deploy\/:id\/versions\b/g, '`formhost versions`'],
  [/GET \/deploy\/:id\/settings\b/g, '`formhost settings get`'],
  [/GET \/deploy\/:id\/check\b/g, '`formhost check`'],
];

export const inWordsOfCommands = (sentence: string): string =>
  REPLACEMENTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sentence);
