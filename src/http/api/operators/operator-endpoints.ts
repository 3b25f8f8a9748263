import { z } from 'zod';
import { pageUrl } from '../../../config.ts';
import { isOneLine } from '../../../db/account/api-key-queries.ts';
import { listWholeAudit } from '../../../db/account/audit-queries.ts';
import {
  changeAccount,
  findAccount,
  findAnyLivePage,
  type ListedPage,
  listAccounts,
  listAllPages,
  listFailing,
  type PageHost,
} from '../../../db/account/operator-queries.ts';
import { beginOwnerDeletion } from '../../../db/account/owner-deletion-queries.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { restore, takeDown } from '../../../db/deployments/take-down-queries.ts';
import { ownerNumber } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { Settings } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { nameOf } from '../../request/hosts.ts';
import { Paging, paged } from '../../request/paging.ts';
import {
  answerObject,
  countField,
  countOrNull,
  deliveryId,
  deploymentId,
  flagField,
  ownerId,
  textField,
  textOrNull,
  time,
  uriField,
  webhookId,
} from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { Entry, entryToWire } from '../account/audit-endpoints.ts';
import { foundOr404 } from '../deployments/own-deployment.ts';
import { isOperator } from './operator-access.ts';

/* What operators may do: the owners whose addresses ADMIN_EMAILS has. For all others, nothing is at these paths. */

const notForOwners = errorKind(
  {
    id: 'NotForOwners',
    description: 'ADMIN_EMAILS does not have your address, the API key is no full one, or a program asks.',
  },
  () => new HttpError(404, 'There is nothing at this path for you: check it against the API reference.'),
);
const noSuchOwner = errorKind(
  { id: 'NoSuchOwner', description: 'There is no such owner, or you are no operator.' },
  () => new HttpError(404, 'No such owner: choose one that {GET /admin/owners} lists.'),
);
const noSuchAnyPage = errorKind(
  { id: 'NoSuchLivePage', description: 'There is no such live page of any owner, or you are no operator.' },
  () => new HttpError(404, 'No such page: choose one that {GET /admin/pages} lists.'),
);
const yourself = errorKind(
  { id: 'Yourself', description: 'An operator would suspend or delete themselves.' },
  () => new HttpError(409, 'This is your own account: another operator can do it.'),
);
const downAlready = errorKind(
  { id: 'DownAlready', description: 'The page is taken down already.' },
  () => new HttpError(409, 'The page is taken down already: {POST /admin/pages/:id/restore} puts it up again.'),
);
const notDown = errorKind(
  { id: 'NotDown', description: 'The page is not taken down.' },
  () => new HttpError(409, 'The page is not taken down: there is nothing to restore.'),
);

/** Throws 404 unless somebody is an operator. */
function checkOperator(owner: Owner, app: App, also: 'full' | 'read'): void {
  if (!isOperator(owner, app, also)) throw notForOwners();
}

const forReading = async (owner: Owner, _params: unknown, app: App): Promise<void> => checkOperator(owner, app, 'read');

