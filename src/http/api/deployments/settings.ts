import { z } from 'zod';
import type { Problem } from '../../../compute/check/answer.ts';
import { FIRST_OWNER, type Owner } from '../../../db/account/owners.ts';
import { NOTIFY_EVERY } from '../../../db/deliveries/digests.ts';
import { listRecipients, type Recipient, TooManyAsks } from '../../../db/deliveries/mail-recipients.ts';
import { findHtml } from '../../../db/deployments/deployments.ts';
import type { NewPage } from '../../../db/deployments/page-versions.ts';
import { changeSettings, findSettings, NoSecret, type Settings } from '../../../db/deployments/settings.ts';
import { hasAltcha } from '../../../db/submissions/forms.ts';
import { CAPTCHA_PROVIDERS } from '../../../lib/captcha-fields.ts';
import { LANGUAGES } from '../../../lib/languages.ts';
import { isMailAddress } from '../../../lib/mail-address.ts';
import { SIZES } from '../../../limits.ts';
import type { App } from '../../app.ts';
import { endpoint } from '../../request/endpoint.ts';
import { deploymentId } from '../../request/fields.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';
import { NOTICE_HEADER, takeDownNotices } from '../../response/notice.ts';
import { captchaMissing } from './check.ts';
import { deploymentOr404, noSuchDeployment, ownDeployment } from './own-deployment.ts';

