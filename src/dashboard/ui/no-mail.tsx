import type { JSX } from 'preact';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { FIRST_OWNER } from '../../lib/mail-address.ts';
import { me } from '../session.ts';
import { Notice } from './notice.tsx';

/** Says that there is no mail, where it is to be set up. */
export const NoMail = (): JSX.Element | null =>
  me.value?.mail === false ? (
    <Notice>Nothing is mailed: the operator of this service has not set up mail.</Notice>
  ) : null;

/** The first start gives the owner an address that no mail reaches. */
export const hasAddress = (): boolean => me.value?.email !== FIRST_OWNER;

/** Asks such an owner for another address. */
export const NoAddress = (): JSX.Element | null =>
  hasAddress() ? null : (
    <Notice>
      No mail reaches <bdi>{me.value?.email}</bdi>. <a href={VIEW_PATHS.account}>Enter your address</a> first.
    </Notice>
  );