const ListedOwner = answerObject('ListedOwner', {
  id: ownerId,
  email: textField("The owner's address.", 'you@example.com'),
  plan: textField("The owner's plan.", 'free'),
  deployments: countField('How many live pages there are.', 2),
  storage_used: countField('How many bytes are stored.', 21_548),
  last_used_at: time.nullable().meta({ description: 'When a key or a browser was last used; null: never.' }),
  suspended: flagField('Whether the owner is suspended.', false),
  created_at: time,
});
const DeletedOwner = answerObject('OwnerDeleted', { message: z.literal('Owner deleted'), id: ownerId });
const Owners = answerObject('Owners', { owners: z.array(ListedOwner), ...paged });
const AnyPage = answerObject('AnyPage', {
  id: deploymentId,
  slug: textField("The label of the page's host.", 'spring-sale'),
  url: uriField('The address of the page.', 'https://spring-sale.pages.example.net'),
  title: textOrNull('The title of the page; null: it has none.', 'Spring sale'),
  owner_email: textField("The owner's address.", 'you@example.com'),
  taken_down: flagField('Whether an operator has taken the page down.', false),
  created_at: time,
});
const AnyPages = answerObject('AnyPages', { pages: z.array(AnyPage), ...paged });
const Failing = answerObject('FailingDelivery', {
  id: deliveryId,
  deployment_id: deploymentId,
  slug: textField("The label of the page's host.", 'spring-sale'),
  owner_email: textField("The owner's address.", 'you@example.com'),
  webhook_id: webhookId.nullable().meta({ description: 'null: it is a mail.' }),
  receiver: textField('The host and port of the webhook; `@mail`: a mail.', 'hooks.example.org:443'),
  status: z.enum(['pending', 'failed']).meta({ description: '`pending`: it is tried again.', example: 'failed' }),
  attempts: countField('How often it was tried.', 8),
  last_status: countOrNull('The status of the last answer; null: there was none.', 500),
  last_error: textOrNull('Why the last attempt has failed.', 'the receiver answered 500'),
  created_at: time,
  updated_at: time,
});
const FailingDeliveries = answerObject('FailingDeliveries', { deliveries: z.array(Failing), ...paged });
const WholeAudit = answerObject('WholeAudit', { entries: z.array(Entry), ...paged });

const { maxQueryChars, maxReasonChars } = SIZES.operator;
const invalidQ = `q is invalid: send at most ${maxQueryChars} characters, once.`;
const q = (what: string, more = '') =>
  z
    .string(invalidQ)
    .max(maxQueryChars, invalidQ)
    .refine(isOneLine, refused('wrong-format', 'q has a control character: leave it out.'))
    .optional()
    .meta({ description: `Only those where ${what} contains this. ${more}`.trim() });

const NO_COMMAND = '`formhost admin` has commands of operators, which use the database.';

const toPage = (page: ListedPage, { config }: App) => toWire(AnyPage, { ...page, url: pageUrl(config, page.slug) });

/** The answer itself has no field for it: it is of the service, and not of an owner. */
const PLANS_HEADER = {
  'formhost-plans': { description: 'The plans of PLAN_LIMITS, between commas.', schema: { type: 'string' } },
} as const;

const ownersOperation = operation('GET', '/admin/owners', 'listAllOwners', {
  noCommand: NO_COMMAND,
  summary: 'List the owners of a service',
  description: 'Newest first. For operators (ADMIN_EMAILS).',
  find: forReading,
  query: Paging.extend({ q: q('the address') }),
  answer: { description: 'A page of owners.', headers: PLANS_HEADER, schema: Owners },
  errors: [notForOwners],
  async handle({ query: { q: text = '', ...paging }, setHeaders }, { db, config: { planLimits } }) {
    setHeaders({ 'formhost-plans': [...planLimits.keys()].join(',') });
    const { rows, total } = await listAccounts(db, text, paging);
    return { owners: rows.map((one) => toWire(ListedOwner, one)), total, ...paging };
  },
});

const changeBody = ({ config: { planLimits } }: Settings) => {
  const plans = [...planLimits.keys()].join(', ');
  const invalidPlan = `plan is invalid: send one of ${plans}.`;
  const plan = z
    .string(invalidPlan)
    .refine((name) => planLimits.has(name), refused('unknown-value', invalidPlan))
    .optional()
    .meta({ description: 'The plan of the owner, one of PLAN_LIMITS.' });
  const suspended = z.boolean('suspended is invalid: send true or false.').optional().meta({
    description:
      'true: the pages of the owner are offline, no key works, and nothing is delivered. false: all is as it was. Nothing is deleted.',
  });
  return { schema: z.object({ plan, suspended }), example: { suspended: true } };
};

/** The number of the owner that an operator changes. Throws 404. */
async function ownerToChange(owner: Owner, { ownerId: given }: { ownerId: string }, app: App): Promise<number> {
  checkOperator(owner, app, 'full');
  const number = foundOr404(ownerNumber(given), noSuchOwner);
  foundOr404(await findAccount(app.db, number), noSuchOwner);
  return number;
}