/** The parsed URL, when it is absolute and of http or https. Others than plain texts are not parsed as they read. */
function httpUrl(value: string): URL | undefined {
  if (/[\\\s\p{Cc}]/u.test(value) || !/^https?:\/\/[^/?#@]{1,260}(?:[/?#]|$)/i.test(value)) return undefined;
  return URL.parse(value) ?? undefined;
}

const redirectUrl = z
  .string('redirect_url is not a string: send an absolute http or https URL, or null.')
  .max(SIZES.settings.maxUrlChars, `redirect_url is too long: send at most ${SIZES.settings.maxUrlChars} characters.`)
  .refine((value) => httpUrl(value) !== undefined, {
    error: 'redirect_url is not an absolute http or https URL: send one such as https://example.org/thanks, or null.',
  });

const NO_ORIGIN =
  'allowed_origins has a value that is not an origin: send each as a scheme and a host, such as https://example.org, without a path.';
const origin = z
  .string(NO_ORIGIN)
  .refine((value) => httpUrl(value) !== undefined && !/[*?#]|\/\/.*\//.test(value), { error: NO_ORIGIN, abort: true })
  // As browsers write it: in lower case, without the scheme's own port.
  .overwrite((value) => new URL(value).origin);

const NO_WORD = `spam.blocklist has an empty word, one with a NUL, or one over ${SIZES.settings.maxBlockedChars} characters.`;
const blocked = z
  .string('spam.blocklist has a value that is not a string: send words.')
  .min(1, NO_WORD)
  .max(SIZES.settings.maxBlockedChars, NO_WORD)
  // Postgres refuses NUL.
  .refine((value) => value.trim() !== '' && !value.includes('\0'), NO_WORD);

const credential = (name: string) =>
  z
    .string(`spam.captcha.${name} is not a string: send the one that the provider gave you.`)
    .min(1, `spam.captcha.${name} is empty: send the one that the provider gave you.`)
    .max(
      SIZES.settings.maxCredentialChars,
      `spam.captcha.${name} is too long: send at most ${SIZES.settings.maxCredentialChars} characters.`,
    )
    .exactOptional();

const captcha = z
  .object(
    {
      provider: z.enum(CAPTCHA_PROVIDERS, `spam.captcha.provider is not known: send ${CAPTCHA_PROVIDERS.join(', ')}.`),
      site_key: credential('site_key').meta({ description: 'The public key of the form at the provider.' }),
      secret: credential('secret').meta({
        description:
          'The secret that belongs to it. It is never read back; left out, the one of the same provider stays. Not for altcha.',
        writeOnly: true,
      }),
    },
    'spam.captcha is not an object: send {"provider": "altcha"}, or null.',
  )
  .nullable();

/** Every setting of a deployment: PATCH takes any of them, and GET answers all. */
const fields = {
  email_notifications: z
    .boolean('email_notifications is not a boolean: send true or false.')
    .meta({
      description: 'Whether there is mail about submissions, if the service has a mail server. Off at first.',
    })
    .exactOptional(),
  notify_every: z
    .enum(NOTIFY_EVERY, `notify_every is not known: send ${NOTIFY_EVERY.join(', ')}.`)
    .meta({
      description:
        '`submission`, as at first: a mail for each. `hour` and `day`: one mail that lists what came in an hour or a day of UTC. ' +
        'After a change, what no mail has listed is mailed at once.',
    })
    .exactOptional(),
  notify_owner: z
    .boolean('notify_owner is not a boolean: send true or false.')
    .meta({
      description:
        'Whether the owner gets the mail besides the recipients. On at first. While no recipient has confirmed, the owner gets it in any case.',
    })
    .exactOptional(),
  recipients: z
    .array(
      z.strictObject({
        email: z.string().meta({ description: 'The address, in lower case.' }),
        confirmed: z.boolean().meta({ description: "Whether it has confirmed, or is the owner's own." }),
      }),
    )
    .max(SIZES.recipient.maxOfDeployment)
    .meta({ description: 'Who gets the mail besides the owner, in the order in which they were sent.' })
    .exactOptional(),
  redirect_url: redirectUrl
    .nullable()
    .meta({
      description:
        "Where a visitor's browser is sent after a success, unless the form's own `_redirect` is valid. null: to a page that thanks. " +
        'null at first.',
    })
    .exactOptional(),
  allowed_origins: z
    .array(origin, 'allowed_origins is not a list: send a list of origins such as https://example.org.')
    .max(SIZES.settings.maxOrigins, `allowed_origins is too long: send at most ${SIZES.settings.maxOrigins} origins.`)
    .overwrite((origins) => [...new Set(origins)])
    .meta({
      description:
        "Origins of sites whose pages may submit, besides the page's own; submissions from others are a 403. `_redirect` may lead to " +
        "them. Requests without an `Origin` are no browser's, and are accepted. Empty, as at first: all.",
    })
    .exactOptional(),
  language: z
    .enum(LANGUAGES, `language is not one that pages for visitors have: send ${LANGUAGES.join(', ')} or null.`)
    .nullable()
    .meta({
      description:
        "The language of the pages that visitors see after they have sent a form. null: that of the page's `<html lang>`, else one " +
        "of the browser's Accept-Language, else English. null at first.",
    })
    .exactOptional(),
  retention_days: z
    .int('retention_days is not a whole number: send days, or null.')
    .min(1, 'retention_days is too low: send at least 1, or null.')
    .max(
      SIZES.settings.maxRetentionDays,
      `retention_days is too high: send at most ${SIZES.settings.maxRetentionDays}, or null.`,
    )
    .nullable()
    .meta({
      description:
        'Submissions that are older, with their files, are deleted within a day. null: never. null at first.',
    })
    .exactOptional(),
  spam: z
    .object(
      {
        blocklist: z
          .array(blocked, 'spam.blocklist is not a list: send a list of words.')
          .max(
            SIZES.settings.maxBlocked,
            `spam.blocklist is too long: send at most ${SIZES.settings.maxBlocked} words.`,
          )
          .default([]),
        captcha: captcha.default(null),
      },
      'spam is not an object: send {"blocklist": [], "captcha": null}.',
    )
    .meta({
      description:
        'What is kept apart as spam: submissions that have a word of `blocklist` in their names or values, as a whole word, whatever ' +
        'the case (`casino*` also means words that begin with it), and those ' +
        "without a valid token of `captcha`. Both are replaced, except for the provider's secret. Nothing at first.",
    })
    .exactOptional(),
} satisfies { [Name in keyof Settings]: z.ZodExactOptional<z.ZodType<Settings[Name]>> };

const NO_ADDRESS_LIST = 'recipients is not a list of e-mail addresses: send up to 5 such as ada@example.org, or [].';

/** As PATCH takes it. */
const recipients = z
  .array(
    z
      .string(NO_ADDRESS_LIST)
      .refine(isMailAddress, 'recipients has a value that is not an e-mail address: send each as ada@example.org.')
      .toLowerCase()
      .meta({ format: 'email' }),
    NO_ADDRESS_LIST,
  )
  .max(
    SIZES.recipient.maxOfDeployment,
    `recipients is too long: send at most ${SIZES.recipient.maxOfDeployment} addresses.`,
  )
  .overwrite((emails) => [...new Set(emails)])
  .meta({
    description:
      "Who gets the mail besides the owner. Any address but the owner's gets one mail with a link that confirms it, " +
      `and nothing more before. Send the list again to ask again, after ${SIZES.recipient.askHours} hours.`,
  })
  .exactOptional();

const Change = z.object({ ...fields, recipients });
const All = z.strictObject(fields).required().meta({ id: 'Settings' });
const Changed = z.strictObject({ success: z.literal(true), id: deploymentId }).meta({ id: 'SettingsChanged' });

const example: Settings = {
  email_notifications: true,
  notify_every: 'submission',
  notify_owner: true,
  recipients: [{ email: 'ada@example.org', confirmed: true }],
  redirect_url: 'https://example.org/thanks',
  allowed_origins: ['https://example.org'],
  language: null,
  retention_days: 365,
  spam: { blocklist: [], captcha: null },
};

const tooManyAsks = errorKind(
  {
    id: 'TooManyRecipients',
    description: `New recipients would get more than ${SIZES.recipient.maxAsks} mails that ask them, of this owner in ${SIZES.recipient.askHours} hours; also for the reasons of any request with a key.`,
  },
  (retryAfterMs: number) =>
    new HttpError(
      429,
      `Nothing was changed: in ${SIZES.recipient.askHours} hours you can have ${SIZES.recipient.maxAsks} new recipients asked. Send fewer, or try again in ${inSeconds(retryAfterMs)}.`,
      retryAfter(retryAfterMs),
    ),
  3_600_000,
);

const MAIL_IS_OFF = 'Mail is off: the operator must set SMTP_URL';
const NO_ADDRESS = `Your address is ${FIRST_OWNER}, which gets no mail: the operator must run npm run --silent owners -- set-email ${FIRST_OWNER} you@example.com with your address`;

const REFUSED = `the mail server refused it ${SIZES.recipient.maxRefusals} times in a row`;
const OWNER_REFUSED = `Mail to you is off because your address does not work, ${REFUSED}: check it, and send email_notifications and notify_owner true`;
const recipientRefused = (email: string): string =>
  `${email} gets no mail, ${REFUSED}: check it, and send recipients again`;
const waitingFor = (emails: readonly string[]): string =>
  `Not confirmed yet, and without mail until then: ${emails.join(', ')}. Each has one mail with a link in ${SIZES.recipient.askHours} hours; send recipients again for another`;

/** What owners are told about forms that lack the widget of their captcha. */
function captchaNotice(problems: readonly Problem[]): string | undefined {
  const [first, ...others] = problems;
  if (!first) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more, see GET /deploy/:id/check` : '';
  return `Line ${first.line} of the page${more}: ${first.message.replace(/\.$/, '')}`;
}

/** The settings of a deployment. */
export function settingsEndpoints(app: App) {
  const { db, config, log, renderer, onDeploymentChange } = app;
  const hasMail = config.smtpUrl !== undefined;
  const notices = takeDownNotices(config.abuseContact?.text);

  /** Why no mail would be sent to anybody. */
  const mailProblems = ({ email }: Owner, list: readonly Recipient[]): string[] => [
    ...(hasMail ? [] : [list.length === 0 ? MAIL_IS_OFF : `${MAIL_IS_OFF}. Then send recipients again`]),
    ...(email === FIRST_OWNER && list.length === 0 ? [NO_ADDRESS] : []),
  ];

  /** The live page as it is to be rendered, if switching ALTCHA on or off changes that. */
  async function pageToRenew(
    owner: Owner,
    { id, slug }: { id: string; slug: string },
    { spam }: z.infer<typeof Change>,
  ): Promise<NewPage | undefined> {
    const wantsAltcha = spam?.captcha?.provider === 'altcha';
    if (!spam || wantsAltcha === (await hasAltcha(db, id))) return undefined;
    const html = await findHtml(db, owner.id, id);
    return html && renderer.prepare(owner.id, { deploymentId: id, slug, html, hasAltcha: wantsAltcha });
  }

  async function changeOrRefuse(
    owner: Owner,
    deployment: { id: string; slug: string },
    changes: z.infer<typeof Change>,
  ) {
    try {
      const page = await pageToRenew(owner, deployment, changes);
      return await changeSettings(db, owner, deployment.id, changes, { hasMail, page });
    } catch (error) {
      if (error instanceof TooManyAsks) throw tooManyAsks(error.retryAfterMs);
      if (!(error instanceof NoSecret)) throw error;
      throw new HttpError(400, 'spam.captcha.secret is missing: send the one that the provider gave you.');
    }
  }

  /** Tells the owner why mail does not reach somebody who was just asked for. */
  async function tellOfMail(
    owner: Owner,
    id: string,
    changes: z.infer<typeof Change>,
    notify: (sentence: string) => void,
  ): Promise<void> {
    const isSwitchedOn = changes.email_notifications === true;
    if (!isSwitchedOn && changes.recipients === undefined) return;
    const list = await listRecipients(db, id);
    const problems = isSwitchedOn || list.length > 0 ? mailProblems(owner, list) : [];
    const waiting = list.filter(({ isConfirmed }) => !isConfirmed).map(({ email }) => email);
    for (const problem of problems) notify(problem);
    if (hasMail && waiting.length > 0) notify(waitingFor(waiting));
    if (isSwitchedOn && problems.length > 0) {
      log.warn({ deployment: id }, `mail was switched on, and none will arrive: ${problems.join('; ')}`);
    }
  }

  return {
    get: endpoint({
      method: 'GET',
      path: '/deploy/:id/settings',
      name: 'getSettings',
      tag: 'Deployments',
      summary: 'Get the settings of a deployment',
      description: 'All that can be changed by PATCH, as it is now.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      answer: { status: 200, description: 'All settings.', headers: NOTICE_HEADER, schema: All, example },
      errors: [noSuchDeployment],
      async handle({ owner, resource: { id, takenDownAt }, notify }) {
        const { settings, recipients, isMailRefused } = deploymentOr404(await findSettings(db, owner.id, id));
        if (takenDownAt) notify(notices.page);
        if (isMailRefused) notify(OWNER_REFUSED);
        for (const { email } of recipients.filter(({ isOff }) => isOff)) notify(recipientRefused(email));
        return settings;
      },
    }),

    change: endpoint({
      method: 'PATCH',
      path: '/deploy/:id',
      name: 'changeSettings',
      tag: 'Deployments',
      summary: 'Change the settings of a deployment',
      description:
        'What is left out stays as it is. When mail is switched on and none can be sent, or a form lacks the widget of the captcha ' +
        'that is switched on, a header of the answer says so.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      body: {
        schema: Change,
        example: { ...example, recipients: ['ada@example.org'] },
        maxBytes: SIZES.body.settingsBytes,
      },
      answer: {
        status: 200,
        description: 'The settings are changed.',
        headers: NOTICE_HEADER,
        schema: Changed,
        example: { success: true, id: 'd_0VbbZBZKKTcBD17YQfyDgVGm' },
      },
      errors: [noSuchDeployment, tooManyAsks],
      async handle({ owner, response, resource, body: changes, notify }) {
        const { id } = resource;
        const { slug } = deploymentOr404(await changeOrRefuse(owner, resource, changes));
        onDeploymentChange({ deploymentId: id, slug });
        await tellOfMail(owner, id, changes, notify);
        const provider = changes.spam?.captcha?.provider;
        const missing = provider && captchaNotice(await captchaMissing(app, { owner, response }, resource, provider));
        if (missing) notify(missing);
        return { success: true as const, id };
      },
    }),
  };
}
