import { account } from './en-account.ts';
import { admin } from './en-admin.ts';
import { bar } from './en-bar.ts';
import { editor } from './en-editor.ts';
import { help } from './en-help.ts';
import { importing } from './en-importing.ts';
import { inbox } from './en-inbox.ts';
import { notifications } from './en-notifications.ts';
import { page } from './en-page.ts';
import { pages } from './en-pages.ts';
import { problems } from './en-problems.ts';
import { settings } from './en-settings.ts';
import { shared } from './en-shared.ts';
import { signIn } from './en-sign-in.ts';
import { statistics } from './en-statistics.ts';

/** The texts of the dashboard in English, by rooms. `{name}` is the place of a value, `{count}` that of the number in a text with plural forms. */
export default {
  account,
  admin,
  bar,
  editor,
  help,
  importing,
  inbox,
  notifications,
  page,
  pages,
  problems,
  settings,
  shared,
  signIn,
  statistics,
} as const;
