import { z } from 'zod';
import {
  changeRole,
  checkInvitation,
  guestExists,
  inviteGuest,
  listGuests,
  ROLES,
  removeGuest,
} from '../../../db/account/guest-queries.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { findTitles } from '../../../db/deployments/overview-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { findForms } from '../../../db/submissions/form-queries.ts';
import { hashOfKey, newToken } from '../../../lib/ids.ts';
import { mailAddress } from '../../../settings/values.ts';
import { pageName } from '../../../sites/page-name.ts';
import { SIZES } from '../../../sizes.ts';
import { perService } from '../../operation/declaration.ts';
import { guestRefused } from '../../operation/guests.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { answerObject, guestId, textField, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError, noSuchDeployment, retryAfter } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { translationsFor } from '../../response/translations.ts';
import { foundOr404, missing, ownDeployment } from '../deployments/own-deployment.ts';

const { maxPerDeployment, invitations, linkDays } = SIZES.guest;

const role = z.enum(ROLES, `role is invalid: send ${ROLES.join(' or ')}.`).meta({
  description:
    '`reader`: reads, marks, notes and exports submissions. `editor`: also deletes and restores them, releases spam, and changes the page and its settings.',
  short: 'reader or editor.',
  example: 'reader',
});
const email = mailAddress(
  'email is not an address: send one such as you@example.com.',
  'email is missing: send an address as a string.',
);

const Shown = answerObject('Guest', {
  id: guestId,
  email: textField("The guest's e-mail address.", 'grace@example.org'),
  role,
  invited_at: time,
  accepted_at: time.nullable().meta({ description: 'When the guest first signed in; null: not yet.', example: null }),
});
const Guests = answerObject('Guests', { guests: z.array(Shown), ...paged });
const Removed = answerObject('GuestRemoved', { message: z.literal('Guest removed'), id: guestId });

const noSuchGuest = missing(
  'NoSuchGuest',
  'or no such guest of it',
  'No such guest: choose one that {GET /deploy/:id/guests} lists.',
);
const knownGuest = errorKind(
  { id: 'KnownGuest', description: "The address is that of a guest of the deployment, or the owner's own." },
  () => new HttpError(409, 'This address is a guest already, or your own: send another one.'),
);
const tooManyGuests = errorKind(
  { id: 'GuestLimit', description: `The deployment has ${maxPerDeployment} guests.` },
  () => new HttpError(409, `The {deployment} has ${maxPerDeployment} guests: remove one first.`),
);
const noInvitations = errorKind(
  { id: 'NoInvitations', description: 'The service has no mail server, which invitations need.' },
  () => new HttpError(403, 'This service sends no mail, which invitations need: ask its operator to set SMTP_URL.'),
);
const tooManyInvitations = errorKind(
  {
    id: 'TooManyInvitations',
    description: `The owner has invited ${invitations.max} guests in an hour, or the address was invited as often, by all owners.`,
    isCounted: true,
  },
  (leftMs: number) => new HttpError(429, 'Too many guests were invited: try again later.', retryAfter(leftMs)),
  invitations.seconds * 1_000,
);

const REFUSALS = { 'no-deployment': noSuchDeployment, known: knownGuest, 'limit-reached': tooManyGuests } as const;

/** The invitations of all processes: each is a mail to somebody who has not asked for it. */
const invitationsOf = perService(({ db }) => {
  const limit = { ...invitations, refusal: tooManyInvitations, sharedIn: db };
  return {
    ofOwner: new RateLimit({ name: 'invitations', ...limit }),
    // Several accounts could be one person's. Nobody learns from it who else invites an address.
    ofAddress: new RateLimit({ name: 'invitations-of-address', ...limit, isDiscreet: true }),
  };
});

/** The id of a guest of the owner's live deployment; throws 404. */
async function ownGuest(db: Database, owner: Owner, ids: { id: string; guestId: string }): Promise<string> {
  const { id } = await ownDeployment(db, owner, ids.id);
  if (!(await guestExists(db, id, ids.guestId))) throw noSuchGuest();
  return ids.guestId;
}

