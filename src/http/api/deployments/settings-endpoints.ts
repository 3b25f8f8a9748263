import { z } from 'zod';
import type { Problem } from '../../../compute/check/answer.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { listRecipients, TooManyAsks } from '../../../db/deliveries/mail-recipient-queries.ts';
import { findHtml } from '../../../db/deployments/deployment-queries.ts';
import { SlugInUse, TooManyRenames } from '../../../db/deployments/former-slug-queries.ts';
import type { NewPage } from '../../../db/deployments/page-version-queries.ts';
import { changeSettings, findSettings, NeverOpen, NoSecret } from '../../../db/deployments/settings-queries.ts';
import { findAdditions } from '../../../db/submissions/form-queries.ts';
import { FIRST_OWNER } from '../../../lib/mail-address.ts';
import { inApiWords, literal } from '../../../problems/sentence.ts';
import type { SettingsChange } from '../../../settings/settings.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { operation } from '../../operation/operation.ts';
import { changedMeanwhile, ETAG_HEADER, ifMatch, ifNoneMatch, wantedTags } from '../../request/conditions.ts';
import { invalidField } from '../../request/json-body.ts';
import { answerObject, deploymentId } from '../../request/shared-fields.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';
import { NO_WIDGET_NOTICE, NOTICE_HEADER, takeDownNotices } from '../../response/notice-header.ts';
import { notModified } from '../../response/static-file.ts';
import { captchaMissing } from './check-endpoints.ts';
import { slugTaken } from './deployment-endpoints.ts';
import { foundOr404, ownDeployment } from './own-deployment.ts';
import { AllSettings, exampleChange, exampleSettings, NEVER_OPEN, settingsChange } from './settings-fields.ts';

const Changed = answerObject('SettingsChanged', { success: z.literal(true), id: deploymentId });

const tooManyAsks = errorKind(
  {
    id: 'TooManyRecipients',
    description: `New recipients would get more than ${SIZES.recipient.maxAsks} mails that ask them, of this owner in ${SIZES.recipient.askHours} hours; also for the reasons of any request with a key.`,
  },
  (retryAfterMs: number) =>
    new HttpError(
      429,
      `Nothing was changed: in ${SIZES.recipient.askHours} hours you can have ${SIZES.recipient.maxAsks} new recipients asked. {Send} fewer, or try again in ${inSeconds(retryAfterMs)}.`,
      retryAfter(retryAfterMs),
    ),
  3_600_000,
);

const tooManyRenames = errorKind(
  {
    id: 'TooManyRenames',
    description: `The deployment has been renamed ${SIZES.formerSlug.maxOfDeployment} times in ${SIZES.formerSlug.keptDays} days; also for the reasons of any request with a key.`,
  },
  (retryAfterMs: number) =>
    new HttpError(
      429,
      `Nothing was changed: ${SIZES.formerSlug.maxOfDeployment} former addresses lead to the {deployment}, each for ${SIZES.formerSlug.keptDays} days. Give it one of these again as its {slug}, or try again in ${inSeconds(retryAfterMs)}.`,
      retryAfter(retryAfterMs),
    ),
  86_400_000,
);

const SETTINGS_PATH = '/deploy/:id/settings';

const MAIL_IS_OFF = 'Mail is off: the operator must set SMTP_URL';
const NO_ADDRESS = `Your address is ${FIRST_OWNER}, which gets no mail: change it under Account or with {PATCH /me}`;

const REFUSED = `the mail server refused it ${SIZES.recipient.maxRefusals} times in a row`;
const OWNER_REFUSED = `Mail to you is off because your address does not work, ${REFUSED}: check it, and {send} {email_notifications} and {notify_owner} true`;
const recipientRefused = (email: string): string =>
  `${literal(email)} gets no mail, ${REFUSED}: check it, and {send} {recipients} again`;
const waitingFor = (emails: readonly string[]): string =>
  `Not confirmed yet, and without mail until then: ${literal(emails.join(', '))}. Each has one mail with a link in ${SIZES.recipient.askHours} hours; {send} {recipients} again for another`;

