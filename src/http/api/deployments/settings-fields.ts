import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { NOTIFY_EVERY } from '../../../db/deliveries/digests.ts';
import type { Settings } from '../../../db/deployments/settings.ts';
import { CAPTCHA_PROVIDERS } from '../../../lib/captcha-fields.ts';
import { hasKnownPlaceholders, PLACEHOLDER_LIST } from '../../../lib/confirmation.ts';
import { LANGUAGES } from '../../../lib/languages.ts';
import { isHttpUrl, toOrigin } from '../../../lib/origins.ts';
import { withPlainSpaces } from '../../../lib/whole-words.ts';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import { flagField, LAST_TIME, mailAddress, textField } from '../../request/fields.ts';

/*
 * Every setting of a deployment: the values that it takes, and what the reference says about it. How settings are stored is
 * in src/db/deployments/settings.ts.
 */

const { maxUrlChars, maxOrigins, maxBlocked, maxBlockedChars, maxCredentialChars, maxRetentionDays } = SIZES.settings;
const { maxSubmissions, maxClosedMessageChars } = SIZES.settings;
const { max: defaultRate, seconds: rateSeconds, maxOfOperator } = SIZES.submissionRate;
const { maxOfDeployment: maxRecipients, askHours } = SIZES.recipient;

const onOff = (name: string) => z.boolean(`${name} is not a boolean: send true or false.`);
const tooLong = (name: string, max: number, what = 'characters'): string =>
  `${name} is too long: send at most ${max} ${what}.`;
const unique = (texts: string[]): string[] => [...new Set(texts)];

const NO_URL =
  'redirect_url is not an absolute http or https URL: send one such as https://example.org/thanks, or null.';
const redirectUrl = z
  .string('redirect_url is not a string: send an absolute http or https URL, or null.')
  .max(maxUrlChars, tooLong('redirect_url', maxUrlChars))
  .refine(isHttpUrl, refused('wrong-format', NO_URL));

const NO_ORIGIN =
  'allowed_origins has a value that is not an origin: send each as a scheme and a host, such as https://example.org or capacitor://localhost, without a path, or "null".';
const origin = z
  .string(NO_ORIGIN)
  .refine((value) => toOrigin(value) !== undefined, refused('wrong-format', NO_ORIGIN))
  .overwrite((value) => toOrigin(value) ?? value);

const NO_WORD = `spam.blocklist has an empty word, one with a NUL, or one over ${maxBlockedChars} characters.`;
const blocked = z
  .string('spam.blocklist has a value that is not a string: send words.')
  .min(1, NO_WORD)
  .max(maxBlockedChars, NO_WORD)
  .refine((value) => withPlainSpaces(value).trim() !== '', refused({ code: 'too-short', limit: 1 }, NO_WORD))
  // Postgres refuses NUL.
  .refine((value) => !value.includes('\0'), refused('wrong-format', NO_WORD));

const credential = (name: string) =>
  z
    .string(`${name} is not a string: send the one that the provider gave you.`)
    .min(1, `${name} is empty: send the one that the provider gave you.`)
    .max(maxCredentialChars, tooLong(name, maxCredentialChars));

const captcha = z.object(
  {
    provider: z.enum(CAPTCHA_PROVIDERS, `spam.captcha.provider is not known: send ${CAPTCHA_PROVIDERS.join(', ')}.`),
    site_key: credential('spam.captcha.site_key')
      .exactOptional()
      .meta({ description: 'The public key of the form at the provider.' }),
    secret: credential('spam.captcha.secret').exactOptional().meta({
      description:
        'The secret that belongs to it. It is never read back; left out, the one of the same provider stays. Not for altcha.',
      writeOnly: true,
    }),
  },
  'spam.captcha is not an object: send {"provider": "altcha"}, or null.',
);

const spam = z.object(
  {
    blocklist: z
      .array(blocked, 'spam.blocklist is not a list: send a list of words.')
      .max(maxBlocked, tooLong('spam.blocklist', maxBlocked, 'words'))
      .default([]),
    captcha: captcha.nullable().default(null),
  },
  'spam is not an object: send {"blocklist": [], "captcha": null}.',
);

const { maxFieldChars, maxSubjectChars, maxTextChars } = SIZES.confirmation;
/** Lone surrogates would be changed on their way. */
const LINE = /^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u;
const LINES = /^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u;
const hasControl = (name: string, allowed: RegExp): string =>
  `${name} has ${allowed === LINE ? 'a line break or another' : 'a'} control character: leave it out.`;
