import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { unreadInAll } from './own-pages.ts';
import { hasAccount, isOperator, me, signOut } from './session.ts';
import { Button, ButtonLink } from './ui/button.tsx';
import { Icon } from './ui/icon.tsx';
import { Menu } from './ui/menu.tsx';
import { say } from './ui/say.tsx';
import { ThemeSwitch } from './ui/theme-switch.tsx';
import { numbers } from './ui/time.tsx';

/** A larger count makes the bar too wide for a phone. */
const MOST_SHOWN = 999;

/** How many submissions are unread, beside the inbox. */
function UnreadCount(): JSX.Element | null {
  const count = unreadInAll.value;
  if (count === 0) return null;
  return (
    <>
      {' '}
      <span class="count">{count > MOST_SHOWN ? `${numbers.format(MOST_SHOWN)}+` : numbers.format(count)}</span>
      <span class="unseen"> unread</span>
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
      <span class="unseen">Account menu: </span>
      <bdi class="email">{email}</bdi>
    </>
  );
  return (
    <Menu label={face} kind="quiet">
      <p class="muted menu-head">
        Signed in as <bdi>{email}</bdi>
      </p>
      <ButtonLink kind="quiet" icon="key" href={VIEW_PATHS.account}>
        Account
      </ButtonLink>
      {hasAccount.value && (
        <ButtonLink kind="quiet" icon="trash" href={VIEW_PATHS.trash}>
          Trash
        </ButtonLink>
      )}
      <ThemeSwitch />
      <Button
        kind="quiet"
        icon="leave"
        onClick={() => signOut('this').catch((error) => say(`You are still signed in: ${error.message}`))}
      >
        Sign out
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
        <nav class="links" aria-label="Dashboard">
          <a href={VIEW_PATHS.pages} aria-current={current(VIEW_PATHS.pages, '/dashboard/pages/')}>
            Pages
          </a>
          {hasAccount.value && (
            <a href={VIEW_PATHS.allInboxes} aria-current={current(VIEW_PATHS.allInboxes)}>
              Inbox
              <UnreadCount />
            </a>
          )}
          <a href={VIEW_PATHS.statistics} aria-current={current(VIEW_PATHS.statistics)}>
            Statistics
          </a>
          {isOperator.value && (
            <a class="bar-icon" href={VIEW_PATHS.admin} aria-current={current(VIEW_PATHS.admin)}>
              <Icon name="settings" />
              <span>Admin</span>
            </a>
          )}
          <a class="bar-icon" href={VIEW_PATHS.help} aria-current={current(VIEW_PATHS.help)}>
            <Icon name="help" />
            <span>Help</span>
          </a>
        </nav>
        <AccountMenu />
      </div>
    </header>
  );
}
