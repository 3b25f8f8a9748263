import type { JSX } from 'preact';
import { Notice } from './notice.tsx';

/** Says, in place of a view that changes something, that the person may only read. */
export const ReadOnly = (): JSX.Element => (
  <Notice>You may only read here: sign in with a key that may change things.</Notice>
);