const changeOperation = operation('PATCH', '/admin/owners/:ownerId', 'changeOwner', {
  audit: 'owner.plan',
  isOfOperators: true,
  noCommand: NO_COMMAND,
  summary: 'Change the plan of an owner, or suspend one',
  description: 'For operators (ADMIN_EMAILS). Every process knows it within a second.',
  find: ownerToChange,
  body: changeBody,
  answer: { description: 'The owner.', schema: ListedOwner },
  errors: [noSuchOwner, yourself],
  async handle({ owner, resource: number, body }, { db }) {
    if (body.suspended && number === owner.id) throw yourself();
    if (!(await changeAccount(db, number, body))) throw noSuchOwner();
    return toWire(ListedOwner, foundOr404(await findAccount(db, number), noSuchOwner));
  },
});

const deleteOperation = operation('DELETE', '/admin/owners/:ownerId', 'deleteOwner', {
  audit: 'owner.delete',
  isOfOperators: true,
  noCommand: '`formhost admin owners delete` does it.',
  summary: 'Delete an owner with everything',
  description:
    'Pages, submissions, files and keys are out of reach at once, and cannot be restored; many submissions take minutes to be removed. Entries ' +
    'of the audit stay. For operators (ADMIN_EMAILS).',
  find: ownerToChange,
  answer: { description: 'The owner is gone.', schema: DeletedOwner },
  errors: [noSuchOwner, yourself],
  async handle({ owner, params: { ownerId: id }, resource: number }, { db, lifecycle: { onPurge } }) {
    if (number === owner.id) throw yourself();
    if (!(await beginOwnerDeletion(db, number))) throw noSuchOwner();
    onPurge();
    return { message: 'Owner deleted' as const, id };
  },
});

/** The host of a text that is a URL, with or without its scheme, or a host: reports of abuse have these. */
function pageHostIn(text: string, { requests: { hosts } }: App): PageHost {
  const url = URL.parse(/^https?:/i.test(text) ? text : `http://${text}`);
  if (!url) return { host: null, label: null };
  const host = nameOf(url.host);
  return { host, label: hosts.slugOf(host) ?? null };
}

const pagesOperation = operation('GET', '/admin/pages', 'listAllPages', {
  noCommand: NO_COMMAND,
  summary: 'List the live pages of all owners',
  description: 'Newest first. For operators (ADMIN_EMAILS).',
  find: forReading,
  query: Paging.extend({
    q: q("the slug, the title, a domain or the owner's address", 'A URL or a host finds its page.'),
  }),
  answer: { description: 'A page of live pages.', schema: AnyPages },
  errors: [notForOwners],
  async handle({ query: { q: text = '', ...paging } }, app) {
    const { rows, total } = await listAllPages(app.db, { q: text, ...pageHostIn(text, app) }, paging);
    return { pages: rows.map((one) => toPage(one, app)), total, ...paging };
  },
});

async function anyPage(owner: Owner, { id }: { id: string }, app: App): Promise<ListedPage> {
  checkOperator(owner, app, 'full');
  return foundOr404(await findAnyLivePage(app.db, id), noSuchAnyPage);
}

const reason = z
  .string('reason is required: send a text that the owner reads.')
  .trim()
  .min(1, 'reason is empty: send a text that the owner reads.')
  .max(maxReasonChars, `reason is too long: send at most ${maxReasonChars} characters.`)
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    refused('wrong-format', 'reason has a NUL or half a character: leave it out.'),
  )
  .meta({ description: `The owner reads it; visitors do not. At most ${maxReasonChars} characters.` });

const takeDownOperation = operation('POST', '/admin/pages/:id/take-down', 'takeDownPage', {
  audit: 'page.take-down',
  isOfOperators: true,
  noCommand: '`formhost admin deployments take-down` does it.',
  summary: 'Take a page of any owner down',
  description: 'Visitors get a 451, and the form accepts no submissions. For operators (ADMIN_EMAILS).',
  ifMissing: '{GET /admin/pages} has the ids of live pages.',
  find: anyPage,
  body: { schema: z.object({ reason }), example: { reason: 'Phishing, reported on Monday' } },
  answer: { description: 'The page is down.', schema: AnyPage },
  errors: [noSuchAnyPage, downAlready],
  async handle({ resource: page, body }, app) {
    if (!(await takeDown(app.db, page.id, body.reason))) throw downAlready();
    await app.lifecycle.onDeploymentChange({ deploymentId: page.id, slug: page.slug });
    return toPage({ ...page, takenDown: true }, app);
  },
});

