import { isIP } from 'node:net';
import { z } from 'zod';
import { MAX_AUTHORITY_CHARS } from '../../../forms/origins.ts';
import { EVENTS } from '../../../lib/events.ts';
import { isReachable } from '../../../lib/public-address.ts';
import { receiverProblem } from '../../../lib/webhook-receivers.ts';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import type { Settings } from '../../operation/declaration.ts';
import { invalidField } from '../../request/json-body.ts';

/*
 * The fields by which webhooks are made and changed.
 */

export const TYPES = ['generic', 'slack'] as const;
export const DEFAULT_TYPE = 'generic';

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
        'Slack needs the type `slack`. Discord and Microsoft Teams take neither type: their addresses are refused.',
    });

const type = z
  .enum(TYPES, `type is invalid: use ${TYPES.join(' or ')}.`)
  .meta({
    description: "`generic` posts the fields as JSON, signed; `slack` posts a message in Slack's blocks.",
    default: DEFAULT_TYPE,
  })
  // A type that was sent is treated differently from the default: see receiverProblem.
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
    events: events.prefault([...EVENTS]).meta({ description: 'The events to receive; all events when left out.' }),
  });

/** The body that changes one. */
export const changeBody = (settings: Settings) =>
  z.object({
    url: urlField(settings).optional(),
    events: events.meta({ description: 'The events to receive.' }).optional(),
    active: z
      .boolean('active is not a boolean: send true or false.')
      .meta({ description: 'While it is off, pending deliveries wait, and new submissions are not delivered to it.' })
      .optional(),
  });

/** Throws 400 for an address that can't use what a webhook of this type sends. */
export function checkReceiver(url: string, type: (typeof TYPES)[number] | undefined): void {
  const problem = receiverProblem(new URL(url), type);
  if (problem !== undefined) throw invalidField([{ pointer: '/url', code: 'not-allowed', detail: problem }]);
}
