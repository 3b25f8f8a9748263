import type { paths } from '../client/api.d.ts';
import { hasAccount, isReadOnly, roleOnPage } from './session.ts';

/*
 * Who may do what, as the operations of the API declare it. A part of a view that calls an operation says which one it needs, and is
 * left out for people whom the service would refuse it.
 */

type Verb = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** An operation by its method and its path: `PATCH /deploy/{id}`. */
export type OperationName = {
  [Path in keyof paths & string]: {
    [One in Verb]: [paths[Path][One]] extends [undefined] ? never : `${Uppercase<One>} ${Path}`;
  }[Verb];
}[keyof paths & string];

/** `nothing`: everybody may. */
export type Needs = OperationName | 'nothing';

type Role = NonNullable<typeof roleOnPage.value>;

/**
 * Returns whether this person may call an operation on a page, in a role; undefined: as its owner. `part`: the field of the body, or
 * its value, that it is about.
 */
export function mayAs(role: Role | undefined, operation: OperationName, part = ''): boolean {
  if (isReadOnly.value && !operation.startsWith('GET ')) return false;
  const needed = NEEDED_BY_OPERATION[`${operation} ${part}`] ?? NEEDED_BY_OPERATION[operation] ?? 'owner';
  if (needed === 'account') return hasAccount.value;
  return needed === 'anybody' || role === undefined || needed === 'reader' || needed === role;
}

/** Returns the same about the page that is shown, or about one's own account where none is. */
export const may = (needs: Needs, part?: string): boolean =>
  needs === 'nothing' || mayAs(roleOnPage.value, needs, part);
