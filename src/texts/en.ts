import type { Texts } from './texts.ts';

export const en: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Thank you', text: 'Your message has been sent.' },
  back: 'Back to the page',

  unavailable: { title: 'This form is not available', text: 'The page it belongs to is no longer online.' },
  full: { title: 'Please wait a moment', text: 'Too many people sent this form in the last minute.' },
  busy: { title: 'Your message could not be sent yet', text: 'The service is busy right now.' },
  failed: { title: 'Something went wrong', text: 'This is not your fault. Your message may not have been sent.' },
  slow: { title: 'Your message could not be sent', text: 'The connection was too slow.' },
  notSent: { title: 'Your message could not be sent', text: 'What the form sent could not be accepted.' },
  nothingSent: 'Nothing was sent.',
  tryAgain: (time) => `Please try again ${time}.`,
  tryAgainSoon: 'Please try again in a moment.',
  goBack: 'Go back in your browser: what you filled in should still be there.',

  tooLarge: {
    title: 'This is too large to send',
    text: 'Please shorten what you wrote, or choose smaller files.',
    file: (name, size) => `The file ${name} is larger than ${size}.`,
    files: (size) => `Together, the files are larger than ${size}.`,
    fileCount: (count) => `No more than ${count} files can be sent at once.`,
    noFiles: 'This form cannot receive files.',
  },

  kept: 'What you filled in has been kept.',
  filesNotKept: 'Files are not kept: please choose them again, or send the form without them.',
  chooseAgain: (name) => `Choose again: ${name}`,
  chooseSmaller: (name) => `Choose a smaller file instead of ${name}`,
  send: 'Send',
  sendAgain: 'Send it again',

  wrongForm: {
    title: 'This form could not be sent',
    text: 'The form is not set up correctly.',
    owner: (attribute, tag) => `If you made this page: add ${attribute} to the ${tag} tag of the form.`,
  },

  wrongSite: {
    title: 'This form cannot be sent from this site',
    text: 'The form accepts nothing from the site that it is on.',
    owner: (origin) =>
      `Please tell the people who run ${origin}: their site must be one of the form’s allowed origins.`,
  },

  noPage: { title: 'Page not found', text: 'There is no page at this address.' },
  wrongMethod: { title: 'This is not possible here', text: 'The page cannot be used in this way.' },
  takenDown: {
    title: 'This page is not available',
    text: 'This page has been taken down.',
    contact: (link) => `For questions, contact ${link}.`,
  },
  pageBusy: { title: 'This page cannot be shown right now', text: 'The service is busy right now.' },
  pageFailed: { title: 'Something went wrong', text: 'This page cannot be shown.' },
  badRequest: { title: 'This address cannot be opened', text: 'Please check the address for mistakes.' },
  needsJavaScript: 'Please switch JavaScript on: this form uses it to tell people from robots.',
};
