import type { JSX } from 'preact';
import { Route } from 'preact-iso';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import Account from './views/account-view.tsx';
import AllInboxes from './views/all-inboxes-view.tsx';
import Charts from './views/charts-view.tsx';
import EditPage from './views/edit-page-view.tsx';
import Help from './views/help-view.tsx';
import Inbox from './views/inbox-view.tsx';
import Live from './views/live-view.tsx';
import NewPage from './views/new-page-view.tsx';
import NotFound from './views/not-found-view.tsx';
import Notifications from './views/notifications-view.tsx';
import Page from './views/page-view.tsx';
import Pages from './views/pages-view.tsx';
import Settings from './views/settings-view.tsx';
import Statistics from './views/statistics-view.tsx';
import Trash from './views/trash-view.tsx';

/** Every view and its address. A view under several addresses has one key, so that it stays as it is from one to another. */
export const routes: JSX.Element[] = [
  <Route key="pages" path={VIEW_PATHS.pages} component={Pages} />,
  <Route key="new" path={VIEW_PATHS.newPage} component={NewPage} />,
  <Route key="statistics" path={VIEW_PATHS.statistics} component={Statistics} />,
  <Route key="trash" path={VIEW_PATHS.trash} component={Trash} />,
  <Route key="account" path={VIEW_PATHS.account} component={Account} />,
  <Route key="help" path={VIEW_PATHS.help} component={Help} />,
  <Route key="help" path={VIEW_PATHS.helpTopic} component={Help} />,
  <Route key="inbox" path={VIEW_PATHS.onePage} component={Inbox} />,
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
