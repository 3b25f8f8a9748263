import type { JSX } from 'preact';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { FIRST_OWNER } from '../../lib/mail-address.ts';
import { me } from '../session.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Notice } from './notice.tsx';

/** Says that there is no mail, where it is to be set up. */
export const NoMail = (): JSX.Element | null => (me.value?.mail === false ? <Notice>{t.account.noMail}</Notice> : null);

/** The first start gives the owner an address that no mail reaches. */
export const hasAddress = (): boolean => me.value?.email !== FIRST_OWNER;

/** Asks such an owner for another address. */
export const NoAddress = (): JSX.Element | null =>
  hasAddress() ? null : (
    <Notice>
      <Rich
        text={t.account.noAddress}
        with={{ email: me.value?.email, a: (label) => <a href={VIEW_PATHS.account}>{label}</a> }}
      />
    </Notice>
  );
