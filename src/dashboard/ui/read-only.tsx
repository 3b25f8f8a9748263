import type { JSX } from 'preact';
import { isReadOnly, roleOnPage } from '../session.ts';
import { t } from '../texts/chosen-texts.ts';
import { Notice } from './notice.tsx';

function reason(): string {
  if (isReadOnly.value) return t.account.mayNot.readOnly;
  return roleOnPage.value === undefined ? t.account.mayNot.guest : t.account.mayNot.guestOfPage;
}

/** Says, in place of a view, why the person may not use it. */
export const ReadOnly = (): JSX.Element => <Notice>{reason()}</Notice>;