const plainText = (name: string, max: number, allowed: RegExp) =>
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
const confirmation = z.object(
  {
    field: plainText('confirmation.field', maxFieldChars, LINE).meta({
      description: "The name of the field with the visitor's address.",
    }),
    subject: withPlaceholders('confirmation.subject', maxSubjectChars, LINE),
    text: withPlaceholders('confirmation.text', maxTextChars, LINES),
  },
  'confirmation is not an object: send {"field": "email", "subject": "…", "text": "…"}, or null.',
);

const timeOrNull = (name: string) =>
  z.iso
    .datetime({
      offset: true,
      abort: true,
      error: `${name} is not a time: send one such as 2027-01-01T09:00:00Z, or null.`,
    })
    // Postgres has no year 0.
    .refine(
      (text) => Date.parse(text) >= 0 && Date.parse(text) <= LAST_TIME,
      refused('not-allowed', `${name} is out of range: send a time from 1970 to 9999, or null.`),
    )
    .overwrite((text) => new Date(text).toISOString())
    .nullable();

/** A field of the settings. `atFirst`: its value until an owner changes it. */
const setting = <Schema extends z.ZodType>(schema: Schema, description: string, atFirst: unknown) =>
  schema.meta({ description: `${description} At first: \`${JSON.stringify(atFirst)}\`.` }).exactOptional();

const numberOrNull = (name: string, max: number, unit = 'one') =>
  z
    .int(`${name} is not a whole number: send ${unit}, or null.`)
    .min(1, `${name} is too low: send at least 1, or null.`)
    .max(max, `${name} is too high: send at most ${max}, or null.`)
    .nullable();

/** `max`: the highest limit that the operator allows. */
const submissionsPerMinute = (max: number) =>
  setting(
    numberOrNull('submissions_per_minute', max),
    `How many submissions are accepted in any ${rateSeconds} seconds; beyond that, a 429. Spam does not count. null: ${defaultRate}.`,
    null,
  );

const NO_ADDRESS_LIST = `recipients is not a list of e-mail addresses: send up to ${maxRecipients} such as ada@example.org, or [].`;
const address = mailAddress(
  'recipients has a value that is not an e-mail address: send each as ada@example.org.',
  NO_ADDRESS_LIST,
).meta({ format: 'email' });

