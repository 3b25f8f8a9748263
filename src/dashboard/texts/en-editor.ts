/** The editor of a page, and the view that makes a new page. */
export const editor = {
  /** Ways to a new page. */
  start: {
    newPage: 'New page',
    /** `{title}`: of a finished page, such as *Contact*. */
    newPageOf: 'New page: {title}',
    fromFinished: 'Start from a finished page',
    ownHtml: 'Or use your own HTML',
    dropSite: 'Drop a page here, or a folder or zip with all files of a site. Or choose it.',
    chooseText: 'Choose a text to change it. The colour and the fields of the form are beside the page.',
    loadingPage: 'Loading the page',
    pageNotFound: 'The page was not found: load the dashboard again.',
    address: 'Address',
    language: 'Language of the pages',
    /** The finished pages: what each is called, and what it is for. */
    pages: {
      contact: { title: 'Contact', text: 'Visitors write to you.' },
      registration: { title: 'Registration', text: 'Visitors register for an event.' },
      newsletter: { title: 'Newsletter', text: 'Visitors subscribe to your mails, and consent.' },
      order: { title: 'Order', text: 'Visitors order products.' },
      survey: { title: 'Survey', text: 'Visitors answer questions on scales.' },
      rsvp: { title: 'Invitation', text: 'Guests say if they come, and with whom.' },
      feedback: { title: 'Feedback', text: 'Visitors rate you, and say why.' },
      application: { title: 'Job application', text: 'Applicants send you their CV as a file.' },
      waitlist: { title: 'Waiting list', text: 'Visitors wait for a free place.' },
    },
  },
  /** A form for a page that is published elsewhere. */
  elsewhere: {
    title: 'My form is on another site',
    pasteThere: 'You get a form to paste there.',
    explained: 'You get a form to paste into your own page. Whatever visitors send with it arrives here.',
    name: 'Name of the form',
    nameHint: 'Such as Contact.',
    /** The name of a form whose owner gave it none; visitors see it. */
    unnamed: 'Contact',
    getForm: 'Get the form',
  },
  /** A folder or a zip that was chosen. */
  site: {
    chosenZip: 'Chosen: {name}',
    chosenFiles: { one: 'Chosen: {count} file', other: 'Chosen: {count} files' },
  },
  /** A button: makes what was made visible to everybody. */
  publish: 'Publish',
  edit: {
    title: 'Edit',
    loadingHtml: 'Loading the HTML',
    loadingDraft: 'Loading your draft',
    loadingFile: 'Loading the file',
    loadingEditor: 'Loading the editor',
    file: 'File',
    discarded: 'Your changes are discarded.',
    newVersionLive: 'The new version is live.',
    fileLive: '{path} is live.',
    notUtf8: '{path} is not UTF-8: replace it by a file that is.',
    outdated: {
      title: 'Somebody else has changed this page',
      text: 'Another version was published since you began. If you publish yours, theirs stays in the list of versions. To begin with theirs, cancel here and in the editor.',
      button: 'Publish mine',
    },
  },
  /** Ways to look at a page in the editor. */
  modes: {
    label: 'View',
    page: 'Page',
    settings: 'Settings of the page',
    code: 'Code',
    /** A verb: lets one use the page as visitors do. */
    try: 'Try',
  },
  notPublished: 'Not published',
  undo: 'Undo',
  redo: 'Redo',
  draft: {
    /** `{why}` is a sentence. */
    notYet: '<strong>Not in your account yet</strong>: {why} It is tried again with your next change.',
    stillThere: 'Your draft is still in your account: {why}',
    onlyInTab: 'Your draft is not in your account, only in this tab: {why}',
  },
  check: {
    failed: 'The page could not be checked: {why}',
    /** `{tag}`: the name of a part of HTML, `<title>`. */
    calledByTitle: 'Browsers and the list of your pages call it {title}, as its <code>{tag}</code> says.',
  },
  preview: {
    title: 'Preview',
    /** A button: makes a secret address of what is typed. */
    link: 'Preview link',
    open: 'Open the preview',
    copyAddress: 'Copy its address',
    made: 'The preview is at an address of its own. The live page is as it was, and the preview’s form sends tests.',
  },
  code: {
    label: 'HTML',
    /** `{attributes}`: some HTML. */
    hint: 'Paste it, or drop its file here. Write <code>{attributes}</code> in the form, or leave the action out: either way it is sent to you.',
    fileHint: 'Visitors get it as it is here, once you publish it.',
    missing: 'Paste the page, or drop its file here.',
    find: 'Find',
    wrapLines: 'Wrap lines',
  },
  /** The search in the code, and what is said of it to people who do not see it. */
  search: {
    find: 'Find',
    replaceBy: 'Replace',
    /** Of the places that were found. */
    next: 'next',
    previous: 'previous',
    all: 'all',
    matchCase: 'match case',
    /** Short for *regular expression*. */
    regexp: 'regexp',
    byWord: 'by word',
    /** Buttons. */
    replace: 'replace',
    replaceAll: 'replace all',
    close: 'close',
    goToLine: 'Go to line',
    go: 'go',
    /** Followed by a full stop. */
    replacedOnLine: 'replaced match on line {line}',
    /** Followed by a full stop. The number can be any from 1. */
    replacedMatches: 'replaced {number} matches',
    /** Followed by a full stop and the line that was found. */
    currentMatch: 'current match',
    /** After the line that was found; its number follows. */
    onLine: 'on line',
    selectionDeleted: 'Selection deleted',
  },
  /** A page whose texts are edited where they stand. */
  inPlace: {
    hint: 'Choose a text in the page and type. Enter ends it, Escape takes it back.',
    frame: 'The page: choose a text to edit it',
    pressEnter: 'Press Enter to edit',
    tooComplex: 'This page is too complex to be edited where its texts stand.',
    editCode: 'Edit its code',
    tooLong: 'This text is too long to be edited here.',
    editLine: 'Edit line {line} in the code',
    /** Parts that can only be edited there. */
    partsInCode: { one: '{count} part is edited in the code', other: '{count} parts are edited in the code' },
    /** `{why}` is one of the sentences below. */
    partAt: '<a>line {line}</a>: {why}',
    why: {
      script: 'A script can make texts here.',
      drawing: 'This is part of a drawing.',
      nesting: 'Tags are missing or in the wrong order here.',
      complex: 'The page is too complex to be edited in place.',
    },
  },
  /** What is chosen in the page. */
  place: {
    chosen: { text: 'Chosen: Text', link: 'Chosen: Link', image: 'Chosen: Image', button: 'Chosen: Button' },
    /** Labels of fields for the words of a text, a link or a button. */
    words: { text: 'Text: text', link: 'Link: text', button: 'Button: text' },
    href: 'Address that it leads to',
    alt: 'Description of the image',
    altHint: 'For people who don’t see it. Leave it empty for a decoration.',
    src: 'Address of the image',
    chooseImage: 'Choose an image file',
    imageHint: 'It becomes a file of the page. Visitors see it once you publish.',
  },
  /** The settings of the page as a whole. */
  head: {
    heading: 'Page',
    title: 'Title',
    titleHint: 'In the tab of the browser, in search results and in your list of pages.',
    description: 'Description',
    descriptionHint: 'A sentence for search results and for messages with a link to the page.',
    colour: 'Colour',
    noColour: 'The page does not name one yet.',
  },
  /** The form of the page, and its fields. */
  form: {
    heading: 'Form',
    /** Where the page has several. */
    numbered: 'Form {number}',
    removed: '{name} is removed.',
    removedKept: '{name} is removed. Submissions that have it keep it.',
    removedStays: {
      one: '{name} is removed. It stays in {count} earlier submission.',
      other: '{name} is removed. It stays in {count} earlier submissions.',
    },
  },
  field: {
    /** Words beside a field, which visitors read. */
    label: 'Label',
    /** `{name}`: of a column, as in a table. */
    labelHint: 'The inbox keeps its column: its name stays <code>{name}</code>.',
    required: 'Required',
    requiredHint: 'Visitors can’t send the form without it.',
    /** Behind the label of a field. */
    isRequired: '(required)',
    optionsInCode: 'Its options are changed in the code.',
    notHere: 'It can’t be moved or removed here.',
    /** Why a field can't be moved. */
    why: {
      place: 'Its label stands elsewhere on the page.',
      repeated: 'Its tag has an attribute twice.',
    },
    showInCode: 'Show in the code',
    /** A button; what is in `<unseen>` is for people who do not see the field. */
    remove: 'Remove<unseen> {name}</unseen>',
    /** `{name}`: of a field. */
    moveUp: 'Move {name} up',
    moveDown: 'Move {name} down',
    type: 'Type',
    types: {
      text: 'Text',
      'long-text': 'Long text',
      email: 'E-mail address',
      tel: 'Phone number',
      number: 'Number',
      date: 'Date',
      /** One of several options. */
      choice: 'Choice',
      checkbox: 'Checkbox',
      file: 'File',
      other: 'Other',
    },
  },
  newField: {
    open: 'Add a field',
    heading: 'New field',
    label: 'Label of the new field',
    labelMissing: 'Write what visitors read beside the field.',
    cancel: 'Don’t add it',
    add: 'Add',
  },
  options: {
    heading: 'Options',
    /** The label of a field of the editor. */
    numbered: 'Option {number}',
    /** The words of a new option, which visitors see until the owner has changed them. */
    words: 'Option {number}',
    remove: 'Remove option {number}',
    add: 'Add an option',
  },
} as const;
