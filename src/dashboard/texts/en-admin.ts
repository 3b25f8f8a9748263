/** The view of operators of the service: all owners and pages. What the check of the installation says is in English, and not here. */
export const admin = {
  title: 'Admin',
  /** The title of a part of the view. `part`: one of the names below. */
  titleOfPart: 'Admin: {part}',
  parts: { owners: 'Owners', pages: 'Pages', deliveries: 'Deliveries', health: 'Health', audit: 'Audit' },
  /** Owners of pages: people with an account. `email`: the address of an owner, which is the name. */
  owners: {
    /** In a field that searches by e-mail addresses. */
    search: 'Address',
    none: 'No owner has such an address.',
    loading: 'Loading the owners',
    /** A badge. */
    suspended: 'Suspended',
    /** A badge: the owner is the person who looks at the list. */
    you: 'You',
    /** `pages`: such as `3 pages`; `size`: such as `2 MB`; `used`, `since`: times such as `5 minutes ago`, or `in the last hour`. */
    line: '{pages}, {size}, used {used}, since {since}',
    lineNeverUsed: '{pages}, {size}, never used, since {since}',
    plan: 'Plan',
    changePlan: 'Change the plan',
    /** The same, for people who do not see the row that the button is in. */
    changePlanOf: 'Change the plan<unseen> of {email}</unseen>',
    planText: {
      one: '{email} uses {count} page and {size}. With a smaller plan nothing is deleted, and no more can be stored.',
      other:
        '{email} uses {count} pages and {size}. With a smaller plan nothing is deleted, and no more can be stored.',
    },
    planChanged: '{email} has the plan {plan}.',
    /** Ends a suspension. */
    resume: 'Resume',
    resumed: '{email} is no longer suspended.',
    /** A verb. */
    suspend: 'Suspend',
    suspendTitle: 'Suspend this owner?',
    /** `Resume` is the button that ends a suspension. */
    suspendText:
      'The pages of {email} go offline, their forms refuse submissions, keys and browsers are refused, and nothing is delivered. Nothing is deleted: <strong>Resume</strong> brings all of it back.',
    isSuspended: '{email} is suspended.',
    delete: 'Delete',
    deleteTitle: 'Delete this owner with everything?',
    deleteButton: 'Delete everything',
    deleteText: {
      one: '{count} page and {size} are deleted, with all submissions, files, keys and the trash. Nobody can restore them. The entries of the audit stay.',
      other:
        '{count} pages and {size} are deleted, with all submissions, files, keys and the trash. Nobody can restore them. The entries of the audit stay.',
    },
    deleted: '{email} is deleted.',
  },
  /** The pages of all owners. `name`: the title of a page. */
  pages: {
    /** In a field that searches. A slug is the name of a page in its address. */
    search: 'Slug, title, domain or address',
    none: 'No live page is like that.',
    loading: 'Loading the pages',
    takenDown: 'Taken down',
    /** `email`: the address of the owner; `time`: such as `5 minutes ago`. */
    line: '{email}, published {time}',
    takeDown: 'Take down',
    takeDownTitle: 'Take this page down?',
    takeDownText:
      'Visitors of {name} see that it was taken down, and its form refuses submissions. Nothing is deleted.',
    reason: 'Reason',
    reasonHint: 'The owner reads it. Visitors do not.',
    isDown: '{name} is down.',
    restore: 'Restore',
    isUp: '{name} is up again.',
  },
  deliveries: {
    title: 'Deliveries that fail',
    none: 'No delivery fails.',
    loading: 'Loading the deliveries',
    /** What is delivered: a mail. */
    mail: 'Mail',
    /** A badge. */
    failed: 'Failed',
    /** A badge: more attempts follow. */
    triedAgain: 'Tried again',
    /** `page`: the name of a page; `owner`: an e-mail address; `attempts`: such as `3 attempts`; `made`, `last`: times such as `5 minutes ago`. */
    line: '{page} of {owner}, made {made}, {attempts}, the last {last}',
    /** `status`: a status of HTTP, such as 500. */
    lineWithAnswer: '{page} of {owner}, made {made}, {attempts}, the last {last}, answer: {status}',
  },
  /** The check of the installation. */
  health: {
    checking: 'Checking the installation',
    checkAgain: 'Check again',
    ok: 'Good',
    skip: 'Not checked',
    warn: 'Warning',
    fail: 'Failed',
  },
} as const;
