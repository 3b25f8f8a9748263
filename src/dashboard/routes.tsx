import type { ComponentType, JSX } from 'preact';
import { lazy, Route } from 'preact-iso';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { pause, trouble } from './api.ts';
import { DASHBOARD_LIMITS } from './limits.ts';

type View = { default: ComponentType };

const isReady = (): Promise<boolean> =>
  fetch('/readyz').then(
    ({ ok }) => ok,
    () => false,
  );

/** A view whose script is loaded when it is first shown, also after the connection was lost. */
const view = (load: () => Promise<View>): ComponentType =>
  lazy(async () => {
    for (let tries = 0; ; tries += 1) {
      try {
        const loaded = await load();
        if (tries > 0) trouble.value = 'none';
        return loaded;
      } catch {
        trouble.value = navigator.onLine ? 'unavailable' : 'offline';
        // Without the service there would be nothing but the browser's own error.
        if (tries >= DASHBOARD_LIMITS.requests.scriptTries && (await isReady())) location.reload();
      }
      await pause(tries);
    }
  });

const Pages = view(() => import('./views/pages.tsx'));
const NewPage = view(() => import('./views/new-page.tsx'));
const Trash = view(() => import('./views/trash.tsx'));
const Account = view(() => import('./views/account.tsx'));
const Help = view(() => import('./views/help.tsx'));
const OnePage = view(() => import('./views/one-page.tsx'));
// The list and one submission of it are one view: it stays as it is when the address changes between them.
const Inbox = view(() => import('./views/inbox.tsx'));
const AllInboxes = view(() => import('./views/all-inboxes.tsx'));
const Statistics = view(() => import('./views/statistics.tsx'));
const Charts = view(() => import('./views/charts.tsx'));
const Page = view(() => import('./views/page.tsx'));
const Live = view(() => import('./views/live.tsx'));
const EditPage = view(() => import('./views/edit-page.tsx'));
const Notifications = view(() => import('./views/notifications.tsx'));
const Settings = view(() => import('./views/settings.tsx'));
const NotFound = view(() => import('./views/not-found.tsx'));

/** Every view and its address. */
export const routes: JSX.Element[] = [
  <Route key="pages" path={VIEW_PATHS.pages} component={Pages} />,
  <Route key="new" path={VIEW_PATHS.newPage} component={NewPage} />,
  <Route key="statistics" path={VIEW_PATHS.statistics} component={Statistics} />,
  <Route key="trash" path={VIEW_PATHS.trash} component={Trash} />,
  <Route key="account" path={VIEW_PATHS.account} component={Account} />,
  <Route key="help" path={VIEW_PATHS.help} component={Help} />,
  <Route key="help" path={VIEW_PATHS.helpTopic} component={Help} />,
  <Route key="one-page" path={VIEW_PATHS.onePage} component={OnePage} />,
  <Route key="inbox" path={VIEW_PATHS.inbox} component={Inbox} />,
  <Route key="inbox" path={VIEW_PATHS.submission} component={Inbox} />,
  <Route key="all-inboxes" path={VIEW_PATHS.allInboxes} component={AllInboxes} />,
  <Route key="all-inboxes" path={VIEW_PATHS.submissionOfAll} component={AllInboxes} />,
  <Route key="charts" path={VIEW_PATHS.charts} component={Charts} />,
  <Route key="page" path={VIEW_PATHS.page} component={Page} />,
  <Route key="live" path={VIEW_PATHS.live} component={Live} />,
  <Route key="edit" path={VIEW_PATHS.edit} component={EditPage} />,
  <Route key="notifications" path={VIEW_PATHS.notifications} component={Notifications} />,
  <Route key="settings" path={VIEW_PATHS.settings} component={Settings} />,
  <Route key="not-found" default component={NotFound} />,
];
