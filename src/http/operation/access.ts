import type { Scope } from '../../db/account/api-key-queries.ts';
import type { Owner } from '../../db/account/owner-queries.ts';
import { errorKind, HttpError } from '../response/errors.ts';

/*
 * Which requests may call an operation, by the credentials that they carry. operation.ts asks here, and nothing else decides it.
 */

/** Scopes that may call an operation, by the least that it needs. `any`: each scope, for operations that read pages. */
const ALLOWED = {
  any: ['full', 'read', 'publish'],
  read: ['full', 'read'],
  publish: ['full', 'publish'],
  full: ['full'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/** The least that an operation needs of the scope of a key. */
export type NeededScope = keyof typeof ALLOWED;

const MAY_ONLY: Readonly<Record<Scope, string>> = {
  full: '',
  read: 'This API key may only read: use a key with the scope full.',
  publish:
    'This API key may only publish pages: use a key with the scope read for submissions, or full for everything.',
};

const narrowScope = errorKind(
  { id: 'NarrowScope', description: 'The scope of the API key, `read` or `publish`, does not allow it.' },
  (scope: Scope = 'read') => new HttpError(403, MAY_ONLY[scope]),
);

const keyForPages = errorKind(
  { id: 'KeyForPages', description: 'The API key is for some pages only, and this is about the whole account.' },
  () => new HttpError(403, 'This API key is for some {deployment}s only: use a key without pages.'),
);

const notForPrograms = errorKind(
  { id: 'NotForPrograms', description: 'The request has an access token of a program, and no key.' },
  () => new HttpError(403, 'Programs may not do this: use a key, or the dashboard.'),
);

/** An operation as far as access depends on it. */
export type Guarded = {
  scope: NeededScope;
  isOfAccount?: boolean | undefined;
  isForOwnerAlone?: boolean | undefined;
};

/** Returns the refusal of an operation by its owner's credentials, if they do not suffice for it. */
export function refusalOf(
  { scope, isOfAccount, isForOwnerAlone }: Guarded,
  owner: Pick<Owner, 'scope' | 'pages' | 'via'>,
): HttpError | undefined {
  const allowed: readonly Scope[] = ALLOWED[scope];
  if (!allowed.includes(owner.scope)) return narrowScope(owner.scope);
  if (isForOwnerAlone && owner.via === 'grant') return notForPrograms();
  return isOfAccount && owner.pages !== null ? keyForPages() : undefined;
}

/** The refusals that an operation can have, for the reference. */
export const refusalsFor = ({ scope, isOfAccount, isForOwnerAlone }: Guarded) => [
  ...(scope === 'any' ? [] : [narrowScope]),
  ...(isForOwnerAlone ? [notForPrograms] : []),
  ...(isOfAccount ? [keyForPages] : []),
];

/** Parameters of paths that name a deployment. */
const PAGE_PARAMETERS = ['id', 'deployId'] as const;

/**
 * The parameters of a path as these credentials see them. A page that is none of theirs gets an id that no page has, so that the
 * answer is the one about a page that does not exist.
 */
export function visibleTo(
  { pages }: Pick<Owner, 'pages'>,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const hidden = PAGE_PARAMETERS.filter((name) => params[name] !== undefined && !pages?.includes(params[name]));
  return pages === null || hidden.length === 0
    ? params
    : { ...params, ...Object.fromEntries(hidden.map((name) => [name, ''])) };
}
