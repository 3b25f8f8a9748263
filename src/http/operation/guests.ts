import { findGuestAccess, type Role } from '../../db/account/guest-queries.ts';
import { NO_ACCOUNT, type Owner } from '../../db/account/owner-queries.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { type DeclaredError, errorKind, HttpError } from '../response/errors.ts';

/*
 * Guests reach the deployments that owners share with them: only by sessions, and only what the declaration of an operation allows
 * their role.
 */

const MAY: Readonly<Record<Role, string>> = {
  reader: 'As a reader of this {deployment}, you may read, mark and export its submissions: ask its owner for more.',
  editor: 'As an editor of this {deployment}, you may not do this: ask its owner.',
};

export const guestRefused = errorKind(
  { id: 'GuestRefused', description: 'The session is that of a guest, whose role does not allow it.' },
  (role: Role = 'reader') => new HttpError(403, MAY[role]),
);

const noAccount = errorKind(
  { id: 'NoAccount', description: 'The session is that of a guest who has no account.' },
  () => new HttpError(403, 'You are a guest here, and have no account: ask the operator for one.'),
);

/** Returns whether credentials can be a guest's. Keys never reach pages of others, and sessions of keys for some pages reach no more than these. */
export const mayBeGuest = ({ via, pages }: Pick<Owner, 'via' | 'pages'>): boolean =>
  via === 'session' && pages === null;

/**
 * Returns the owner of the page that a path names, for a session of a guest of it; otherwise the owner whom the credentials are of. `id`:
 * of the page.
 */
export async function actingOn(owner: Owner, id: string | undefined, db: Database): Promise<Owner> {
  if (id === undefined || !mayBeGuest(owner)) return owner;
  const found = await findGuestAccess(db, owner, id);
  if (!found) return owner;
  const { ownerId, ownerEmail, plan, ...guest } = found;
  return { ...owner, id: ownerId, email: ownerEmail, plan, guest: { ...guest, email: owner.email } };
}

/** The least that an operation needs of who calls it: a role of a guest, or to be the owner of the page. */
type Needed = Role | 'owner';

/** A guest needs the role `guests` to send this field: with this `value`, or with any where `value` is left out. */
export type FieldForGuests = { field: string; value?: string; guests: Needed };

/** An operation as far as guests are concerned, as its declaration has it. */
export type ForGuests = {
  /** The least role that it needs of a guest. Left out: it is the owner's alone. */
  guests?: Role;
  guestFields?: readonly FieldForGuests[];
  /** True if guests without an account are refused. */
  needsAccount?: boolean;
};

/** `account`: anybody with an account. `anybody`: who calls it acts on what is their own. */
export type NeededOfPerson = Needed | 'account' | 'anybody';

/** Returns what an operation needs of who calls it, as the dashboard has to know before it offers it. */
export function neededOf(path: string, { guests, needsAccount }: ForGuests): NeededOfPerson {
  if (OF_PAGE.test(path)) return guests ?? 'owner';
  return needsAccount ? 'account' : 'anybody';
}

/** Returns the refusal of an operation by the role of a guest, if the session is that of one. */
export function refusalOfGuest(
  { guests = 'owner', guestFields = [], needsAccount }: Omit<ForGuests, 'guests'> & { guests?: Needed },
  { id, guest }: Pick<Owner, 'id' | 'guest'>,
  body: Readonly<Record<string, unknown>>,
): HttpError | undefined {
  if (needsAccount && id === NO_ACCOUNT) return noAccount();
  if (!guest) return undefined;
  const isSent = ({ field, value }: FieldForGuests): boolean =>
    value === undefined ? body[field] !== undefined : body[field] === value;
  const needed = [guests, ...guestFields.filter(isSent).map((one) => one.guests)];
  const isAllowed = needed.every((one) => one === 'reader' || one === guest.role);
  return isAllowed ? undefined : guestRefused(guest.role);
}

/** The refusals of guests that an operation can have, for the reference. */
export const guestRefusals = (
  { needsAccount }: Pick<ForGuests, 'needsAccount'>,
  isOfPage: boolean,
): DeclaredError[] => [...(needsAccount ? [noAccount] : []), ...(isOfPage ? [guestRefused] : [])];

/** Matches the paths of what belongs to one deployment of an owner, which may be shared. */
export const OF_PAGE = /^\/(?:deploy|overview|submissions|webhooks)\/:/;
