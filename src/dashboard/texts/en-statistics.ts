/** The views Statistics, of all pages, and Charts, of one page: how many submissions came when. */
export const statistics = {
  title: 'Statistics',
  chartsTitle: 'Charts',
  counting: 'Counting the submissions',
  /** Which times are shown. */
  range: {
    /** The name of the links, for screen readers. */
    label: 'Time',
    hours24: '24 hours',
    days7: '7 days',
    days30: '30 days',
    days90: '90 days',
    /** It opens the fields for two days. */
    ownDates: 'Own dates',
    /** The first day. */
    from: 'From',
    /** The last day. */
    to: 'To',
    missing: 'Choose a day.',
    /** A button: shows these days. */
    show: 'Show',
    show90Days: 'Show 90 days',
  },
  /** A chart of submissions. */
  chart: {
    heading: 'Submissions',
    empty: 'Nothing came in this time',
    /** `{zone}`: a time zone, such as `Europe/Berlin`. */
    totals: {
      hour: {
        one: '{count} submission in this time, by hour of {zone}.',
        other: '{count} submissions in this time, by hour of {zone}.',
      },
      day: {
        one: '{count} submission in this time, by day of {zone}.',
        other: '{count} submissions in this time, by day of {zone}.',
      },
    },
    /** What screen readers say of the picture. */
    pictures: {
      hour: 'Submissions by hour; the table has them all',
      day: 'Submissions by day; the table has them all',
    },
    /** Of one hour or day: `{time}` is written in full. */
    bar: { one: '{time}: {count} submission', other: '{time}: {count} submissions' },
    /** It opens the table. */
    asTable: 'As a table',
    table: 'Submissions as a table',
    /** Heads of the first column. */
    times: { hour: 'Hour', day: 'Day' },
    submissions: 'Submissions',
  },
  /** The chart of one page is empty. */
  noSubmissions: 'The page has no submissions yet. Open it and send its form once.',
  /** A verb. */
  openPage: 'Open the page',
  deliveries: {
    heading: 'Deliveries by result',
    /** `{limit}`: 100. */
    hint: 'The last {limit} to each receiver.',
    counting: 'Counting the deliveries',
    table: 'Deliveries as a table',
    /** The head of the column with the receivers. */
    to: 'To',
    /** How many deliveries to a receiver have each result. */
    results: { succeeded: 'Delivered', pending: 'Waiting', failed: 'Failed' },
    logs: 'Mail, webhooks and their logs',
  },
  allPages: {
    noPages: 'You have no pages yet',
    noPagesHint: 'Publish an HTML page: what its forms send is counted here.',
    makeFirst: 'Make your first page',
    /** The chart above counts only some of the pages. */
    newest: {
      one: 'To your {count} newest page. More are below.',
      other: 'To your {count} newest pages. More are below.',
    },
    byPage: 'By page',
    table: 'Submissions by page',
    /** Heads of the columns. */
    page: 'Page',
    inThisTime: 'In this time',
    inAll: 'In all',
  },
  /** What screen readers say of the small picture beside a page. `{days}`: 30. */
  lastDays: {
    one: '{count} submission in the last {days} days',
    other: '{count} submissions in the last {days} days',
  },
} as const;
