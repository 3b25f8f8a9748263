import type { ChatMessage } from './chat-message.ts';
import { jsonBytes, shortenAll } from './shorten.ts';

/*
 * Messages for workflows and incoming webhooks of Microsoft Teams: an Adaptive Card, of which a message may have 28 KB. A TextRun
 * has no Markdown, so that nothing needs an escape, but no line breaks either: a line is a block.
 */

const MAX_VALUES_BYTES = 14_000;
/** Lines of all values together: each is about 90 bytes longer than its text. */
const MAX_LINES = 60;

type Style = Readonly<Record<string, string | boolean>>;

const block = (text: string, style: Style = {}, placed: Style = {}) => ({
  type: 'RichTextBlock',
  ...placed,
  inlines: [{ type: 'TextRun', text, ...style }],
});

/** The lines of a text that are not empty; those beyond `max` are one with the last. */
function linesOf(text: string, max: number): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), lines.slice(max - 1).join(' ')];
}

/** The body of a request to Teams. */
export function teamsPayload({ title, notes, fields, inbox, time }: ChatMessage): object {
  const texts = fields.map(({ value }) => value);
  const limits = { total: MAX_VALUES_BYTES, max: MAX_VALUES_BYTES, sizeOf: jsonBytes };
  const values = shortenAll(texts, (text) => text, limits);
  const maxLines = Math.max(1, Math.floor(MAX_LINES / fields.length));
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: [
      block(title, { size: 'Large', weight: 'Bolder' }),
      ...notes.map((note) => block(note)),
      ...fields.flatMap(({ name }, at) => [
        block(name, { weight: 'Bolder' }, { spacing: 'Medium' }),
        ...linesOf(values[at] ?? '', maxLines).map((line) => block(line, {}, { spacing: 'None' })),
      ]),
      block(time, { size: 'Small', isSubtle: true }, { spacing: 'Medium' }),
    ],
    actions: [{ type: 'Action.OpenUrl', title: inbox.text, url: inbox.url }],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content: card }] };
}

/** Returns whether an incoming webhook has answered 200 although Teams has refused the message, as it does beyond a rate. */
export const isRefusedByTeams = (response: string): boolean =>
  /message delivery failed|endpoint returned HTTP error [45]\d\d/i.test(response);
