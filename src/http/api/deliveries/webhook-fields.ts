import { isIP } from 'node:net';
import { z } from 'zod';
import { MAX_AUTHORITY_CHARS } from '../../../forms/origins.ts';
import { EVENTS } from '../../../lib/events.ts';
import { isReachable } from '../../../lib/public-address.ts';
import { FORMATS, type Format, formatAt, formatOf, receiverProblem } from '../../../lib/webhook-receivers.ts';
import { refused } from '../../../problems/refusal.ts';
import type { PlainCode } from '../../../problems/value-errors.ts';
import { SIZES } from '../../../sizes.ts';
import type { Settings } from '../../operation/declaration.ts';
import { invalidField } from '../../request/json-body.ts';
import type { HttpError } from '../../response/errors.ts';
import { headersField } from './webhook-headers.ts';

/*
 * The fields by which webhooks are made and changed.
 */

export const TYPES = ['generic', 'slack'] as const;
export const DEFAULT_TYPE = 'generic';

const SLACK_HAS_ONE = '{format} has no place beside {type: slack}, which is a format of its own: leave it out.';
const CHAT_NEEDED =
  '{chat_id} is required for Telegram: {send} the id of the chat, such as -1001234567890, or @name of a channel.';
const CHAT_UNUSED = '{chat_id} is for Telegram only: leave it out, or {send} {format: telegram}.';

/** A longer one is no host's with a user and a password, and each delivery would parse it: that takes quadratic time. */
const LONG_AUTHORITY = new RegExp(`^https?://[^/?#\\\\]{${2 * MAX_AUTHORITY_CHARS + 1}}`, 'i');

/**
 * Returns whether a text is an absolute http or https URL. Refuses white space, controls and lone surrogates, which URL
 * would correct silently.
 */
const isUrl = (text: string): boolean =>
  /^https?:\/\/[^/\\\s\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$/iu.test(text) &&
  !LONG_AUTHORITY.test(text) &&
  URL.canParse(text);

/** Returns whether the host of a URL is a name, or an address that may be reached. URL has normalised 127.1 and the like. */
function mayDeliverTo({ hostname }: URL, allowedCidrs: Settings['config']['webhookAllowCidrs']): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isReachable(host, allowedCidrs);
}

const urlField = ({ config, delivery: { isOwnUrl } }: Settings) =>
  z
    .string('url is required: send the address that receives the webhook, as a string.')
    // No other check runs on one that is too long: parsing may take time quadratic in its length.
    .max(SIZES.webhook.maxUrlChars, {
      error: `url is too long: use at most ${SIZES.webhook.maxUrlChars} characters.`,
      abort: true,
    })
    .refine(isUrl, {
      ...refused('wrong-format', 'url is invalid: send an absolute http or https URL.'),
      abort: true,
    })
    .refine(
      (text) => !/^https?:\/\/[^/?#\\]*@/i.test(text),
      refused('not-allowed', 'url carries a user or a password: leave them out.'),
    )
    .refine(
      (text) => mayDeliverTo(new URL(text), config.webhookAllowCidrs),
      refused('not-allowed', 'url is an address that webhooks may not reach: use a public one.'),
    )
    .refine(
      (text) => !isOwnUrl(new URL(text)),
      refused('not-allowed', 'url leads back to this service: use the address of a receiver of your own.'),
    )
    .meta({
      format: 'uri',
      short: 'Absolute, http or https.',
      description:
        'Absolute, http or https, without a user or a password, at a public address that is not of this service. An address of ' +
        'Slack needs the type `slack`.',
    });

const type = z
  .enum(TYPES, `type is invalid: use ${TYPES.join(' or ')}.`)
  .meta({
    short: '`slack` for an address of Slack.',
    description: "`generic` posts the fields as JSON, signed; `slack` posts a message in Slack's blocks.",
    default: DEFAULT_TYPE,
  })
  // A type that was sent is treated differently from the default: see receiverProblem.
  .optional();

const format = z
  .enum(FORMATS, `format is invalid: use ${FORMATS.slice(0, -1).join(', ')} or ${FORMATS.at(-1)}.`)
  .meta({
    short: 'Left out: by the address.',
    description:
      'What the messages are. Left out: that of the service whose address `url` is (Discord, Teams, Google Chat, Telegram), otherwise ' +
      '`default`, the body of `generic`. `standard`: the event as Standard Webhooks advises. Not beside the type `slack`.',
  })
  .optional();

const CHAT_ID = /^(?:-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31})$/;

