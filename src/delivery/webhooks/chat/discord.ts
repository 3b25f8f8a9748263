import type { ChatMessage } from './chat-message.ts';
import { shorten, shortenAll } from './shorten.ts';

/*
 * Messages for webhooks of Discord ("Webhook Resource", "Message Resource": Embed Limits).
 */

const MAX_TITLE_CHARS = 256;
/** A name may have 256: all names together leave space to the values. */
const MAX_NAME_CHARS = 150;
const MAX_VALUE_CHARS = 1_024;
const MAX_EMBED_CHARS = 6_000;
/** Title, description, and what Discord might count in another way. */
const OTHER_CHARS = 1_000;

const BLUE = 0x2563eb;
const GREY = 0x6b7280;

/** The body of a request to Discord: an embed. */
export function discordPayload({ title, notes, fields, inbox, createdAt, isTest }: ChatMessage): object {
  const names = fields.map(({ name }) => shorten(markdownPieces(name), MAX_NAME_CHARS));
  const total = MAX_EMBED_CHARS - OTHER_CHARS - names.reduce((sum, { length }) => sum + length, 0);
  const texts = fields.map(({ value }) => value);
  const values = shortenAll(texts, markdownPieces, { total, max: MAX_VALUE_CHARS });
  return {
    embeds: [
      {
        title: shorten(markdownPieces(title), MAX_TITLE_CHARS),
        description: [...notes, `[${inbox.text}](${inbox.url})`].join('\n'),
        color: isTest ? GREY : BLUE,
        fields: names.map((name, at) => ({ name, value: values[at] ?? '' })),
        timestamp: createdAt.toISOString(),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** An address, of which escapes would be a part; a word that pings everybody; what begins a list; any other character. */
const PIECES = /(https?:\/\/[\w\-.~/?#&=%+:;,]+)|@(?=(everyone|here))|^ *([-+]|\d+\.)(?= )|[\s\S]/gmu;
const SPECIAL = /[\\*_~`|<>[\]()#]/g;

/** The pieces of a text in Discord's Markdown, in which nothing has a meaning except addresses. */
function* markdownPieces(text: string): Generator<string> {
  for (const [piece, url, ping, bullet] of text.matchAll(PIECES)) {
    if (url) yield* url;
    else if (ping) yield '@\u200b';
    else if (bullet) yield piece.replace(/[-+.]$/, '\\$&');
    else yield piece.replaceAll(SPECIAL, '\\$&');
  }
}
