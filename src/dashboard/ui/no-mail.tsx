import type { JSX } from 'preact';
import { me } from '../session.ts';

/** Says that there is no mail, where it is to be set up. */
export const NoMail = (): JSX.Element | null =>
  me.value?.mail === false ? (
    <p class="notice">Nothing is mailed: this service has no mail server. Its operator sets one with SMTP_URL.</p>
  ) : null;
