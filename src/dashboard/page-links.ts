/** The addresses of the views of one page. */
export const pageLinks = (id: string) => ({
  inbox: `/dashboard/pages/${id}/inbox`,
  importing: `/dashboard/pages/${id}/import`,
  charts: `/dashboard/pages/${id}/charts`,
  page: `/dashboard/pages/${id}/page`,
  live: `/dashboard/pages/${id}/page/live`,
  edit: `/dashboard/pages/${id}/page/edit`,
  notifications: `/dashboard/pages/${id}/notifications`,
  settings: `/dashboard/pages/${id}/settings`,
});
