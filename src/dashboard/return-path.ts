import { DASHBOARD_LIMITS } from './dashboard-limits.ts';

/*
 * The address where a person asked for a link to sign in, or left for another service to sign in. Both lead back to the first view,
 * the link often in another tab: the browser keeps the address for all tabs, for as long as a link works.
 */

const KEY = 'return-path';
/** Signing in leads there. */
const START = '/dashboard';

/** Returns the path, with its query, if it is an address of this service. */
function ownPath(path: string): string | undefined {
  const url = URL.parse(path, location.origin);
  return url?.origin === location.origin && path.startsWith('/') ? url.pathname + url.search : undefined;
}

/** Remembers an address of this service, that of this tab at first, until somebody has signed in. */
export function rememberPath(path = location.pathname + location.search): void {
  if (path === START) forgetPath();
  else localStorage.setItem(KEY, JSON.stringify({ path, at: Date.now() }));
}

export const forgetPath = (): void => localStorage.removeItem(KEY);

/** Returns the address that was remembered, once, in a tab to which signing in has led. */
export function takePath(): string | undefined {
  if (location.pathname !== START) return undefined;
  const text = localStorage.getItem(KEY);
  forgetPath();
  const kept: unknown = text === null ? undefined : JSON.parse(text);
  if (!(kept instanceof Object && 'path' in kept && 'at' in kept)) return undefined;
  const { path, at } = kept;
  const isFresh = Math.abs(Date.now() - Number(at)) < DASHBOARD_LIMITS.signIn.returnMs;
  return isFresh && typeof path === 'string' ? ownPath(path) : undefined;
}