/** Owners are told this about forms that lack the widget of their captcha. */
function captchaNotice(problems: readonly Problem[]): string | undefined {
  const [first, ...others] = problems;
  if (!first) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more, see {GET /deploy/:id/check}` : '';
  // Header values are ASCII.
  const place = first.file === undefined ? 'the page' : encodeURI(first.file);
  return `Line ${first.line} of ${place}${more}: ${literal(first.message.replace(/\.$/, ''))}`;
}

type Call = { owner: Owner; notify(sentence: string): void };

/** The live page as it is to be rendered, if what the settings add to its forms changes that. */
async function pageToRenew(
  { db, pages: { renderer } }: App,
  owner: Owner,
  { id, slug }: { id: string; slug: string },
  { spam, form_tools: formTools }: SettingsChange,
): Promise<(NewPage & { lacksWidget: boolean }) | undefined> {
  if (!spam && formTools === undefined) return undefined;
  const before = await findAdditions(db, id);
  const hasAltcha = spam ? spam.captcha?.provider === 'altcha' : before.hasAltcha;
  const hasFormTools = formTools ?? before.hasFormTools;
  if (hasAltcha === before.hasAltcha && hasFormTools === before.hasFormTools) return undefined;
  const html = await findHtml(db, owner.id, id);
  return html && renderer.prepare(owner.id, { deploymentId: id, slug, html, hasAltcha, hasFormTools });
}

/** The error of a time that does not go together with the other one, which is stored. */
const neverOpen = ({ opens_at: opensAt }: SettingsChange): HttpError =>
  invalidField([{ pointer: opensAt === undefined ? '/closes_at' : '/opens_at', code: 'conflict', detail: NEVER_OPEN }]);

async function changeOrRefuse(
  app: App,
  owner: Owner,
  deployment: { id: string; slug: string },
  { slug, ...changes }: SettingsChange & { slug?: string },
  etags: readonly string[] | undefined,
): Promise<{ etag: string; slugs: readonly string[]; lacksWidget: boolean }> {
  const hasMail = app.config.smtpUrl !== undefined;
  try {
    const page = await pageToRenew(app, owner, deployment, changes);
    const wanted = { slug, hasMail, page, etags };
    const changed = foundOr404(await changeSettings(app.db, owner, deployment.id, changes, wanted));
    if (changed === 'changed') throw changedMeanwhile(SETTINGS_PATH);
    return { ...changed, lacksWidget: page?.lacksWidget ?? false };
  } catch (error) {
    if (error instanceof TooManyAsks) throw tooManyAsks(error.retryAfterMs);
    if (error instanceof SlugInUse) throw slugTaken();
    if (error instanceof TooManyRenames) throw tooManyRenames(error.retryAfterMs);
    if (error instanceof NeverOpen) throw neverOpen(changes);
    if (!(error instanceof NoSecret)) throw error;
    throw invalidField([
      {
        pointer: '/spam/captcha/secret',
        code: 'missing',
        detail: '{spam.captcha.secret} is missing: {send} the one that the provider gave you.',
      },
    ]);
  }
}

/** Tells the owner why mail does not reach somebody who was just asked for. */
async function tellOfMail(
  { db, config, log }: App,
  { owner, notify }: Call,
  id: string,
  { email_notifications: isSwitchedOn = false, recipients, confirmation }: SettingsChange,
): Promise<void> {
  const hasMail = config.smtpUrl !== undefined;
  if (!isSwitchedOn && recipients === undefined) {
    if (!hasMail && confirmation) notify(MAIL_IS_OFF);
    return;
  }
  const list = await listRecipients(db, id);
  const isAlone = list.length === 0;
  const problems: string[] = [];
  if (isSwitchedOn || !isAlone) {
    if (!hasMail) problems.push(isAlone ? MAIL_IS_OFF : `${MAIL_IS_OFF}. Then {send} {recipients} again`);
    if (owner.email === FIRST_OWNER && isAlone) problems.push(NO_ADDRESS);
  }
  for (const problem of problems) notify(problem);
  const waiting = list.filter(({ isConfirmed }) => !isConfirmed).map(({ email }) => email);
  if (hasMail && waiting.length > 0) notify(waitingFor(waiting));
  if (isSwitchedOn && problems.length > 0) {
    log.warn({ deployment: id }, `mail was switched on, and none will arrive: ${inApiWords(problems.join('; '))}`);
  }
}

const getOperation = operation('GET', SETTINGS_PATH, 'getSettings', {
  guests: 'editor',
  tool: {
    name: 'get_settings',
    description: 'All settings: mail, where visitors are sent, when the form is open, spam, and others.',
  },
  noCommand: '`formhost settings get` prints them as `formhost settings set` takes them.',
  summary: 'Get the settings of a {deployment}',
  description: 'All that can be changed by PATCH, as it is now.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: ifNoneMatch,
  answer: {
    description: 'All settings.',
    headers: { ...NOTICE_HEADER, ...ETAG_HEADER },
    schema: AllSettings,
    example: exampleSettings,
  },
  otherAnswers: { 304: { ...notModified, headers: NOTICE_HEADER } },
  async handle({ owner, resource: { id, takenDownAt }, notify, setHeaders }, { db, config }) {
    const { settings, etag, recipients, isMailRefused } = foundOr404(await findSettings(db, owner.id, id));
    if (takenDownAt) notify(takeDownNotices(config.abuseContact?.text).page);
    if (isMailRefused) notify(OWNER_REFUSED);
    for (const { email } of recipients.filter(({ isOff }) => isOff)) notify(recipientRefused(email));
    setHeaders({ ETag: etag });
    return settings;
  },
});

const changeOperation = operation('PATCH', '/deploy/:id', 'changeSettings', {
  audit: 'settings.change',
  tool: {
    name: 'change_settings',
    description:
      'Changes the settings that are given. For mail: email_notifications true, and recipients, only addresses that the user has ' +
      'given; then test_mail.',
  },
  noCommand: '`formhost settings set` calls it with all settings that are given, and `formhost rename` with a slug.',
  summary: 'Change the settings of a {deployment}',
  description:
    'Fields that are left out stay as they are. A header says so when mail is switched on and none can be sent, or when a form ' +
    'lacks the widget of the captcha. `slug` renames: the old address leads to the new one for ' +
    `${SIZES.formerSlug.keptDays} days, in which no other deployment gets it. A deployment has at most ${SIZES.formerSlug.maxOfDeployment} former addresses.`,
  find: (owner, { id }, app) => ownDeployment(app.db, owner, id),
  requestHeaders: ifMatch(SETTINGS_PATH),
  body: (app) => ({
    schema: settingsChange(app.config),
    example: exampleChange,
  }),
  guests: 'editor',
  // By these a page could go, or lose what was sent.
  guestFields: [
    { field: 'slug', guests: 'owner' },
    { field: 'expires_at', guests: 'owner' },
    { field: 'retention_days', guests: 'owner' },
  ],
  answer: { description: 'The settings are changed.', headers: ETAG_HEADER, schema: Changed },
  errors: [slugTaken, tooManyAsks, tooManyRenames, changedMeanwhile],
  async handle({ owner, response, resource, headers, body: changes, notify, setHeaders }, app) {
    const { id } = resource;
    const { etag, slugs, lacksWidget } = await changeOrRefuse(
      app,
      owner,
      resource,
      changes,
      wantedTags(headers['If-Match']),
    );
    for (const slug of slugs) await app.lifecycle.onDeploymentChange({ deploymentId: id, slug });
    await tellOfMail(app, { owner, notify }, id, changes);
    if (lacksWidget) notify(NO_WIDGET_NOTICE);
    const provider = changes.spam?.captcha?.provider;
    const missing = provider && captchaNotice(await captchaMissing(app, { owner, response }, resource, provider));
    if (missing) notify(missing);
    setHeaders({ ETag: etag });
    return { success: true as const, id };
  },
});

/** The settings of a deployment. */
export const settingsOperations = [getOperation, changeOperation];
