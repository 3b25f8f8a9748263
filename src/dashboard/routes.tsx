import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Route } from 'preact-iso';
import { exec } from 'preact-iso/router';
import { CLAIM_PATH, VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { type LoadView, lazyView, opening, prefetch } from './view-loading.tsx';
import NotFound from './views/not-found-view.tsx';

/** Every view: its script, and its addresses. */
const VIEWS: readonly { load: LoadView; paths: readonly string[] }[] = [
  { load: () => import('./views/pages-view.tsx'), paths: [VIEW_PATHS.pages] },
  { load: () => import('./views/new-page-view.tsx'), paths: [VIEW_PATHS.newPage] },
  { load: () => import('./views/statistics-view.tsx'), paths: [VIEW_PATHS.statistics] },
  { load: () => import('./views/trash-view.tsx'), paths: [VIEW_PATHS.trash] },
  { load: () => import('./views/claim-view.tsx'), paths: [CLAIM_PATH] },
  { load: () => import('./views/account-view.tsx'), paths: [VIEW_PATHS.account] },
  { load: () => import('./views/admin-view.tsx'), paths: [VIEW_PATHS.admin, VIEW_PATHS.adminPart] },
  { load: () => import('./views/allow-view.tsx'), paths: [VIEW_PATHS.allow] },
  { load: () => import('./views/help-view.tsx'), paths: [VIEW_PATHS.help, VIEW_PATHS.helpTopic] },
  {
    load: () => import('./views/inbox-view.tsx'),
    paths: [VIEW_PATHS.onePage, VIEW_PATHS.inbox, VIEW_PATHS.submission],
  },
  {
    load: () => import('./views/all-inboxes-view.tsx'),
    paths: [VIEW_PATHS.allInboxes, VIEW_PATHS.submissionOfAll],
  },
  { load: () => import('./views/import-view.tsx'), paths: [VIEW_PATHS.importing] },
  { load: () => import('./views/charts-view.tsx'), paths: [VIEW_PATHS.charts] },
  { load: () => import('./views/page-view.tsx'), paths: [VIEW_PATHS.page] },
  { load: () => import('./views/live-view.tsx'), paths: [VIEW_PATHS.live] },
  { load: () => import('./views/edit-page-view.tsx'), paths: [VIEW_PATHS.edit] },
  { load: () => import('./views/notifications-view.tsx'), paths: [VIEW_PATHS.notifications] },
  { load: () => import('./views/settings-view.tsx'), paths: [VIEW_PATHS.settings] },
];

/** Stands at an address without a view. Nothing has to be loaded for it. */
function NoView(): JSX.Element {
  useEffect(() => {
    opening.value = 'none';
  }, []);
  return <NotFound />;
}

/** A view under several addresses has one key, so that it stays as it is from one to another. */
export const routes: JSX.Element[] = [
  ...VIEWS.flatMap(({ load, paths }) => {
    const component = lazyView(load);
    return paths.map((path) => <Route key={paths[0]} path={path} component={component} />);
  }),
  <Route key="not-found" default component={NoView} />,
];

/** Loads the script of the view at a path ahead, if there is one. */
export function prefetchPath(path: string): void {
  const view = VIEWS.find(({ paths }) => paths.some((each) => exec(path, each)));
  if (view) prefetch(view.load);
}

/** The views that most people open next. */
export const prefetchLikely = (): void =>
  [VIEW_PATHS.pages, VIEW_PATHS.allInboxes, VIEW_PATHS.inbox].forEach(prefetchPath);

/** Loads a view when its link is pointed at, or has the focus: most often it is opened then. */
export function prefetchPointed({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : undefined;
  if (link?.origin === location.origin) prefetchPath(link.pathname);
}
