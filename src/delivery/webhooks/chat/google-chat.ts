import type { ChatMessage } from './chat-message.ts';
import { entityPieces, jsonBytes, shortenAll } from './shorten.ts';

/*
 * Messages for webhooks of Google Chat: a card, of which a message may have 32,000 bytes. Its paragraphs have a little HTML; a text in
 * a card mentions nobody.
 */

const MAX_VALUES_BYTES = 18_000;

/** A text in a place without HTML, where it is not known how a service reads tags and mentions such as `<users/all>`. */
const untagged = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›');

const paragraph = (text: string) => ({ textParagraph: { text } });

/** The body of a request to Google Chat. */
export function googleChatPayload({ title, notes, fields, inbox, time }: ChatMessage): object {
  const texts = fields.map(({ value }) => value);
  const values = shortenAll(texts, entityPieces, { total: MAX_VALUES_BYTES, max: MAX_VALUES_BYTES, sizeOf: jsonBytes });
  const widgets = [
    ...notes.map(paragraph),
    ...fields.map(({ name }, at) => ({
      decoratedText: { topLabel: untagged(name), text: values[at] ?? '', wrapText: true },
    })),
    { buttonList: { buttons: [{ text: inbox.text, onClick: { openLink: { url: inbox.url } } }] } },
  ];
  const card = { header: { title: untagged(title), subtitle: time }, sections: [{ widgets }] };
  return { fallbackText: untagged(title), cardsV2: [{ cardId: 'submission', card }] };
}