const fields = {
  email_notifications: setting(
    onOff('email_notifications'),
    'Whether there is mail about submissions, if the service has a mail server.',
    false,
  ),
  notify_every: setting(
    z.enum(NOTIFY_EVERY, `notify_every is not known: send ${NOTIFY_EVERY.join(', ')}.`),
    '`submission`: a mail for each. `hour` and `day`: one mail that lists what came in an hour or a day of UTC. After a change, ' +
      'what no mail has listed is mailed at once.',
    'submission',
  ),
  notify_owner: setting(
    onOff('notify_owner'),
    'Whether the owner gets the mail besides the recipients. While no recipient has confirmed, the owner gets it in any case.',
    true,
  ),
  recipients: setting(
    z
      .array(address, NO_ADDRESS_LIST)
      .max(maxRecipients, tooLong('recipients', maxRecipients, 'addresses'))
      .overwrite(unique),
    "Who gets the mail besides the owner. Any address but the owner's gets one mail with a link that confirms it, " +
      `and nothing more before. Send the list again to ask again, after ${askHours} hours.`,
    [],
  ),
  redirect_url: setting(
    redirectUrl.nullable(),
    "Where a visitor's browser is sent after a success, unless the form's own `_redirect` is valid. null: to a page that thanks.",
    null,
  ),
  allowed_origins: setting(
    z
      .array(origin, 'allowed_origins is not a list: send a list of origins such as https://example.org.')
      .max(maxOrigins, tooLong('allowed_origins', maxOrigins, 'origins'))
      .overwrite(unique),
    "Origins of sites whose pages may submit, besides the page's own; submissions from others are a 403. `_redirect` may lead to " +
      'sites among them. Origins of apps count too (`capacitor://localhost`, `ionic://localhost`, `tauri://localhost`, ' +
      '`chrome-extension://…`, `moz-extension://…`, `safari-web-extension://…`), and `"null"` stands for all pages that hide their ' +
      "origin. Requests without an `Origin` are no browser's, and are accepted. Empty: all.",
    [],
  ),
  language: setting(
    z
      .enum(LANGUAGES, `language is not one that pages for visitors have: send ${LANGUAGES.join(', ')} or null.`)
      .nullable(),
    "The language of the pages that visitors see after they have sent a form. null: that of the page's `<html lang>`, else one " +
      "of the browser's Accept-Language, else English.",
    null,
  ),
  retention_days: setting(
    numberOrNull('retention_days', maxRetentionDays, 'days'),
    'Submissions that are older, with their files, are deleted within a day. null: never.',
    null,
  ),
  opens_at: setting(
    timeOrNull('opens_at'),
    'Submissions before this time are a 403. It is before `closes_at`. null: the form is open.',
    null,
  ),
  closes_at: setting(
    timeOrNull('closes_at'),
    'Submissions from this time on are a 403. null: the form stays open.',
    null,
  ),
  max_submissions: setting(
    numberOrNull('max_submissions', maxSubmissions),
    'While there are so many submissions, further ones are a 403. Deleting one frees its place. Spam takes none, and is accepted ' +
      'when you release it, even if the form is full or closed. null: no limit.',
    null,
  ),
  submissions_per_minute: submissionsPerMinute(maxOfOperator),
  closed_message: setting(
    plainText('closed_message', maxClosedMessageChars, LINES).nullable(),
    'The `error` of these 403s, and what visitors read on the page that they get. null: a text in the language of the page.',
    null,
  ),
  spam: setting(
    spam,
    'Submissions are kept apart as spam if their names or values have a word of `blocklist`, as a whole word, whatever the case ' +
      'and the white space in it (`casino*`: a word that begins with it), or if they lack a valid token of `captcha`. Both are ' +
      "replaced, except for the provider's secret.",
    { blocklist: [], captcha: null },
  ),
  confirmation: setting(
    confirmation.nullable(),
    `A mail to the visitor, from the service, after a submission is accepted: to the one plain address that is in \`field\`, once ` +
      `a day at most. In \`subject\` and \`text\`, \`{{reference}}\` is the id of the submission, \`{{page}}\` the address of the ` +
      'page, and `{{date}}` the day. null: none.',
    null,
  ),
};

/** The recipients as GET returns them. */
const recipients = z
  .array(
    z.strictObject({
      email: textField(
        'The address, in lower case, its domain with `xn--` for letters beyond ASCII.',
        'ada@example.org',
      ),
      confirmed: flagField("Whether it has confirmed, or is the owner's own.", true),
    }),
  )
  .max(maxRecipients)
  .meta({ description: 'The addresses that get the mail besides the owner, in the order in which they were sent.' });

export const NEVER_OPEN = 'opens_at is not before closes_at: send an earlier opens_at, or a later closes_at.';

/** PATCH takes any of the settings. */
export const settingsChange = ({ maxSubmissionsPerMinute }: Config) =>
  z
    .object({ ...fields, submissions_per_minute: submissionsPerMinute(maxSubmissionsPerMinute) })
    // Also where another field is wrong: the owner reads all errors at once.
    .refine(({ opens_at: opens, closes_at: closes }) => !(Date.parse(`${opens}`) >= Date.parse(`${closes}`)), {
      ...refused('conflict', NEVER_OPEN),
      path: ['opens_at'],
      when: () => true,
    });
export type SettingsChange = z.infer<ReturnType<typeof settingsChange>>;

const all = { ...fields, recipients: recipients.exactOptional() } satisfies {
  [Name in keyof Settings]: z.ZodExactOptional<z.ZodType<Settings[Name]>>;
};
/** GET returns all of them. */
export const AllSettings = z.strictObject(all).required().meta({ id: 'Settings' });

export const exampleSettings: Settings = {
  email_notifications: true,
  notify_every: 'submission',
  notify_owner: true,
  recipients: [{ email: 'ada@example.org', confirmed: true }],
  redirect_url: 'https://example.org/thanks',
  allowed_origins: ['https://example.org'],
  language: null,
  retention_days: 365,
  opens_at: '2027-03-01T09:00:00.000Z',
  closes_at: null,
  max_submissions: 40,
  submissions_per_minute: 60,
  closed_message: 'Registration opens on Monday at 10:00 in Berlin.',
  spam: { blocklist: [], captcha: null },
  confirmation: {
    field: 'email',
    subject: 'We have your message',
    text: 'Thank you. Your reference is {{reference}}.',
  },
};
