import type { Owner } from '../../../db/account/owner-queries.ts';
import type { App } from '../../app.ts';

/** Returns whether somebody is an operator, with a key for everything, or a session; `also`: another scope that suffices. */
export const isOperator = (
  { email, scope, pages, via }: Owner,
  { config }: Pick<App, 'config'>,
  also: 'full' | 'read',
): boolean =>
  // Whoever allows a program means their own pages: it could delete all owners.
  via !== 'grant' && pages === null && (scope === 'full' || scope === also) && config.adminEmails.includes(email);
