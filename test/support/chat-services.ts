import { z } from 'zod';

/*
 * The bodies that chat services accept, as far as they document them: limits, required members, and no others than those that a message
 * of ours has.
 */

/** Discord counts a text without the white space at its ends; an empty one is refused. */
const discordText = (max: number) => z.string().max(max).regex(/\S/);

const DiscordEmbed = z.strictObject({
  title: discordText(256),
  description: discordText(4_096),
  color: z.int().min(0).max(0xffffff),
  fields: z.array(z.strictObject({ name: discordText(256), value: discordText(1_024) })).max(25),
  timestamp: z.iso.datetime(),
});

const Discord = z
  .strictObject({
    embeds: z.array(DiscordEmbed).min(1).max(10),
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  })
  .refine(({ embeds }) => {
    const texts = embeds.flatMap(({ title, description, fields }) => [
      ...[title, description],
      ...fields.flatMap(({ name, value }) => [name, value]),
    ]);
    return texts.join('').length <= 6_000;
  }, 'all embeds together have at most 6,000 characters');

const TextRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  isSubtle: z.boolean().optional(),
});

const Teams = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.enum(['1.2', '1.3', '1.4', '1.5']),
        body: z.array(
          z.strictObject({
            type: z.literal('RichTextBlock'),
            spacing: z.enum(['None', 'Small', 'Default', 'Medium', 'Large']).optional(),
            inlines: z.array(TextRun).min(1),
          }),
        ),
        actions: z
          .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string().min(1), url: z.url() }))
          .max(6),
      }),
    }),
  ]),
});

/** A text in the HTML of cards: no tag, and no other entities than these. */
const cardText = z.string().regex(/^(?:[^<>&]|&(?:amp|lt|gt);)+$/);

const GoogleChat = z.strictObject({
  fallbackText: z.string().min(1),
  cardsV2: z.tuple([
    z.strictObject({
      cardId: z.string().min(1),
      card: z.strictObject({
        header: z.strictObject({ title: z.string().min(1), subtitle: z.string().min(1) }),
        sections: z
          .array(
            z.strictObject({
              widgets: z
                .array(
                  z.union([
                    z.strictObject({ textParagraph: z.strictObject({ text: cardText }) }),
                    z.strictObject({
                      decoratedText: z.strictObject({
                        topLabel: z.string().min(1),
                        text: cardText,
                        wrapText: z.literal(true),
                      }),
                    }),
                    z.strictObject({
                      buttonList: z.strictObject({
                        buttons: z.array(
                          z.strictObject({
                            text: z.string().min(1),
                            onClick: z.strictObject({ openLink: z.strictObject({ url: z.url() }) }),
                          }),
                        ),
                      }),
                    }),
                  ]),
                )
                .min(1)
                .max(100),
            }),
          )
          .min(1),
      }),
    }),
  ]),
});

const Entity = z.union([
  z.strictObject({ type: z.literal('bold'), offset: z.int().min(0), length: z.int().min(1) }),
  z.strictObject({ type: z.literal('text_link'), url: z.url(), offset: z.int().min(0), length: z.int().min(1) }),
]);

const Telegram = z
  .strictObject({
    chat_id: z.string().regex(/^(?:-?\d+|@\w+)$/),
    text: z.string().min(1).max(4_096),
    entities: z.array(Entity).max(100),
    link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
  })
  .refine(
    ({ text, entities }) =>
      entities.every(({ offset, length }) => /^\S[\s\S]*$/.test(text.slice(offset, offset + length))),
    'entities are in the text, and begin with no white space',
  )
  // A user is mentioned by `@` before a word, unless that is in a word, such as an address.
  .refine(({ text }) => !/(?<!\w)@\w/.test(text), 'mentions nobody');

const MAX_BYTES = { discord: 100_000, teams: 28 * 1_024, 'google-chat': 32_000, telegram: 100_000 };
const BODIES = { discord: Discord, teams: Teams, 'google-chat': GoogleChat, telegram: Telegram };

export type Service = keyof typeof BODIES;
export const SERVICES = ['discord', 'teams', 'google-chat', 'telegram'] as const satisfies readonly Service[];

/** Half of a character, and characters that change the order of others or that nobody sees. */
const BAD = /[\ud800-\udfff\u202a-\u202e\u2066-\u2069]/u;

/** Says what a service would refuse in the body of a request; nothing where it accepts it. */
export function refusalsOf(service: Service, body: string): string[] {
  const { error } = BODIES[service].safeParse(JSON.parse(body));
  return [
    ...(error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(Buffer.byteLength(body) > MAX_BYTES[service] ? ['it is too large'] : []),
    ...(textsIn(JSON.parse(body)).some((text) => BAD.test(text)) ? ['it has characters that are none'] : []),
  ];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value instanceof Object ? Object.values(value).flatMap(textsIn) : [];
}

/** The texts of a message as people read them, in their order. */
export function readTexts(service: Service, body: string): string[] {
  const value: unknown = JSON.parse(body);
  switch (service) {
    case 'discord': {
      const { embeds } = Discord.parse(value);
      const shown = embeds.flatMap(({ title, description, fields }) => [
        ...[title, ...description.split('\n')],
        ...fields.flatMap(({ name, value: text }) => [name, text]),
      ]);
      return shown.map((text) => text.replaceAll(/\\([^\w\s])/g, '$1'));
    }
    case 'teams': {
      const [{ content }] = Teams.parse(value).attachments;
      return [
        ...content.body.flatMap(({ inlines }) => inlines.map(({ text }) => text)),
        ...content.actions.map((one) => one.url),
      ];
    }
    case 'google-chat':
      return textsIn(GoogleChat.parse(value)).map((text) =>
        text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
      );
    default: {
      const { text, entities } = Telegram.parse(value);
      return [...text.split('\n'), ...entities.flatMap((one) => ('url' in one ? [one.url] : []))];
    }
  }
}
