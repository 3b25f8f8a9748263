/** Brings submissions from a file into the inbox of a page. */
export const importing = {
  /** The heading of the view: a noun. */
  title: 'Import',
  section: 'Import earlier submissions',
  hint: 'A CSV file with a header row, such as another form service exports. The submissions keep their times, count as read, and are sent to nobody.',

  /** The place for the file. */
  file: {
    drop: 'Drop the file here, or choose it.',
    choose: 'Choose a file',
    chooseAnother: 'Choose another file',
    reading: 'Reading the file',
    sending: 'Sending the file',
    storing: 'Storing the submissions',
  },

  /** What each column of the file is. */
  columns: {
    title: 'Columns',
    hint: 'Say what each column of the file is.',
    /** The choices for a column. */
    uses: {
      field: 'Field',
      time: 'Time',
      ip: 'IP address',
      leftOut: 'Leave out',
    },
    /** The service knows what the column is, and nothing has to be chosen. */
    known: '{name} <muted>is known</muted>',
    /** A column that has no name. */
    numbered: 'Column {number}',
    /** Stands in place of an example, where all rows of the column are empty. */
    noValue: 'no value',
    order: 'Day and month',
    /** The example is a date of which one can't know whether the day or the month is first. */
    orderHint: 'For times such as 5/1/2024.',
    orders: {
      asShown: 'As the file shows',
      dayFirst: 'Day, then month',
      monthFirst: 'Month, then day',
    },
  },

  /** The first rows of the file. */
  rows: {
    title: 'The first rows',
    label: 'Rows as they will be',
    time: 'Time',
    none: 'The file has no rows to import.',
    needTime: 'This page has submissions, so each row needs a time: choose its column.',
    /** What is wrong with a line of the file. */
    wrong: 'Line {line}: {message}',
  },

  /** The button that imports: a verb. */
  start: 'Import',
  imported: { one: '{count} submission imported.', other: '{count} submissions imported.' },
  openInbox: 'Open the inbox',
  /** The lines stand below. */
  failed: 'Nothing was imported. Correct these lines of the file, or change what its columns are:',
  noAnswer: 'The service gave no answer that can be read: look into the inbox.',
} as const;