const restoreOperation = operation('POST', '/admin/pages/:id/restore', 'restorePage', {
  audit: 'page.restore',
  isOfOperators: true,
  noCommand: '`formhost admin deployments restore` does it.',
  summary: 'Put a page up again that was taken down',
  description: 'For operators (ADMIN_EMAILS).',
  ifMissing: '{GET /admin/pages} has the ids of live pages.',
  find: anyPage,
  answer: { description: 'The page is up.', schema: AnyPage },
  errors: [noSuchAnyPage, notDown],
  async handle({ resource: page }, app) {
    if (!(await restore(app.db, page.id))) throw notDown();
    await app.lifecycle.onDeploymentChange({ deploymentId: page.id, slug: page.slug });
    return toPage({ ...page, takenDown: false }, app);
  },
});

const deliveriesOperation = operation('GET', '/admin/deliveries', 'listFailingDeliveries', {
  noCommand: NO_COMMAND,
  summary: 'List the deliveries of all owners that fail',
  description: 'Those whose last attempt has failed, newest first. For operators (ADMIN_EMAILS).',
  find: forReading,
  query: Paging,
  answer: { description: 'A page of deliveries.', schema: FailingDeliveries },
  errors: [notForOwners],
  async handle({ query: paging }, { db }) {
    const { rows, total } = await listFailing(db, paging);
    return { deliveries: rows.map((one) => toWire(Failing, one)), total, ...paging };
  },
});

const auditOperation = operation('GET', '/admin/audit', 'listWholeAudit', {
  noCommand: NO_COMMAND,
  summary: 'List who has changed what, of all owners',
  description: 'Newest first. For operators (ADMIN_EMAILS).',
  find: forReading,
  query: Paging,
  answer: { description: 'A page of entries.', schema: WholeAudit },
  errors: [notForOwners],
  async handle({ query: paging }, { db }) {
    const { rows, total } = await listWholeAudit(db, paging);
    return { entries: rows.map(entryToWire), total, ...paging };
  },
});

const CHECK_STATUSES = ['ok', 'skip', 'warn', 'fail'] as const;
const Checked = answerObject('HealthCheck', {
  name: textField('What was checked.', 'backup'),
  status: z.enum(CHECK_STATUSES).meta({ description: '`skip`: there was nothing to check.', example: 'warn' }),
  message: textField(
    'What was seen, and after `->` what to do about it.',
    'no backup was made -> make one every night',
  ),
});
const Health = answerObject('InstallationHealth', { checks: z.array(Checked) });

const healthOperation = operation('GET', '/admin/health', 'checkInstallation', {
  noCommand: '`formhost admin doctor` does it, without the service too.',
  summary: 'Check settings, database, DNS, TLS, mail and more',
  description:
    'As `formhost admin doctor`, seen from the process that answers; it takes up to some seconds. Those who ask at once get the same findings. ' +
    'For operators (ADMIN_EMAILS).',
  find: forReading,
  takesLong: true,
  answer: { description: 'What the checks have found.', schema: Health },
  errors: [notForOwners],
  async handle({ response }, { health }) {
    // The time of a run is bounded on its own.
    const resumeDeadline = pauseDeadline(response);
    const findings = await health.findings().finally(resumeDeadline);
    return {
      checks: findings.map(({ check, status, saw, ...rest }) => ({
        ...{ name: check, status },
        message: 'mend' in rest ? `${saw} -> ${rest.mend}` : saw,
      })),
    };
  },
});

/** Operations of operators, about all owners. */
export const operatorOperations = [
  ...[ownersOperation, changeOperation, deleteOperation, pagesOperation, takeDownOperation, restoreOperation],
  ...[deliveriesOperation, auditOperation, healthOperation],
];
