import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { unreadInAll } from './own-pages.ts';
import { hasAccount, isOperator, me, signOut } from './session.ts';
import { fill, numbers, t } from './texts/chosen-texts.ts';
import { Rich } from './texts/rich.tsx';
import { Button, ButtonLink } from './ui/button.tsx';
import { Icon } from './ui/icon.tsx';
import { Menu } from './ui/menu.tsx';
import { say } from './ui/say.tsx';
import { ThemeSwitch } from './ui/theme-switch.tsx';
import { unseen } from './ui/unseen.tsx';

/** A larger count makes the bar too wide for a phone. */
const MOST_SHOWN = 999;

/** How many submissions are unread, beside the inbox. */
function UnreadCount(): JSX.Element | null {
  const count = unreadInAll.value;
  if (count === 0) return null;
  const shown = count > MOST_SHOWN ? `${numbers.format(MOST_SHOWN)}+` : numbers.format(count);
  return (
    <>
      {' '}
      <Rich text={t.bar.nav.unread} with={{ count: <span class="count">{shown}</span>, unseen }} />
    </>
  );
}

/** The account menu has who is signed in, and what is about this person. */
function AccountMenu(): JSX.Element {
  const email = me.value?.email ?? '';
  const face = (
    <>
      <span class="avatar" aria-hidden="true">
        {email.slice(0, 1).toUpperCase()}
      </span>
      <Rich text={t.bar.accountMenu.button} with={{ email: <bdi class="email">{email}</bdi>, unseen }} />
    </>
  );
  return (
    <Menu label={face} kind="quiet">
      <p class="muted menu-head">
        <Rich text={t.bar.accountMenu.signedInAs} with={{ email }} />
      </p>
      <ButtonLink kind="quiet" icon="key" href={VIEW_PATHS.account}>
        {t.bar.accountMenu.account}
      </ButtonLink>
      {hasAccount.value && (
        <ButtonLink kind="quiet" icon="trash" href={VIEW_PATHS.trash}>
          {t.bar.accountMenu.trash}
        </ButtonLink>
      )}
      <ThemeSwitch />
      <Button
        kind="quiet"
        icon="leave"
        onClick={() =>
          signOut('this').catch((error) => say(fill(t.bar.accountMenu.stillSignedIn, { why: error.message })))
        }
      >
        {t.bar.accountMenu.signOut}
      </Button>
    </Menu>
  );
}

/** The bar above every view: on a phone it is one line too. */
export function TopBar(): JSX.Element {
  const { path } = useLocation();
  const current = (href: string, within = `${href}/`) =>
    path === href || path.startsWith(within) ? ('page' as const) : undefined;
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href={VIEW_PATHS.pages}>
          <Icon name="brand" />
          formhost
        </a>
        <nav class="links" aria-label={t.bar.nav.label}>
          <a href={VIEW_PATHS.pages} aria-current={current(VIEW_PATHS.pages, '/dashboard/pages/')}>
            {t.bar.nav.pages}
          </a>
          {hasAccount.value && (
            <a href={VIEW_PATHS.allInboxes} aria-current={current(VIEW_PATHS.allInboxes)}>
              {t.bar.nav.inbox}
              <UnreadCount />
            </a>
          )}
          <a href={VIEW_PATHS.statistics} aria-current={current(VIEW_PATHS.statistics)}>
            {t.bar.nav.statistics}
          </a>
          {isOperator.value && (
            <a class="bar-icon" href={VIEW_PATHS.admin} aria-current={current(VIEW_PATHS.admin)}>
              <Icon name="settings" />
              <span>{t.bar.nav.admin}</span>
            </a>
          )}
          <a class="bar-icon" href={VIEW_PATHS.help} aria-current={current(VIEW_PATHS.help)}>
            <Icon name="help" />
            <span>{t.bar.nav.help}</span>
          </a>
        </nav>
        <AccountMenu />
      </div>
    </header>
  );
}
