import { z } from 'zod';
import { SCOPES } from '../../../db/account/api-key-queries.ts';
import { forgetEmailChange } from '../../../db/account/email-change-queries.ts';
import { findUsage, NO_ACCOUNT, type Owner, storeTimeZone } from '../../../db/account/owner-queries.ts';
import { findRefusedMail } from '../../../db/deliveries/mail-failure-queries.ts';
import { VERSION } from '../../../lib/project.ts';
import { refused } from '../../../problems/refusal.ts';
import { literal } from '../../../problems/sentence.ts';
import { mailAddress } from '../../../settings/values.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { perService } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { OPTIONAL_RATE_LIMIT_HEADERS } from '../../request/rate-limit.ts';
import {
  answerObject,
  countField,
  countOrNull,
  flagField,
  textField,
  textOrNull,
} from '../../request/shared-fields.ts';
import { NOTICE_HEADER, refusedMailNotice, takeDownNotices } from '../../response/notice-header.ts';
import { isOperator } from '../operators/operator-access.ts';
import { isTimeZone } from '../submissions/time-buckets.ts';
import { EmailChanges, emailChangeErrors, emailChangeOperations } from './email-change-endpoints.ts';

const Me = answerObject('Me', {
  email: textField("The owner's e-mail address.", 'you@example.com'),
  plan: textOrNull("The owner's plan; null for a guest without an account.", 'free'),
  deployment_limit: countOrNull('How many live deployments the plan allows; null for any number.', 3),
  deployments: countField('How many live deployments there are.', 1),
  storage_limit: countOrNull('How many bytes the plan allows to be stored; null for any number.', 1_000_000_000),
  storage_used: countField(
    'How many bytes pages, their versions and files of submissions have, those in the trash and in spam included.',
    21_548,
  ),
  mail: flagField('Whether this service can send mail.', true),
  version: textField('The version of this service.', '1.0.0'),
  time_zone: textOrNull('The time zone of the times in mails, by its IANA name; null: UTC.', 'Europe/Berlin'),
});

const INVALID_ZONE = 'time_zone is invalid: send the IANA name of a time zone, such as Europe/Berlin, or null for UTC.';
const INVALID_EMAIL = 'email is not an address: send one such as you@example.com.';

const Changes = z.object({
  time_zone: z
    .string(INVALID_ZONE)
    .refine(isTimeZone, refused('unknown-value', INVALID_ZONE))
    .nullable()
    .optional()
    .meta({ description: 'The time zone of the times in mails, by its IANA name; null: UTC.' }),
  email: mailAddress(INVALID_EMAIL).optional().meta({
    description: 'Another e-mail address. It is the one of the account once a link in a mail to it is opened.',
  }),
});

type Exchange = { owner: Owner; notify(sentence: string): void };

/** The owner's account, in the shape of `Me`. */
async function readAccount({ db, config }: App, { owner, notify }: Exchange): Promise<z.infer<typeof Me>> {
  const { email, plan } = owner;
  const hasAccount = owner.id !== NO_ACCOUNT;
  const limit = config.planLimits.get(plan) ?? 0;
  const storageLimit = hasAccount ? (config.storageLimits.get(plan) ?? Number.POSITIVE_INFINITY) : 0;
  const { live, takenDown, storageUsed, timeZone } = await findUsage(db, owner, SIZES.notice.maxNamedPages);
  if (takenDown.total > 0) notify(takeDownNotices(config.abuseContact?.text).pages(takenDown));
  const refused = await findRefusedMail(db, owner, SIZES.notice.maxNamedPages);
  if (refused.total > 0) notify(refusedMailNotice(refused));
  return {
    email,
    plan: hasAccount ? plan : null,
    deployment_limit: Number.isFinite(limit) ? limit : null,
    deployments: live,
    storage_limit: Number.isFinite(storageLimit) ? storageLimit : null,
    storage_used: storageUsed,
    mail: config.smtpUrl !== undefined,
    version: VERSION,
    time_zone: timeZone,
  };
}

/** The answer itself has no field for it: it is of the credentials, and not of the account. */
const SCOPE_HEADER = {
  'formhost-scope': {
    description:
      'What the key, or the session, of this request may do: `full` for everything, `read` for reading only, `publish` for ' +
      'publishing only.',
    schema: { type: 'string', enum: SCOPES },
  },
  'formhost-operator': {
    description: 'Present where the key, or the session, is that of an operator of the service.',
    required: false,
    schema: { type: 'string', const: 'yes' },
  },
} as const;

const getOperation = operation('GET', '/me', 'getMe', {
  scope: 'any',
  tool: {
    name: 'whoami',
    description:
      'The owner of the key, the plan and its use, and what the key may do: its scope and pages (null: all).',
  },
  command: { usage: 'me show', text: 'Show your account, with what your plan allows' },
  summary: 'Get the owner of the key',
  description: 'With the plan, what it allows, and what this service can do.',
  answer: {
    description: 'Who you are, and what your plan allows.',
    headers: { ...NOTICE_HEADER, ...SCOPE_HEADER },
    schema: Me,
  },
  handle(call, app) {
    call.setHeaders({
      'formhost-scope': call.owner.scope,
      ...(isOperator(call.owner, app, 'read') && { 'formhost-operator': 'yes' }),
    });
    return readAccount(app, call);
  },
  /** No tool has the header. */
  handleTool: async (call, app) => ({
    ...(await readAccount(app, call)),
    scope: call.owner.scope,
    pages: call.owner.pages,
  }),
});

const emailChanges = perService((app) => new EmailChanges(app));

const changeOperation = operation('PATCH', '/me', 'changeMe', {
  isOfAccount: true,
  audit: 'account.change',
  needsAccount: true,
  isForOwnerAlone: true,
  command: {
    usage: 'me set',
    text: 'Change your time zone or your e-mail address',
    help: ['A new address is yours once you open the link in the mail to it.', '$ me set --time-zone Europe/Berlin'],
    as: { time_zone: '--time-zone <zone>', email: '--email <address>' },
    texts: {
      time_zone: 'the time zone of the times in mails, such as Europe/Berlin; null is UTC',
      email: 'another e-mail address',
    },
  },
  summary: 'Change your time zone or your e-mail address',
  description:
    'A field that is left out stays as it is. A new address gets a mail with a link, which works once, for ' +
    `${SIZES.emailChange.linkHours} hours; \`email\` changes when it is opened, and the old address gets a mail that says so. ` +
    'A change that waits ends with your present address, a revoked key, or `DELETE /sessions`.',
  body: { schema: Changes, example: { time_zone: 'Europe/Berlin' } },
  answer: {
    description: 'The account, as GET /me answers it. A header says to which address a link was sent.',
    headers: OPTIONAL_RATE_LIMIT_HEADERS,
    schema: Me,
  },
  errors: emailChangeErrors,
  async handle({ owner, request, response, body: { time_zone: timeZone, email }, notify }, app) {
    if (email === owner.email) await forgetEmailChange(app.db, owner.id);
    else if (email !== undefined) {
      await emailChanges(app).ask({ owner, request, response }, email);
      notify(
        `Open the link in the mail to ${literal(email)} within ${SIZES.emailChange.linkHours} hours, to confirm the address`,
      );
    }
    if (timeZone !== undefined) await storeTimeZone(app.db, owner.id, timeZone);
    return readAccount(app, { owner, notify });
  },
});

/** The account of the key's owner. */
export const meOperations = [getOperation, changeOperation, ...emailChangeOperations];
