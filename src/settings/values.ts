import { z } from 'zod';
import { CAPTCHA_PROVIDERS } from '../forms/captcha-fields.ts';
import { hasKnownPlaceholders, PLACEHOLDER_LIST } from '../forms/confirmation.ts';
import { isHttpUrl, toOrigin } from '../forms/origins.ts';
import { withPlainSpaces } from '../forms/whole-words.ts';
import { isMailAddress, toMailAddress } from '../lib/mail-address.ts';
import { refused } from '../problems/refusal.ts';
import { SIZES } from '../sizes.ts';

/*
 * Values of settings. `name`: the setting as errors name it, with dots inside a setting.
 */

const { maxUrlChars, maxOrigins, maxBlocked, maxBlockedChars, maxCredentialChars } = SIZES.settings;
const { maxFieldChars, maxSubjectChars, maxTextChars } = SIZES.confirmation;
const { maxOfDeployment: maxRecipients } = SIZES.recipient;

const tooLong = (name: string, max: number, what = 'characters'): string =>
  `${name} is too long: send at most ${max} ${what}.`;
const unique = (texts: string[]): string[] => [...new Set(texts)];

export const onOff = (name: string) => z.boolean(`${name} is not a boolean: send true or false.`);

export const numberOrNull = (name: string, max: number, unit = 'one') =>
  z
    .int(`${name} is not a whole number: send ${unit}, or null.`)
    .min(1, `${name} is too low: send at least 1, or null.`)
    .max(max, `${name} is too high: send at most ${max}, or null.`)
    .nullable();

/** Writes a time of RFC 3339 as the schemas of times read it: in upper case, and without a leap second, which no clock here has. */
const withoutLeapSecond = (time: string): string => time.toUpperCase().replace(/:60(?=[.Z+-])/, ':59');

function time(error: string) {
  return z
    .string(error)
    .overwrite(withoutLeapSecond)
    .check(z.iso.datetime({ offset: true, abort: true, error }));
}

export const timeOrNull = (name: string) =>
  time(`${name} is not a time: send one such as 2027-01-01T09:00:00Z, or null.`)
    // Postgres has no year 0.
    .refine(
      (text) => Date.parse(text) >= 0 && Date.parse(text) <= SIZES.lastTimeMs,
      refused('not-allowed', `${name} is out of range: send a time from 1970 to 9999, or null.`),
    )
    .overwrite((text) => new Date(text).toISOString())
    .nullable();

export const futureOrNull = (name: string) =>
  timeOrNull(name).refine(
    (text) => text === null || Date.parse(text) > Date.now(),
    refused('not-allowed', `${name} is in the past: send a time in the future, or null.`),
  );

/** Lone surrogates would be changed on their way. */
export const LINE = /^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u;
export const LINES = /^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u;
const hasControl = (name: string, allowed: RegExp): string =>
  `${name} has ${allowed === LINE ? 'a line break or another' : 'a'} control character: leave it out.`;

export const plainText = (name: string, max: number, allowed: RegExp) =>
  z
    .string(`${name} is not a string: send a text.`)
    .max(max, tooLong(name, max))
    .refine((text) => text.trim() !== '', refused({ code: 'too-short', limit: 1 }, `${name} is empty: send a text.`))
    .refine((text) => allowed.test(text), refused('wrong-format', hasControl(name, allowed)));

const withPlaceholders = (name: string, max: number, allowed: RegExp) =>
  plainText(name, max, allowed).refine(
    hasKnownPlaceholders,
    refused('unknown-value', `${name} has a placeholder that is not known: use ${PLACEHOLDER_LIST}.`),
  );

const credential = (name: string) =>
  z
    .string(`${name} is not a string: send the one that the provider gave you.`)
    .min(1, `${name} is empty: send the one that the provider gave you.`)
    .max(maxCredentialChars, tooLong(name, maxCredentialChars));

/** A mail address as the service writes to it, in lower case. `notAddress`: the answer to another text, and by default to another value. */
export const mailAddress = (notAddress: string, notText = notAddress) =>
  z
    .string(notText)
    .overwrite((text) => toMailAddress(text) ?? text)
    .refine(isMailAddress, refused('wrong-format', notAddress))
    .toLowerCase();

