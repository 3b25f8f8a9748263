/** The views *Page* and *Live* of a page, and what they share with others. */
export const page = {
  /** Behind a link, for people who do not see it. */
  opensInNewTab: '(opens in a new tab)',
  view: {
    title: 'Page',
    /** A link to the view that says what is left to do. */
    nextSteps: 'Next steps',
    edit: 'Edit',
    check: 'Check',
    checking: 'Checking the page',
    loadingVersions: 'Loading the versions',
    /** The heading of the name and the address of a page. */
    found: 'How people find it',
  },
  name: {
    label: 'Name',
    hint: 'The title of the page: what browsers, mails and this dashboard call it.',
    missing: 'Enter a name.',
    saved: 'The page is called {name}.',
    /** `{tag}`: `</title>`. *Edit* is the name of a view. */
    noEnd: 'The title of the page has no end: write {tag} behind it, in Edit.',
  },
  address: {
    label: 'Address',
    hint: 'The first part of its address.',
    hintOfNew: 'The first part of its address. Left empty: made of its title.',
    whole: 'Its address: {address}',
    missing: 'Enter letters, such as open-day.',
    saved: 'The page has its new address. The old one leads there for 30 days.',
  },
  preview: {
    heading: 'Preview',
    asOnPhone: 'As on a phone',
    frame: 'Preview of {name}',
    noForms: "Forms can't be sent from the preview: open the page to try them.",
    open: 'Open the page',
  },
  files: {
    heading: 'Files',
    loading: 'Loading the files',
    add: 'Add files',
    /** Buttons; what is in `<unseen>` is for people who do not see the row. */
    replace: 'Replace<unseen> {path}</unseen>',
    remove: 'Remove<unseen> {path}</unseen>',
    single: 'This page is a single file. Add its styles and pictures, or other pages.',
    removed: '{path} is removed.',
    replaced: '{path} is replaced.',
    allReplaced: 'All files are replaced.',
    live: { one: 'Live: {count} file.', other: 'Live: {count} files.' },
    replaceAll: 'Replace all files: drop a folder or a zip here, or choose it.',
    /** `{name}`: of a file. */
    notRead: '{name} could not be read: choose it again.',
    converted: 'Converted to UTF-8: {files}.',
    notUtf8:
      '{path} is not UTF-8, and does not say rightly what it is: save it as UTF-8 in your editor, and choose it again.',
    noIndex: 'There is no {index}: choose the folder that has it, or a zip of that folder.',
    chooseFolder: 'Choose a folder',
    chooseFiles: 'Choose a zip or files',
    notSent: 'There is no connection to the service.',
  },
  replacing: {
    title: 'Replace all files?',
    /** `{name}`: of a zip. The list is that of versions. */
    text: 'Visitors see {name} at once. The version that is live now stays in the list.',
    textOfFiles: {
      one: 'Visitors see {count} file at once. The version that is live now stays in the list.',
      other: 'Visitors see {count} files at once. The version that is live now stays in the list.',
    },
    button: 'Replace',
  },
  versions: {
    heading: 'Versions',
    version: 'Version {version}',
    /** The version that visitors see. */
    live: 'Live',
    preview: 'Preview',
    /** Links and a button; what is in `<unseen>` is for people who do not see the row. */
    source: 'Source<unseen> of version {version}</unseen>',
    changes: 'Changes<unseen> in version {version}</unseen>',
    restore: 'Restore<unseen> version {version}</unseen>',
    isLiveAgain: 'Version {version} is live again.',
    lastShown: { one: 'The last {count} are shown.', other: 'The last {count} are shown.' },
    first: 'Each change of the page makes another version, which can be restored.',
  },
  source: {
    heading: 'Source of version {version}',
    changesHeading: 'Changes from version {since} to {version}',
    loading: 'Loading the source',
    label: 'Source',
    copy: 'Copy the source',
  },
  /** What differs between two versions. */
  changes: {
    comparing: 'Comparing the versions',
    comparingFile: 'Comparing {path}',
    none: 'Both versions are the same.',
    files: { one: '{count} file changed.', other: '{count} files changed.' },
    /** What became of a file. */
    outcomes: { added: 'Added', changed: 'Changed', removed: 'Removed' },
    image: '{path} in version {version}',
    before: 'Before: {size}',
    after: 'After: {size}',
    sizes: '{before} before, now {after}',
    tooLarge: 'It is too large to be compared here.',
    tooManyLines: 'They differ in too many lines to show them.',
    onlyEnds: 'Only the ends of lines differ.',
    linesAdded: { one: '{count} line added', other: '{count} lines added' },
    linesRemoved: { one: '{count} line removed', other: '{count} lines removed' },
    /** The two above. */
    lines: '{added}, {removed}.',
    lineLabel: 'Lines that changed',
    /** Before a line, for people who do not see its colour. */
    added: 'Added:',
    removed: 'Removed:',
    /** Where the lines below begin. */
    line: 'Line {line}',
  },
  /** What the check of a page finds. The first sentence is one of the first two. */
  findings: {
    noForm: 'No form of this page is sent here.',
    /** `{forms}`: such as *1 form*; `{fields}`: such as *3 fields*. */
    forms: '{forms}, {fields}.',
    nothing: 'Nothing to correct.',
    toCorrect: { one: '{count} thing to correct:', other: '{count} things to correct:' },
    toLookAt: { one: '{count} thing to look at:', other: '{count} things to look at:' },
    /** `{message}` is a sentence. `{file}`: the path of a file of a site. */
    at: {
      error: '<strong>Error</strong>, <place>line {line}</place>: {message}',
      warning: '<strong>Warning</strong>, <place>line {line}</place>: {message}',
    },
    inFile: {
      error: '<strong>Error</strong>, <place>{file}, line {line}</place>: {message}',
      warning: '<strong>Warning</strong>, <place>{file}, line {line}</place>: {message}',
    },
    siteNotChecked: 'The files could not be checked: {why}',
    checkingSite: 'Checking the files',
  },
  /** The question before a page is published whose form sends nothing here. */
  question: {
    title: 'What visitors enter would not arrive',
    publish: 'Publish anyway',
    fix: 'Fix it',
  },
  /** How a page comes to visitors. */
  share: {
    heading: 'Share it',
    inPrint: 'In print',
    onSite: 'On another site',
    onSiteHint: 'Paste this where the page is to appear. It keeps its look, and its form works there.',
    copyFrame: 'Copy<unseen> the frame</unseen>',
    onlyForm: 'Only its form, in the look of the other site',
    readingForm: 'Reading the form',
    qrCode: 'QR code of the address',
    svg: 'SVG<unseen> of the QR code</unseen>',
    png: 'PNG<unseen> of the QR code</unseen>',
    noPicture: 'The browser could not make the picture: save the SVG.',
  },
  /** A form to paste into another site. */
  snippet: {
    copy: 'Copy',
    copyAddress: 'Copy the address',
    /** `{address}`: that the form sends to. */
    hint: 'Whatever a form sends to <code>{address}</code> arrives here. Change the fields of this one as you like:',
    /** Words of the form, which visitors read. */
    name: 'Name',
    email: 'E-mail',
    message: 'Message',
    send: 'Send',
    /** A note in the HTML about a field that people do not see. Not with two hyphens beside each other. */
    honeypot: 'Leave it empty: whoever fills it in is a machine.',
  },
  /** The view after a page was published. */
  live: {
    title: 'You’re live',
    titleOfForm: 'Your form',
    /** For people who do not see the picture of the page. */
    label: 'The page',
    /** The address of the page follows, in a line of its own. */
    liveAt: 'You’re live at',
    open: 'Open page',
    copyLink: 'Copy link',
    edit: 'Edit',
    toCorrect: 'What to correct',
    paste: 'Paste this into your page',
    /** `<a>`: a link to the view *Settings*. */
    anySite: 'Forms of any site may send. <a>Settings</a> can allow some only.',
  },
  /** What is left to do once a page is live. */
  steps: {
    heading: 'Next steps',
    loading: 'Loading the next steps',
    done: '{title}<unseen>: done</unseen>',
    toDo: '{title}<unseen>: to do</unseen>',
    test: {
      title: 'Send a test',
      /** What has arrived. */
      arrived: {
        nothing: 'See what arrives when a visitor sends the form.',
        test: 'The test has arrived.',
        submission: 'A submission has arrived.',
      },
      see: 'See it in the inbox',
      send: 'Send a test',
      done: 'The test has arrived.',
      /** What a test has in each field. */
      value: 'Test',
    },
    mail: {
      title: 'Get mail about submissions',
      on: 'Each submission is mailed to {email}.',
      off: 'Read each submission in your mail, too.',
      who: 'Who gets it, and how often',
      turnOn: 'Turn on mail',
      done: 'Mail is on.',
    },
    /** Places for people who register. */
    places: {
      title: 'Limit the places',
      explained: 'The form closes by itself when they are taken.',
      limited: {
        one: 'The form closes when {count} place is taken.',
        other: 'The form closes when {count} places are taken.',
      },
      set: 'Set the places<unseen> in the settings</unseen>',
    },
    thanks: {
      title: 'Thank visitors in your own words',
      explained: 'What they read once the form is sent.',
      write: 'Write it<unseen> in the settings</unseen>',
    },
    domain: {
      title: 'Use a domain of your own',
      explained: 'Such as register.example.com. You can do it later.',
      done: 'Visitors find the page at your domain, too.',
      add: 'Add a domain<unseen> in the settings</unseen>',
      all: 'Domains<unseen> in the settings</unseen>',
    },
    change: 'Change it<unseen> in the settings</unseen>',
  },
} as const;
