type Words = { title: string; text: string };

/**
 * All that pages for visitors say in one language. A text is HTML without tags; what it is given is HTML too. A time is
 * such as `in 40 seconds`, a size such as `10 MB`.
 */
export type Texts = {
  dir: 'ltr' | 'rtl';
  /** What is between two sentences. */
  gap: ' ' | '';
  /** The answer to a success. */
  thanks: Words;
  /** The link to the page that a form is on. */
  back: string;

  /** There is no such form. */
  unavailable: Words;
  /** The form has accepted as many submissions as it may in a minute. */
  full: Words;
  /** The service is too busy, or its database is out of reach. */
  busy: Words;
  /** An unexpected error. */
  failed: Words;
  /** The upload took too long. */
  slow: Words;
  /** What was sent can't be read, or is not allowed. */
  notSent: Words;
  nothingSent: string;
  tryAgain(time: string): string;
  tryAgainSoon: string;
  goBack: string;

  tooLarge: Words & {
    file(name: string, size: string): string;
    files(size: string): string;
    fileCount(count: string): string;
    noFiles: string;
  };

  /** Above a form that sends again what was filled in. */
  kept: string;
  filesNotKept: string;
  /** The labels of inputs for files, by the names of the files that were chosen before. */
  chooseAgain(name: string): string;
  chooseSmaller(name: string): string;
  send: string;
  sendAgain: string;

  /** A form without method="post". `owner` is for who made it; `attribute` and `tag` are code. */
  wrongForm: Words & { owner(attribute: string, tag: string): string };

  /** A form on a site that it is not accepted from. `owner` says who can mend it; `origin` is the site's. */
  wrongSite: Words & { owner(origin: string): string };

  /** Errors on the host of a page. */
  noPage: Words;
  wrongMethod: Words;
  takenDown: Words & { contact(link: string): string };
  pageBusy: Words;
  pageFailed: Words;
  badRequest: Words;

  /** In a form with ALTCHA, where scripts don't run. */
  needsJavaScript: string;
};
