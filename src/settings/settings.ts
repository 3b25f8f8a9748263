import { z } from 'zod';
import { LANGUAGES } from '../lib/languages.ts';
import { SIZES } from '../sizes.ts';
import {
  confirmation,
  futureOrNull,
  LINE,
  LINES,
  listedRecipients,
  numberOrNull,
  onOff,
  origins,
  plainText,
  recipients,
  spam,
  timeOrNull,
  urlOrNull,
} from './values.ts';

/*
 * Every setting of a deployment, declared once: where it is stored, the values that it takes, and what is said about it. The API, the
 * tools of agents, `formhost settings` and the database derive from this list.
 */

const { maxClosedMessageChars, maxThanksMessageChars, maxRetentionDays, maxSubmissions } = SIZES.settings;
const { maxFieldChars } = SIZES.confirmation;
const { max: defaultRate, seconds: rateSeconds, maxOfOperator } = SIZES.submissionRate;

/** How often mail about submissions comes: for each of them, or for all of an hour or a day in UTC. */
const NOTIFY_EVERY = ['submission', 'hour', 'day'] as const;

/** A setting of a deployment, which is also the name of its column. */
export type Setting = {
  /** Left out: src/db/deployments/settings-queries.ts stores it in another way. */
  column?: {
    table: 'deployments' | 'form_rules';
    type: 'boolean' | 'integer' | 'jsonb' | 'text' | 'text[]' | 'timestamptz';
  };
  /** The values that PATCH takes. */
  schema: z.ZodType;
  /** Its value until an owner changes it. */
  first: unknown;
  /** The text about it in the reference, and a short one for agents. */
  text: string;
  short: string;
  /** A value in the reference. */
  example: unknown;
  /** The values that GET returns, if they are others. */
  answer?: { schema: z.ZodType; example: unknown };
};

/** The most submissions in a minute, up to a limit that the operator may set lower. */
export const submissionsPerMinute = (max: number) => numberOrNull('submissions_per_minute', max);

