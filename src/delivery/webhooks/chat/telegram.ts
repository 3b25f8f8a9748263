import type { ChatMessage } from './chat-message.ts';
import { shortenAll } from './shorten.ts';

/*
 * Messages for bots of Telegram (Bot API, sendMessage): a text of 4,096 characters, with entities that say what is bold and what is a
 * link, so that nothing needs an escape.
 */

const MAX_CHARS = 4_096;
/** Line feeds between the parts, which are not counted one by one. */
const BREAKS_CHARS = 150;

type Part = { text: string; entity?: { type: 'bold' } | { type: 'text_link'; url: string } };

/** `@` before a word, where no word is before it: Telegram would mention the user with this name. */
const MENTION = /(?<!\w)@(?=\w)/g;
const WORD_JOINER = '\u2060';

const unmentioned = (text: string): string => text.replaceAll(MENTION, `@${WORD_JOINER}`);

/** The body of a request to Telegram. */
export function telegramPayload({ title, notes, fields, inbox, time }: ChatMessage, chatId: string): object {
  const bold = (text: string): Part => ({ text: unmentioned(text), entity: { type: 'bold' } });
  const head = [bold(title), ...notes.map((text) => ({ text }))];
  const names = fields.map(({ name }) => bold(name));
  const end: Part[] = [{ text: time }, { text: inbox.text, entity: { type: 'text_link', url: inbox.url } }];
  const taken = [...head, ...names, ...end].reduce((sum, { text }) => sum + text.length, BREAKS_CHARS);
  const texts = fields.map(({ value }) => unmentioned(value));
  const values = shortenAll(texts, (text) => text, { total: MAX_CHARS - taken, max: MAX_CHARS });
  const blocks = [head, ...names.map((name, at) => [name, { text: values[at] ?? '' }]), end];
  return { chat_id: chatId, ...joined(blocks), link_preview_options: { is_disabled: true } };
}

/** Joins blocks of lines to a text, with the places of its entities in UTF-16 units. */
function joined(blocks: readonly (readonly Part[])[]): { text: string; entities: object[] } {
  let text = '';
  const entities: object[] = [];
  for (const block of blocks) {
    if (text !== '') text += '\n\n';
    for (const [index, part] of block.entries()) {
      if (index > 0) text += '\n';
      if (part.entity) entities.push({ offset: text.length, length: part.text.length, ...part.entity });
      text += part.text;
    }
  }
  return { text, entities };
}