const inviteOperation = operation('POST', '/deploy/:id/guests', 'inviteGuest', {
  audit: 'guest.add',
  command: {
    usage: 'guests invite <id> <email>',
    text: 'Invite somebody by mail to read or edit a page',
    help: ['$ guests invite contact grace@example.org --role reader'],
    texts: { role: 'reader or editor' },
    prints: (guest) => guest.id,
    says: (guest) => `invited ${guest.email} as ${guest.role}; a mail with a link is on its way`,
  },
  summary: 'Invite a guest to a {deployment}',
  description:
    `Somebody who signs in with this address reaches the deployment in the dashboard, by the role. A mail brings a link that signs in once, for ${linkDays} days. ` +
    `At most ${maxPerDeployment} guests a deployment, and ${invitations.max} invitations an hour, of an owner and to an address.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  body: { schema: z.object({ email, role }), example: { email: 'grace@example.org', role: 'reader' } },
  answer: { status: 201, description: 'The guest.', headers: RATE_LIMIT_HEADERS, schema: Shown },
  errors: [noInvitations, knownGuest, tooManyGuests, tooManyInvitations],
  async handle({ owner, request, response, resource, body }, app) {
    const {
      db,
      log,
      config: { baseUrl },
      delivery: { mailAccount },
    } = app;
    if (!mailAccount) throw noInvitations();
    // Before it is counted: what is refused is no invitation.
    const problem = await checkInvitation(db, resource.id, body.email);
    if (problem) throw REFUSALS[problem]();
    const { ofOwner, ofAddress } = invitationsOf(app);
    await ofOwner.countOwner({ owner, request, response });
    await ofAddress.count(body.email, { request, response });
    const token = newToken();
    const guest = await inviteGuest(db, resource.id, { ...body, hash: hashOfKey(token) });
    if (typeof guest === 'string') throw REFUSALS[guest]();
    const title = (await findTitles(db, [resource.id])).get(resource.id) ?? null;
    const page = pageName({ slug: resource.slug, title });
    const [form] = await findForms(db, [resource.id]);
    // The page's language alone: the headers are those of the owner.
    const { language } = translationsFor({}, form);
    const mail = { language, page, inviter: owner.email, role: guest.role, url: `${baseUrl}/invitations/${token}` };
    mailAccount(guest.email, { kind: 'invitation', ...mail }).catch((error: unknown) =>
      log.warn({ err: error }, 'an invitation was not sent'),
    );
    return toWire(Shown, guest);
  },
});

const listOperation = operation('GET', '/deploy/:id/guests', 'listGuests', {
  command: {
    usage: 'guests list <id>',
    text: 'List the guests of a page, and when each first signed in',
    table: {
      columns: ['ID', 'EMAIL', 'ROLE', 'INVITED', 'ACCEPTED'],
      rows: ({ guests }) =>
        guests.map((guest) => [guest.id, guest.email, guest.role, guest.invited_at, guest.accepted_at]),
    },
  },
  summary: 'List the guests of a {deployment}',
  description: 'Oldest first.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: Paging,
  answer: { description: 'A page of guests.', schema: Guests },
  async handle({ resource: { id }, query: paging }, { db }) {
    const { rows, total } = await listGuests(db, id, paging);
    return { guests: rows.map((guest) => toWire(Shown, guest)), total, ...paging };
  },
});

const changeOperation = operation('PATCH', '/deploy/:id/guests/:guestId', 'changeGuest', {
  audit: 'guest.change',
  command: {
    usage: 'guests change <id> <guest>',
    text: 'Give a guest another role',
    help: ['$ guests change contact gst_0Vbb… --role editor'],
    texts: { role: 'reader or editor' },
    prints: (guest) => guest.id,
    says: (guest) => `${guest.email} is now ${guest.role}`,
  },
  summary: 'Give a guest another role',
  description: 'It counts for the next request of the guest.',
  find: (owner, ids, { db }) => ownGuest(db, owner, ids),
  body: { schema: z.object({ role }), example: { role: 'editor' } },
  answer: { description: 'The guest.', schema: Shown },
  errors: [noSuchGuest],
  handle: async ({ params: { id: deploymentId }, resource: id, body }, { db }) =>
    toWire(Shown, foundOr404(await changeRole(db, deploymentId, id, body.role), noSuchGuest)),
});

const removeOperation = operation('DELETE', '/deploy/:id/guests/:guestId', 'removeGuest', {
  audit: 'guest.remove',
  guests: 'reader',
  command: {
    usage: 'guests remove <id> <guest>',
    text: 'Remove a guest',
    prints: ({ id }) => id,
    says: () => 'removed: the guest reaches the page no more',
  },
  summary: 'Remove a guest',
  description: 'The access ends within a second, in every process. Guests may remove themselves.',
  find: (owner, ids, { db }) => ownGuest(db, owner, ids),
  answer: { description: 'The guest is removed.', schema: Removed },
  errors: [noSuchGuest],
  async handle({ owner: { guest }, params: { id: deploymentId }, resource: id }, { db }) {
    if (guest && guest.id !== id) throw guestRefused(guest.role);
    if (!(await removeGuest(db, deploymentId, id))) throw noSuchGuest();
    return { message: 'Guest removed' as const, id };
  },
});

/** The guests of a deployment: people whom its owner lets read or edit it. */
export const guestOperations = [listOperation, inviteOperation, changeOperation, removeOperation];