/** In the order of the reference, and of the errors of one body. */
export const SETTINGS = {
  email_notifications: {
    column: { table: 'deployments', type: 'boolean' },
    schema: onOff('email_notifications'),
    first: false,
    text: 'Whether there is mail about submissions, if the service has a mail server.',
    short: 'Mail about submissions.',
    example: true,
  },
  notify_every: {
    column: { table: 'deployments', type: 'text' },
    schema: z.enum(NOTIFY_EVERY, `notify_every is not known: send ${NOTIFY_EVERY.join(', ')}.`),
    first: 'submission',
    text:
      '`submission`: a mail for each. `hour` and `day`: one mail that lists what came in an hour or a day of UTC. After a change, ' +
      'what no mail has listed is mailed at once.',
    short: 'A mail for each, or one for an hour or a day.',
    example: 'submission',
  },
  notify_owner: {
    column: { table: 'deployments', type: 'boolean' },
    schema: onOff('notify_owner'),
    first: true,
    text: 'Whether the owner gets the mail besides the recipients. While no recipient has confirmed, the owner gets it in any case.',
    short: 'Whether the owner gets it too.',
    example: true,
  },
  recipients: {
    schema: recipients('recipients'),
    first: [],
    text:
      "Who gets the mail besides the owner. Any address but the owner's gets one mail with a link that confirms it, " +
      `and nothing more before. Send the list again to ask again, after ${SIZES.recipient.askHours} hours.`,
    short: 'Who gets the mail besides the owner; others confirm by a link.',
    example: ['ada@example.org'],
    answer: { schema: listedRecipients, example: [{ email: 'ada@example.org', confirmed: true }] },
  },
  redirect_url: {
    column: { table: 'form_rules', type: 'text' },
    schema: urlOrNull('redirect_url'),
    first: null,
    text: "Where a visitor's browser is sent after a success, unless the form's own `_redirect` is valid. null: to a page that thanks.",
    short: 'Where visitors go after a success. null: to a page that thanks.',
    example: 'https://example.org/thanks',
  },
  thanks_message: {
    column: { table: 'form_rules', type: 'text' },
    schema: plainText('thanks_message', maxThanksMessageChars, LINES).nullable(),
    first: null,
    text: 'What visitors read on the page that thanks them. null: a text in the language of the page.',
    short: 'On the page that thanks visitors.',
    example: 'We have your registration. See you on Saturday!',
  },
  allowed_origins: {
    column: { table: 'form_rules', type: 'text[]' },
    schema: origins('allowed_origins'),
    first: [],
    text:
      "Origins of sites whose pages may submit, besides the page's own; submissions from others are a 403. `_redirect` may lead to " +
      'sites among them. Origins of apps count too (`capacitor://localhost`, `ionic://localhost`, `tauri://localhost`, ' +
      '`chrome-extension://…`, `moz-extension://…`, `safari-web-extension://…`), and `"null"` stands for all pages that hide their ' +
      "origin. Requests without an `Origin` are no browser's, and are accepted. Empty: all.",
    short: 'Other sites that may submit, such as https://example.org. Empty: all.',
    example: ['https://example.org'],
  },
  language: {
    column: { table: 'deployments', type: 'text' },
    schema: z
      .enum(LANGUAGES, `language is not one that pages for visitors have: send ${LANGUAGES.join(', ')} or null.`)
      .nullable(),
    first: null,
    text:
      "The language of the pages that visitors see after they have sent a form. null: that of the page's `<html lang>`, else one " +
      "of the browser's Accept-Language, else English.",
    short: "Of visitors' pages. null: that of the page or browser.",
    example: null,
  },
  retention_days: {
    column: { table: 'deployments', type: 'integer' },
    schema: numberOrNull('retention_days', maxRetentionDays, 'days'),
    first: null,
    text: 'Submissions that are older, with their files, are deleted within a day. null: never.',
    short: 'Older submissions are deleted. null: never.',
    example: 365,
  },
  confirmation: {
    column: { table: 'deployments', type: 'jsonb' },
    schema: confirmation.nullable(),
    first: null,
    text:
      'A mail to the visitor, from the service, after a submission is accepted: to the one plain address that is in `field`, once ' +
      'a day at most. In `subject` and `text`, `{{reference}}` is the id of the submission, `{{page}}` the title of the ' +
      'page with its address, and `{{date}}` the day. null: none.',
    short: 'A mail to the visitor. {{reference}}, {{page}} and {{date}} are replaced.',
    example: {
      field: 'email',
      subject: 'We have your message',
      text: 'Thank you. Your reference is {{reference}}.',
    },
  },
  opens_at: {
    column: { table: 'deployments', type: 'timestamptz' },
    schema: timeOrNull('opens_at'),
    first: null,
    text: 'Submissions before this time are a 403. It is before `closes_at`. null: the form is open.',
    short: 'When the form opens: with Z or an offset.',
    example: '2027-03-01T09:00:00.000Z',
  },
  closes_at: {
    column: { table: 'deployments', type: 'timestamptz' },
    schema: timeOrNull('closes_at'),
    first: null,
    text: 'Submissions from this time on are a 403. null: the form stays open.',
    short: '',
    example: null,
  },
  max_submissions: {
    column: { table: 'deployments', type: 'integer' },
    schema: numberOrNull('max_submissions', maxSubmissions),
    first: null,
    text:
      'While so many places are taken, further submissions are a 403. Each takes one, or as many as `places_field` says. Deleting one frees them. ' +
      'Spam takes none: when you release it, its places have to be free. null: no limit.',
    short: 'The form is full then.',
    example: 40,
  },
  places_field: {
    column: { table: 'deployments', type: 'text' },
    schema: plainText('places_field', maxFieldChars, LINE).nullable(),
    first: null,
    text:
      'The name of a field that says how many places of `max_submissions` a submission takes: the whole number that its first value ' +
      'begins with, in ASCII digits, up to 1,000; 1 without one, or for 0. One that takes more than are left is a 403 that says how many ' +
      'are left. A change counts all submissions anew. null: each takes one.',
    short: 'The field whose number says how many places one takes.',
    example: 'guests',
  },
  submissions_per_minute: {
    column: { table: 'deployments', type: 'integer' },
    schema: submissionsPerMinute(maxOfOperator),
    first: null,
    text: `How many submissions are accepted in any ${rateSeconds} seconds; beyond that, a 429. Spam does not count. null: ${defaultRate}.`,
    short: `More are refused. null: ${defaultRate}.`,
    example: 60,
  },
  closed_message: {
    column: { table: 'form_rules', type: 'text' },
    schema: plainText('closed_message', maxClosedMessageChars, LINES).nullable(),
    first: null,
    text:
      'The `error` of the 403s of a form that is not open yet or over, and what visitors read on the page that they get. A form that ' +
      'is full has a text of its own. null: a text in the language of the page.',
    short: 'Shown while the form is not open.',
    example: 'Registration opens on Monday at 10:00 in Berlin.',
  },
  closed_page: {
    column: { table: 'deployments', type: 'boolean' },
    schema: onOff('closed_page'),
    first: false,
    text:
      'While the form is not open yet, over or full, whether the host of the page answers each HTML path with a page that says so ' +
      '(403). Other files stay.',
    short: 'Whether the page itself says that its form is closed.',
    example: true,
  },
  expires_at: {
    column: { table: 'deployments', type: 'timestamptz' },
    schema: futureOrNull('expires_at'),
    first: null,
    text:
      'When the page ends: it goes offline then, and to the trash with its submissions, as DELETE does it. A time in the future. ' +
      'Restoring the page makes it null. null: never.',
    short: 'When the page goes to the trash. null: never.',
    example: '2099-12-31T23:00:00.000Z',
  },
  form_tools: {
    column: { table: 'deployments', type: 'boolean' },
    schema: onOff('form_tools'),
    first: false,
    text:
      'Whether the service makes the forms of the page tools of agents in browsers (WebMCP): to visitors it gives the forms `toolname` and ' +
      '`tooldescription`, and their fields `toolparamdescription`, made of headings and labels. Attributes that are there stay, and a ' +
      'form whose `toolname` is empty gets none.',
    short: 'Whether its forms are tools of agents in browsers.',
    example: true,
  },
  spam: {
    schema: spam,
    first: { blocklist: [], captcha: null },
    text:
      'Submissions are kept apart as spam if their names or values have a word of `blocklist`, as a whole word, whatever the case ' +
      'and the white space in it (`casino*`: a word that begins with it), or if they lack a valid token of `captcha`. Both are ' +
      "replaced, except for the provider's secret.",
    short: 'Submissions with a blocked word, or without a solved captcha, are spam. Both are replaced.',
    example: { blocklist: [], captcha: null },
  },
} satisfies Readonly<Record<string, Setting>>;

type Declared = typeof SETTINGS;
export type SettingName = keyof Declared;

/** Any of the settings, as PATCH takes them: one that is left out stays as it is. */
export type SettingsChange = { [Name in SettingName]?: z.infer<Declared[Name]['schema']> };

/** All settings, as GET returns them. */
export type Settings = {
  [Name in SettingName]: z.infer<
    Declared[Name] extends { answer: { schema: infer Answer } } ? Answer : Declared[Name]['schema']
  >;
};
