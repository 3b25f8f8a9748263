/** What several views say. */
export const shared = {
  /** Numbers of things, alone or as a part of a line. */
  counts: {
    pages: { one: '{count} page', other: '{count} pages' },
    submissions: { one: '{count} submission', other: '{count} submissions' },
    files: { one: '{count} file', other: '{count} files' },
    forms: { one: '{count} form', other: '{count} forms' },
    fields: { one: '{count} field', other: '{count} fields' },
    deliveries: { one: '{count} delivery', other: '{count} deliveries' },
    attempts: { one: '{count} attempt', other: '{count} attempts' },
    keys: { one: '{count} key', other: '{count} keys' },
    programs: { one: '{count} program', other: '{count} programs' },
    entries: { one: '{count} entry', other: '{count} entries' },
    owners: { one: '{count} owner', other: '{count} owners' },
    guests: { one: '{count} guest', other: '{count} guests' },
    links: { one: '{count} link', other: '{count} links' },
  },
  /** How many of a list are shown: `50 of 120 pages`. */
  shownOf: '{shown} of {total}',
  showMore: 'Show more',
  tryAgain: 'Try again',
  /** A label of what is being read, such as `Loading your pages…`. */
  loading: '{label}…',
  notSaved: '<strong>Not saved</strong>: {why}',
  saved: 'Saved',
  needAttention: { one: '{count} field needs attention.', other: '{count} fields need attention.' },
  isRetried: 'It is tried again by itself.',
  cancel: 'Cancel',
  save: 'Save',
} as const;