export function urlOrNull(name: string) {
  const noUrl = `${name} is not an absolute http or https URL: send one such as https://example.org/thanks, or null.`;
  return z
    .string(`${name} is not a string: send an absolute http or https URL, or null.`)
    .max(maxUrlChars, tooLong(name, maxUrlChars))
    .refine(isHttpUrl, refused('wrong-format', noUrl))
    .nullable();
}

export function origins(name: string) {
  const noOrigin = `${name} has a value that is not an origin: send each as a scheme and a host, such as https://example.org or capacitor://localhost, without a path, or "null".`;
  const origin = z
    .string(noOrigin)
    .refine((value) => toOrigin(value) !== undefined, refused('wrong-format', noOrigin))
    .overwrite((value) => toOrigin(value) ?? value);
  return z
    .array(origin, `${name} is not a list: send a list of origins such as https://example.org.`)
    .max(maxOrigins, tooLong(name, maxOrigins, 'origins'))
    .overwrite(unique);
}

const NO_WORD = `spam.blocklist has an empty word, one with a NUL, or one over ${maxBlockedChars} characters.`;
const blocked = z
  .string('spam.blocklist has a value that is not a string: send words.')
  .min(1, NO_WORD)
  .max(maxBlockedChars, NO_WORD)
  .refine((value) => withPlainSpaces(value).trim() !== '', refused({ code: 'too-short', limit: 1 }, NO_WORD))
  // Postgres refuses NUL.
  .refine((value) => !value.includes('\0'), refused('wrong-format', NO_WORD));

const captcha = z.object(
  {
    provider: z.enum(CAPTCHA_PROVIDERS, `spam.captcha.provider is not known: send ${CAPTCHA_PROVIDERS.join(', ')}.`),
    site_key: credential('spam.captcha.site_key')
      .exactOptional()
      .meta({ description: 'The public key of the form at the provider.', short: '' }),
    secret: credential('spam.captcha.secret').exactOptional().meta({
      short: 'Left out, it stays.',
      description:
        'The secret that belongs to it. It is never read back; left out, the one of the same provider stays. Not for altcha.',
      writeOnly: true,
    }),
  },
  'spam.captcha is not an object: send {"provider": "altcha"}, or null.',
);

export const spam = z.object(
  {
    blocklist: z
      .array(blocked, 'spam.blocklist is not a list: send a list of words.')
      .max(maxBlocked, tooLong('spam.blocklist', maxBlocked, 'words'))
      .default([]),
    captcha: captcha.nullable().default(null),
  },
  'spam is not an object: send {"blocklist": [], "captcha": null}.',
);

export const confirmation = z.object(
  {
    field: plainText('confirmation.field', maxFieldChars, LINE).meta({
      description: "The name of the field with the visitor's address.",
      short: "That of the visitor's address.",
    }),
    subject: withPlaceholders('confirmation.subject', maxSubjectChars, LINE),
    text: withPlaceholders('confirmation.text', maxTextChars, LINES),
  },
  'confirmation is not an object: send {"field": "email", "subject": "…", "text": "…"}, or null.',
);

export function recipients(name: string) {
  const noList = `${name} is not a list of e-mail addresses: send up to ${maxRecipients} such as ada@example.org, or [].`;
  const noAddress = `${name} has a value that is not an e-mail address: send each as ada@example.org.`;
  return z
    .array(mailAddress(noAddress, noList).meta({ format: 'email' }), noList)
    .max(maxRecipients, tooLong(name, maxRecipients, 'addresses'))
    .overwrite(unique);
}

/** The recipients as GET returns them. */
export const listedRecipients = z
  .array(
    z.strictObject({
      email: z.string().meta({
        description: 'The address, in lower case, its domain with `xn--` for letters beyond ASCII.',
        example: 'ada@example.org',
      }),
      confirmed: z.boolean().meta({ description: "Whether it has confirmed, or is the owner's own.", example: true }),
    }),
  )
  .max(maxRecipients)
  .meta({ description: 'The addresses that get the mail besides the owner, in the order in which they were sent.' });
