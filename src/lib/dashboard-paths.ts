/** The addresses of the dashboard's views, for the service, which answers each with the shell, and for its router. */
export const VIEW_PATHS = {
  pages: '/dashboard',
  newPage: '/dashboard/new',
  statistics: '/dashboard/statistics',
  trash: '/dashboard/trash',
  account: '/dashboard/account',
  admin: '/dashboard/admin',
  adminPart: '/dashboard/admin/:part',
  allow: '/dashboard/allow',
  help: '/dashboard/help',
  helpTopic: '/dashboard/help/:topic',
  onePage: '/dashboard/pages/:id',
  inbox: '/dashboard/pages/:id/inbox',
  submission: '/dashboard/pages/:id/inbox/:submissionId',
  allInboxes: '/dashboard/inbox',
  submissionOfAll: '/dashboard/inbox/:id/:submissionId',
  importing: '/dashboard/pages/:id/import',
  charts: '/dashboard/pages/:id/charts',
  page: '/dashboard/pages/:id/page',
  live: '/dashboard/pages/:id/page/live',
  edit: '/dashboard/pages/:id/page/edit',
  notifications: '/dashboard/pages/:id/notifications',
  settings: '/dashboard/pages/:id/settings',
} as const;

/** The view of a claim link, which there is only where pages are published without a key. */
export const CLAIM_PATH = '/claim/:token';

/** The cookie in which a browser keeps the language that somebody has chosen for the dashboard. All ports of a host share their cookies. */
export const LANGUAGE_COOKIE = 'formhost-language';