const chatId = z
  .preprocess(
    (value) => (Number.isSafeInteger(value) ? String(value) : value),
    z
      .string('chat_id is not a text: send the id of a chat of Telegram, or null.')
      .regex(
        CHAT_ID,
        'chat_id is no id of a chat of Telegram: send a number such as -1001234567890, or @name of a channel.',
      )
      .nullable(),
  )
  .meta({
    ...{ type: ['string', 'null'], example: '-1001234567890' },
    short: 'The chat of Telegram.',
    description:
      'The chat that gets the messages, for `telegram` only, which needs it: its id, or `@name` of a channel.',
  })
  .optional();

const events = z
  .array(
    z.enum(EVENTS, `events has an unknown name: use ${EVENTS.join(' or ')}.`),
    'events is not a list: send a list of names.',
  )
  .min(1, 'events is empty: name at least one, or leave it out.')
  .max(SIZES.webhook.maxEventNames, 'events is too long: name each once.')
  .transform((names) => [...new Set(names)]);

/** The body that makes a webhook. */
export const creationBody = (settings: Settings) =>
  z.object({
    url: urlField(settings),
    type,
    format,
    chat_id: chatId,
    headers: headersField.optional(),
    events: events.prefault([...EVENTS]).meta({ description: 'The events to receive; all events when left out.' }),
  });

/** The body that changes one. */
export const changeBody = (settings: Settings) =>
  z.object({
    url: urlField(settings).optional(),
    format,
    chat_id: chatId,
    headers: headersField.optional(),
    events: events.meta({ description: 'The events to receive.' }).optional(),
    active: z
      .boolean('active is not a boolean: send true or false.')
      .meta({
        short: 'Whether it gets deliveries.',
        description: 'While it is off, pending deliveries wait, and new submissions are not delivered to it.',
      })
      .optional(),
  });

/** Where a webhook sends what: as it is, or as it is to be made. */
type Target = { url: string; type: (typeof TYPES)[number]; format: Format | null; chatId: string | null };
/** The fields of a request about it. */
type Sent = {
  url?: string | undefined;
  type?: (typeof TYPES)[number] | undefined;
  format?: Format | undefined;
  chat_id?: string | null | undefined;
};

const wrong = (pointer: string, code: PlainCode, detail: string): HttpError =>
  invalidField([{ pointer, code, detail }]);

/** The format that was chosen before, unless the service at an address takes another one only: then that of the address. */
function keptFormat(url: string, before: Target | undefined): Format | null {
  if (!before?.format) return null;
  const address = new URL(url);
  const isOfUse = receiverProblem(address, { type: before.type, format: before.format }) === undefined;
  return isOfUse || formatAt(address) === undefined ? before.format : null;
}

/**
 * The format and the chat of a webhook, from what was sent. Throws 400 for an address that can't use what would be sent, and for
 * fields that do not go together. `before`: the webhook that is changed.
 */
export function targetOf(sent: Sent, before?: Target): Pick<Target, 'format' | 'chatId'> {
  const type = sent.type ?? before?.type ?? DEFAULT_TYPE;
  if (type === 'slack' && sent.format !== undefined) throw wrong('/format', 'conflict', SLACK_HAS_ONE);
  const url = sent.url ?? before?.url ?? '';
  const format = sent.format ?? keptFormat(url, before);
  if (sent.url !== undefined || sent.format !== undefined) {
    const wanted = { type: before?.type ?? sent.type, format: format ?? undefined };
    const problem = receiverProblem(new URL(url), wanted);
    const [pointer, code] =
      sent.url === undefined ? (['/format', 'conflict'] as const) : (['/url', 'not-allowed'] as const);
    if (problem !== undefined) throw wrong(pointer, code, problem);
  }
  const chatId = sent.chat_id === undefined ? (before?.chatId ?? null) : sent.chat_id;
  const isTelegram = formatOf({ url, type, format }) === 'telegram';
  if (isTelegram && chatId === null) throw wrong('/chat_id', 'missing', CHAT_NEEDED);
  if (!isTelegram && typeof sent.chat_id === 'string') throw wrong('/chat_id', 'conflict', CHAT_UNUSED);
  return { format, chatId: isTelegram ? chatId : null };
}
