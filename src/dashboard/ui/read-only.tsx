import type { JSX } from 'preact';
import { isReadOnly, roleOnPage } from '../session.ts';
import { Notice } from './notice.tsx';

function reason(): string {
  if (isReadOnly.value) return 'You may only read here: sign in with a key that may change things.';
  return roleOnPage.value === undefined
    ? 'You are a guest here, and have no account: ask the operator of this service for one.'
    : 'You are a guest of this page. Ask its owner for more than you may do now.';
}

/** Says, in place of a view, why the person may not use it. */
export const ReadOnly = (): JSX.Element => <Notice>{reason()}</Notice>;
