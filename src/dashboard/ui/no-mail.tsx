import type { JSX } from 'preact';
import { me } from '../session.ts';

/** Says that there is no mail, where it is to be set up. */
export const NoMail = (): JSX.Element | null =>
  me.value?.mail === false ? (
    <p class="notice">This service has no mail server: nothing is mailed until whoever runs it sets one up.</p>
  ) : null;
