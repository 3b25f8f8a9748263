/** The addresses of the dashboard's views, for the service, which answers each with the shell, and for its router. */
export const VIEW_PATHS = {
  pages: '/dashboard',
  newPage: '/dashboard/new',
  statistics: '/dashboard/statistics',
  trash: '/dashboard/trash',
  account: '/dashboard/account',
  onePage: '/dashboard/pages/:id',
  inbox: '/dashboard/pages/:id/inbox',
  submission: '/dashboard/pages/:id/inbox/:submissionId',
  allInboxes: '/dashboard/inbox',
  submissionOfAll: '/dashboard/inbox/:id/:submissionId',
  charts: '/dashboard/pages/:id/charts',
  page: '/dashboard/pages/:id/page',
  notifications: '/dashboard/pages/:id/notifications',
  settings: '/dashboard/pages/:id/settings',
} as const;
