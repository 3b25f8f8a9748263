/*
 * The texts of the dashboard in English, by rooms. `{name}` is the place of a value, `{count}` that of the number in a text with plural
 * forms, and `<name>…</name>` marks a part. Comments say what translators cannot see.
 */

export default {
  /** The account of the person, and what others of its parts are used for elsewhere: keys, secrets, the audit, and what a person may not do. */
  account: {
    title: 'Account',
    loading: 'Loading your account',
    address: {
      title: 'E-mail address',
      label: 'New address',
      wrong: 'Enter an address such as ada@example.org.',
      change: 'Change the address',
      /** The name of the field in sentences about it, such as `The address is too long.` */
      name: 'The address',
      done: 'A mail is on its way to the new address: open its link within 24 hours.',
    },
    timeZone: {
      title: 'Time zone',
      hint: 'Of the times in mails and in settings, and of those that visitors read. The first browser that you sign in with has set it; choose another here.',
      /** A time zone. */
      label: 'Zone',
      /** `zone`: the name of a time zone, which is the one of this browser. */
      ofBrowser: '{zone} (this browser)',
    },
    language: {
      title: 'Language',
      hint: 'Of this dashboard, in this browser. Pages that visitors see have a language of their own.',
      /** The language that the browser asks for. */
      asBrowser: 'As the browser',
      change: 'Change the language',
    },
    plan: {
      title: 'Plan',
      hint: 'Storage is for pages, their versions, files, the trash and spam.',
      plan: 'Plan',
      pages: 'Pages',
      /** `used`: a number; `count`: how many pages the plan allows. */
      pagesOf: { one: '{used} of {count} page', other: '{used} of {count} pages' },
      pagesUsed: 'Pages used',
      storage: 'Storage',
      /** Two sizes, such as `2 MB` and `1 GB`. */
      storageOf: '{used} of {all}',
      storageUsed: 'Storage used',
      /** Of the service. */
      version: 'Version',
    },
    /** Keys of the API. */
    keys: {
      title: 'Keys',
      hint: 'For the API, the command line, and for signing in here.',
      loading: 'Loading your keys',
      none: 'There is no key yet: programs and the command line need one.',
      name: 'Name',
      /** What a key may do. */
      scope: 'What it may do',
      scopes: { full: 'Everything', read: 'Read only', publish: 'Publish pages only' },
      /** When the key ends: `Never`, `In 30 days`. */
      expires: 'Expires',
      /** Which pages the key is for: `All`, `Some`. */
      pages: 'Pages',
      allPages: 'All',
      somePages: 'Some',
      create: 'Create a key',
      made: 'Your new key',
      copyNow: 'Copy it now: it is shown this once, and only its hash is stored.',
      unnamed: 'Without a name',
      /** Of a key: it is for these pages and no others. */
      pagesOnly: { one: '{count} page only', other: '{count} pages only' },
      /** After the beginning of the key. The places are times such as `5 minutes ago`, or `in 30 days`. */
      used: 'created {created}, last used {used}',
      usedAndExpires: 'created {created}, last used {used}, expires {expires}',
      neverUsed: 'created {created}, never used',
      neverUsedAndExpires: 'created {created}, never used, expires {expires}',
      revoke: 'Revoke',
      revokeTitle: 'Revoke this key?',
      /** `key`: its name. */
      revokeText:
        'Programs that use {key} are refused from now on. Browsers that signed in with it are signed out, and so is this one if it did.',
      revokeUnnamedText:
        'Programs that use this key are refused from now on. Browsers that signed in with it are signed out, and so is this one if it did.',
      revoked: 'The key is revoked.',
    },
    /** When something ends by itself, by the number of days. */
    lifetimes: { never: 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' },
    /** The choice of some of the owner's pages. */
    whichPages: 'Which pages',
    /** A dialog that shows a secret, such as a key, once. */
    shownOnce: {
      copy: 'Copy',
      /** A button that closes the dialog: the person has copied the secret. */
      close: 'I have it',
    },
    /** Programs that may act for the person. */
    programs: {
      title: 'Programs',
      hint: 'Agents and other programs that you have allowed to act for you, without a key. Each ends 90 days after its last use.',
      loading: 'Loading your programs',
      none: 'You have allowed none.',
      /** What a program may do, in `line`. */
      scopes: { full: 'may do everything', read: 'may read only', publish: 'may publish only' },
      allPages: 'all pages',
      /** `scope`: one of the texts above; `pages`: such as `all pages` or `3 pages`; `allowed`, `used`: times such as `5 minutes ago`, or `in the last hour`. */
      line: '{host}, {scope}, {pages}; allowed {allowed}, used {used}',
      /** A verb: the program may no longer act. */
      end: 'End',
      /** `program`: its name. */
      ended: '{program} may do nothing any more.',
    },
    /** The browsers that are signed in. */
    sessions: {
      title: 'Sessions',
      hint: 'A browser stays signed in for 30 days after its last use.',
      loading: 'Loading your sessions',
      /** Where its name is not known. */
      someBrowser: 'A browser',
      thisBrowser: 'This browser',
      /** Of a browser: times such as `in the last hour` and `5 minutes ago`. */
      line: 'Used {used}, signed in {signedIn}',
      /** A verb. `browser`: such as `Firefox, Linux`. What is in `unseen` is read to people who do not see the row. */
      end: 'End<unseen> the session of {browser}</unseen>',
      ended: 'The session has ended.',
      /** More than one. */
      showAll: {
        one: 'Show all {count}<unseen> sessions</unseen>',
        other: 'Show all {count}<unseen> sessions</unseen>',
      },
      endOthers: 'End all others',
      endOthersTitle: 'End all other sessions?',
      endOthersText: {
        one: '{count} other browser is signed out. This one and your keys stay as they are.',
        other: '{count} other browsers are signed out. This one and your keys stay as they are.',
      },
      othersEnded: 'All other sessions have ended.',
      endAll: 'End all sessions',
      endAllTitle: 'End all sessions?',
      /** The button of the dialog. */
      endAllButton: 'End all',
      endAllText: 'You are signed out in this browser and in all others. Keys stay as they are.',
    },
    /** Who has done what, and when. */
    audit: {
      title: 'Audit',
      hint: 'Who has changed your account and your pages.',
      loading: 'Loading the audit',
      none: 'Nothing has been changed yet.',
      /** What somebody has done. What it was done to follows. */
      actions: {
        'sign-in': 'Signed in',
        'session.end': 'Ended a session',
        'key.create': 'Created a key',
        'key.revoke': 'Revoked a key',
        'grant.create': 'Allowed a program',
        'grant.revoke': 'Ended a program',
        'account.change': 'Changed the account',
        'page.publish': 'Published a page',
        'page.preview': 'Made a preview of a page',
        'page.claim': 'Claimed a page',
        'page.delete': 'Deleted a page',
        'page.undelete': 'Restored a deleted page',
        'page.purge': 'Deleted a page for good',
        'settings.change': 'Changed the settings of a page',
        'domain.add': 'Added a domain',
        'domain.remove': 'Removed a domain',
        'guest.add': 'Invited a guest',
        'guest.change': 'Changed what a guest may do',
        'guest.remove': 'Removed a guest',
        'share.create': 'Shared an inbox by a link',
        'share.delete': 'Ended a shared link',
        'webhook.create': 'Added a webhook',
        'webhook.change': 'Changed a webhook',
        'webhook.delete': 'Removed a webhook',
        'feed.create': 'Made an address for a spreadsheet',
        'feed.change': 'Changed the address for a spreadsheet',
        'feed.delete': 'Ended an address for a spreadsheet',
        'submission.delete': 'Deleted submissions',
        'submission.restore': 'Restored submissions',
        'submission.erase': 'Erased submissions',
        'submission.export': 'Exported submissions',
        'submission.import': 'Imported submissions',
        'page.take-down': 'Took a page down',
        'page.restore': 'Put a page up again',
        'owner.suspend': 'Suspended an owner',
        'owner.resume': 'Ended the suspension of an owner',
        'owner.delete': 'Deleted an owner',
        'owner.plan': 'Changed the plan of an owner',
      },
      /** Who has done it, and how. `actor`: an e-mail address, or `The operator`. */
      ways: {
        key: '{actor} with a key',
        session: '{actor} in a browser',
        grant: '{actor} through a program',
        command: '{actor} by a command',
      },
      /** In place of an address, above: who runs the service. */
      operator: 'The operator',
      /** `who`: who has done it and how, as above; `time`: such as `5 minutes ago`. */
      line: '{who}, {time}',
      /** `ip`: the address in the network that it was done from. */
      lineWithAddress: '{who}, {time}, from {ip}',
    },
    noMail: 'Nothing is mailed: the operator of this service has not set up mail.',
    /** `email`: the address of the person; `a`: a link. */
    noAddress: 'No mail reaches {email}. <a>Enter your address</a> first.',
    /** Why a person may not use a view. */
    mayNot: {
      readOnly: 'You may only read here: sign in with a key that may change things.',
      guest: 'You are a guest here, and have no account: ask the operator of this service for one.',
      guestOfPage: 'You are a guest of this page. Ask its owner for more than you may do now.',
    },
  },
  /** The view of operators of the service: all owners and pages. What the check of the installation finds is said in English, and not here. */
  admin: {
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
      /** What is checked. What the check says of it is in English. */
      names: {
        settings: 'Settings',
        domains: 'Domains of the service',
        proxy: 'Proxy',
        database: 'Database',
        disk: 'Disk',
        backup: 'Backup',
        'custom-domains': 'Domains of pages',
        mail: 'Mail',
        openid: 'OpenID Connect',
        files: 'Files',
        api: 'API',
        pages: 'Pages',
      },
    },
  },
  /** What surrounds all views: the bar, what is said about the session and the connection, messages, and the small parts that views share. */
  bar: {
    /** The links above every view. `{count}`, beside the inbox: how many submissions are unread, such as `3`, or `999+` (a text for every number). */
    nav: {
      /** The name of the links, for screen readers. */
      label: 'Dashboard',
      pages: 'Pages',
      inbox: 'Inbox',
      unread: '{count}<unseen> unread</unseen>',
      statistics: 'Statistics',
      /** What operators of the service see. */
      admin: 'Admin',
      help: 'Help',
      skip: 'Skip to the content',
    },
    /** The menu of the person who is signed in. What is in `<unseen>` is for screen readers only. */
    accountMenu: {
      button: '<unseen>Account menu: </unseen>{email}',
      signedInAs: 'Signed in as {email}',
      account: 'Account',
      trash: 'Trash',
      /** A button. */
      signOut: 'Sign out',
      stillSignedIn: 'You are still signed in: {why}',
    },
    theme: {
      label: 'Dark mode',
      /** `system`: as the system of the computer or phone has it. */
      choices: { system: 'System', light: 'Light', dark: 'Dark' },
    },
    /** Something is wrong with the connection. */
    troubles: {
      offline: 'There is no connection to the service. It is tried again by itself; nothing that you typed is lost.',
      slow: 'The service has not answered yet. It is waited for; nothing that you typed is lost.',
      unavailable: 'The service is busy or starting. It is tried again by itself; nothing that you typed is lost.',
    },
    loadingDashboard: 'Loading the dashboard',
    /** The script of a view is missing. */
    notLoaded: {
      title: 'Not loaded',
      text: 'This view could not be loaded.',
    },
    session: {
      ended: 'Your session has ended',
      signInAgain: 'Sign in again to go on where you were. Nothing that you typed is lost.',
      /** `{other}` and `{email}`: addresses of two people. */
      otherSignedIn:
        '{other} has signed in in another tab. Sign in as {email} to go on where you were, or leave what is here.',
      /** A button. */
      goOnAs: 'Go on as {other}',
      notKept: 'The browser did not keep the session: open the dashboard over https, or at localhost.',
    },
    /** Messages at the bottom of the screen. `{why}`: a sentence. */
    messages: {
      /** A button. */
      undo: 'Undo',
      /** A button that takes the message away. */
      dismiss: 'Dismiss',
      notUndone: 'Not undone: {why}',
      notDeleted: 'Not deleted: {why}',
    },
    copying: {
      copied: 'Copied',
      notAllowed: 'The browser did not allow copying: select the text, and copy it by hand.',
    },
    /** A button, and for screen readers what it is about: `{of}` is a name, or words such as `of the QR code`, after the words on the button. */
    buttonOf: '{label}<unseen> {of}</unseen>',
    /** The heading of a view about one page: `{view}` is `Inbox` or `Settings`, `{page}` the name of the page. */
    viewOfPage: '<unseen>{view}: </unseen>{page}',
    /** What a view of one page has above it. */
    onePage: {
      /** The name of the links to the views, for screen readers. */
      links: 'This page',
      inbox: 'Inbox',
      charts: 'Charts',
      page: 'Page',
      notifications: 'Notifications',
      settings: 'Settings',
      loading: 'Loading the page',
      /** `{notice}`: a sentence of the service, without its full stop. */
      takenDown: '{notice}.',
      takenDownBecause: '{notice}. The operator’s reason: {reason}',
      /** After an address, for screen readers. */
      opensInNewTab: '(opens in a new tab)',
      /** `{page}`: the name of a page. */
      picture: 'Picture of {page}',
    },
    /** A question before something is deleted for good: `{name}` has to be typed. */
    confirm: {
      label: 'Type {name} to confirm',
      wrong: 'Type the name: {name}',
    },
    /** Changes of a view that are not saved yet. */
    unsaved: {
      count: { one: '{count} change', other: '{count} changes' },
      /** A button: forgets the changes. */
      discard: 'Discard',
      /** Beside the heading of a part with such changes. */
      badge: 'Changed',
    },
    /** A time in the past of which only the hour is known: alone, or in a sentence such as `used in the last hour`. */
    inTheLastHour: 'in the last hour',
    /** The name of a log: what was sent by mail. */
    mailLog: 'Mail',
  },
  /** The editor of a page, and the view that makes a new page. */
  editor: {
    /** Ways to a new page. */
    start: {
      newPage: 'New page',
      /** `{title}`: of a finished page, such as *Contact*. */
      newPageOf: 'New page: {title}',
      fromFinished: 'Start from a finished page',
      ownHtml: 'Or use your own HTML',
      dropSite: 'Drop a page here, or a folder or zip with all files of a site. Or choose it.',
      chooseText: 'Choose a text to change it. The colour and the fields of the form are beside the page.',
      /** On a phone. `{settings}`: the name of a button. */
      chooseTextNarrow: 'Choose a text to change it. The colour and the fields of the form are under “{settings}”.',
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
      /** Why a draft that was discarded is not brought back. */
      isNewer: 'There is a newer draft.',
      /** `{files}`: the paths of files. */
      withOthers: 'You see it with your changes of {files}, which are not published.',
      /** The account has another draft than this tab. `this one`: that of the tab. */
      newer: {
        title: 'Your draft was changed elsewhere',
        /** `{time}`: when it was stored, such as `5 minutes ago`. */
        text: 'Your account has another draft, from another tab or browser ({time}). Choose the one to go on with, and copy the other one if you need parts of it.',
        why: 'Your account has another draft, from another tab or browser.',
        copy: 'Copy the other one',
        useMine: 'Go on with this one',
        useOther: 'Go on with the other one',
        mineGoesOn: 'The draft of this tab goes on.',
        otherGoesOn: 'The other draft goes on.',
      },
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
      tryHint: 'Scripts run here. Links to other pages are not followed, and forms are not sent.',
      tryWithLink:
        'Scripts run here. Links to other pages are not followed, and forms are not sent: both work at a preview link.',
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
        formula: 'This is a formula.',
        embedded: 'Something is embedded here, such as a video or another page.',
        field: 'This stands in a field that visitors fill in.',
        nesting: 'Tags are missing or in the wrong order here.',
        hidden: 'This can’t be seen in the page as it is shown here.',
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
      /** In place of the button that chooses a file, for an image of a new page. */
      publishFirst: 'Publish the page first: then you can choose an image file here.',
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
      /** Says what becomes of options that were renamed or removed. */
      keptWords: 'Earlier submissions keep the old words.',
    },
  },
  /**
   * What the form check finds in a page, by its codes. Languages other than English say this before the sentence of the service, which is
   * English and says what to write.
   */
  findings: {
    'no-form': 'The page has no form that visitors can send.',
    'placeholder-misspelt': 'The placeholder of the address is misspelt, so that nothing replaces it.',
    'form-goes-elsewhere': 'The form is sent to another service, and not to this one.',
    'method-get': 'The form is sent with GET, so that nothing is stored.',
    'field-without-name': 'What visitors enter in this field is not sent, because the field has no name.',
    'file-without-multipart': 'Only the name of the file is sent, and not the file.',
    'no-submit-button': 'The form has no button that sends it.',
    'reserved-name': 'The name of this field has a meaning of its own for the service.',
    'foreign-field': 'This field is for another service, and has no effect here.',
    'relative-asset': 'The page needs a file that is not published with it.',
    'missing-file': 'The site lacks a file that this page needs.',
    'insecure-asset': 'Browsers do not load this file: its address begins with http:// and not with https://.',
    'too-many-fields': 'The form sends more fields than a submission may have.',
    'captcha-missing': 'The form lacks the widget of the captcha, so that all it sends is kept as spam.',
    'script-goes-elsewhere': 'A script sends the form to another service, and not to this one.',
    'legacy-charset': 'The form is sent in an old charset, and letters other than English ones are refused.',
    'blocked-by-policy': 'A security policy of the page blocks the form.',
    'origin-hidden': 'The page hides where the form comes from, so that the service refuses what it sends.',
    'not-utf-8': 'The page is not in UTF-8: some letters may be wrong.',
  },
  /** The guides. What is in `<strong>` is on a button or a link, or a heading, of the dashboard: it is the same text as there. */
  help: {
    title: 'Help',
    search: 'Search the guides',
    /** While something is searched for. `{search}`: what was typed. */
    noneFound: 'No guide is found',
    noneHas: 'No guide has “{search}”.',
    showAll: 'Show all guides',
    found: { one: '{count} guide found', other: '{count} guides found' },
    /** A link back to the list. */
    allGuides: 'All guides',
    publish: {
      title: 'Publish a page',
      about: 'From a finished page or your own HTML to an address, and how to change it.',
      picture: 'Three finished pages to start from, and the field for your own HTML',
      /** `<a>` leads to *New page*, and is the same text as that link. */
      start:
        'Choose <a>New page</a>, and start from a finished page. Or paste the HTML that you have, or drop its file.',
      write: 'Change the texts. The preview shows the page, and the check says where a form would not arrive.',
      publish:
        'Choose <strong>Publish</strong>. Your page has an address of its own: send it as a link, or print its QR code.',
      test: 'Choose <strong>Send a test</strong>. It appears in the inbox, as each submission will.',
      change: 'Change a page',
      edit: '<strong>Edit</strong> opens the HTML of the page. The address, the submissions and the settings stay. <strong>Page</strong> lists the versions: <strong>Restore</strong> makes an earlier one live again.',
      delete: 'Delete a page',
      /** `<a>` leads to the trash. */
      trash:
        '<strong>Delete</strong> takes the page offline and moves it to the <a>trash</a>, with its submissions. <strong>Undo</strong> or <strong>Restore</strong> brings it back.',
    },
    inbox: {
      title: 'Your inbox',
      about: 'Read, search, sort out and export what people sent.',
      picture: 'The list of submissions, the unread ones in bold',
      /** `<a>` leads to the inbox of all pages, and is the same text as that link. */
      read: 'Each page has an inbox, and <a>Inbox</a> shows the submissions of all pages. New ones appear by themselves, unread ones in bold. Open one to read it: it counts as read then.',
      find: 'Find submissions',
      search:
        'Search in all texts, or choose days, unread ones, or those with a star. The list grows while you scroll.',
      several: 'Work with several',
      select:
        'Select submissions to mark, star or delete them together. <strong>Shortcuts</strong> lists the keys that do the same.',
      take: 'Take them with you',
      export: '<strong>Export</strong> saves as a table for Excel, or as CSV, what the list shows.',
    },
    notifications: {
      title: 'Mail and webhooks',
      about: 'Get mail about submissions, or send them on to Slack, Discord, Teams, Telegram, Zapier and others.',
      picture: 'The settings of the mail, and a webhook',
      mail: 'Mail',
      switchOn:
        'Open the page, choose <strong>Notifications</strong>, and switch on <strong>Send mail about submissions</strong>. You get a mail for each submission, or one an hour or a day. Other recipients get a mail first, and confirm their address with its link.',
      webhooks: 'Webhooks',
      add: 'A webhook is an address of another program, to which each submission is sent at once. Paste the address that Slack, Discord, Teams, Google Chat, Telegram, Zapier or your own program gives you, and choose <strong>Add webhook</strong>.',
      failed: 'If something does not arrive',
      logs: 'Each log shows the attempts and their results. A failed one is tried again by itself. <strong>Send again</strong> repeats one at once, <strong>Replay all failed</strong> all of them.',
    },
    spam: {
      title: 'Spam',
      about: 'Keep unwanted submissions out, and get wanted ones back.',
      picture: 'Submissions in the spam folder',
      folder:
        'Unwanted submissions go to the folder <strong>Spam</strong> of the inbox. Nobody is notified of them, and they are deleted after 30 days.',
      keepOut: 'Keep spam out',
      settings:
        'Open the page, choose <strong>Settings</strong>, and list words that only spam has. If that is not enough, switch on a captcha: the browsers of your visitors then solve a puzzle before they send.',
      good: 'If something good is in the folder',
      notSpam:
        'Select it, and choose <strong>Not spam</strong>: it is in the inbox then, and mail and webhooks get it.',
    },
    yourSite: {
      title: 'A form on your own site',
      about: 'Keep your site where it is, and receive only its form here.',
      picture: 'The form to paste into your own page',
      stays: 'Your site stays where it is: only its form sends to this service.',
      /** `<a>` leads to *My form is on another site*, and is the same text as that choice. */
      choose: 'Choose <a>My form is on another site</a>, and give the form a name.',
      paste: 'Paste the form that you get into your page. Change its fields as you like.',
      send: 'Send it once. The submission appears in the inbox.',
      /** What is in `<code>` stays as it is. The words in quotation marks are a heading of the dashboard. */
      own: 'You have a form already? Give it <code>method="post"</code>, and as its <code>action</code> the address that <strong>Copy the address</strong> copies. It is also in the view <strong>Page</strong>, under “On another site”, in “Only its form, in the look of the other site”.',
      lead: 'Lead visitors back',
      thanks:
        'Visitors see a page that thanks them, with a link back to your site. <strong>Settings</strong> can lead them to a page of your own, and accept the form from your site only.',
    },
    domain: {
      title: 'Your own domain',
      about: 'Give a page an address such as forms.example.org, step by step.',
      picture: 'The settings of a page, with its domains',
      what: 'A page can have an address of your own, such as forms.example.org, besides the one that it got here.',
      enter: 'Open the page, choose <strong>Settings</strong>, and enter the domain under <strong>Domains</strong>.',
      /** The words in quotation marks are what companies call these settings. */
      records:
        'Two records appear. Open the DNS settings at the company where you have the domain, often called “DNS”, “Zone” or “Name server”, and add both there exactly as they are shown.',
      check:
        'Come back, and choose <strong>Check now</strong>. New records take minutes at most companies, and a day at some; they are checked by themselves, too.',
      trouble: 'If it does not work',
      names:
        'Many companies add the domain to the name of a record by themselves: enter only what stands before it. A domain that leads to another site already can’t lead here, too: take a name below it, such as forms.example.org.',
    },
    registration: {
      title: 'A registration with places',
      about: 'Let people register until it is full, or until a time.',
      picture: 'The finished pages to start from, of which one is a registration',
      what: 'For a course, a dinner or an open day: people register until all places are taken, or until a time.',
      /** `<a>` leads to *New page*, and is the same text as that link. *Registration* is the name of a finished page. */
      choose: 'Choose <a>New page</a> and <strong>Registration</strong>, change its texts, and publish it.',
      settings:
        'Open <strong>Settings</strong>. Enter how many places there are, and when the registration opens and closes.',
      mail: 'Open <strong>Notifications</strong>, and switch on mail about submissions, so that you hear of each registration.',
      test: 'Choose <strong>Send a test</strong>. It takes no place.',
      full: 'When it is full',
      late: 'Nobody gets a place too many, also if two people send at the same moment. Whoever is late reads that it is full. Delete a registration, and its place is free again.',
      take: 'Take the list with you',
      export: '<strong>Export</strong> in the inbox saves all registrations as a table for Excel.',
    },
  },
  /** Brings submissions from a file into the inbox of a page. */
  importing: {
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
    /** What is wrong with a line of the file, by the codes of the service. English has its own sentences. `value`: a number, or a text of the file. A row is a line of a table; a cell is a value in it. */
    faults: {
      'open-quote': 'A quote that begins a cell here is never closed: close it, or double the quotes inside the cell.',
      'early-quote': 'A quoted cell goes on after its closing quote: double the quotes inside the cell.',
      'inner-quote': 'A quote is in the middle of a cell: put the cell in quotes, and double the quotes inside it.',
      'long-row': 'The row is too large: shorten its values, or check the quotes before it.',
      'unreadable-row': 'The row can’t be read: check its quotes.',
      'long-line': 'The line is too long: at most {value} bytes are possible.',
      'no-id': 'The row has no id of a submission, as the first row has.',
      'too-many-cells': 'The row has more cells than the header row: check its quotes and separators.',
      'changed-export': 'The column “{value}” is not as it was exported.',
      'unnamed-column': 'A cell stands in a column without a name: give the column a name.',
      'no-object': 'The line is not a JSON object.',
      'no-json': 'The line is not valid JSON.',
      'too-deep': 'The line is nested too deeply: at most {value} levels are possible.',
      'too-many-fields': 'The row has too many fields: at most {value} are possible.',
      'too-many-values': 'The row has too many values: at most {value} are possible.',
      'too-large': 'The row is too large: at most {value} bytes are possible.',
      'no-ip-address': '“{value}” is not an IP address.',
      'no-time': '“{value}” is not a time that can be read: write it as 2024-05-01T13:45:10Z.',
      'before-1970': 'The time is before 1970.',
      'in-future': 'The time is in the future.',
      'month-first': 'The time has its month first.',
      'day-first': 'The time has its day first.',
      'other-order': 'The time has its day and its month in another order than that of line {value}.',
      'either-order':
        'The day or the month could come first here, as in all times of the file: choose the order under “Day and month”.',
      'impossible-order':
        'The time is in the future, or before 1970, with its day and month in the order of the other rows.',
    },
  },
  /** The inbox of a page or of all pages, with its folders for spam and for what was deleted; and the trash of pages. */
  inbox: {
    /** The heading of the view. */
    title: 'Inbox',
    loading: 'Loading the inbox',
    loadingMore: 'Loading more…',
    /** Says why a change was not stored. */
    notSaved: 'Not saved: {why}',
    /** Said to people who do not see the list. */
    arrived: { one: '{count} new submission', other: '{count} new submissions' },
    turnedAway: {
      one: 'About {count} visitor could not send in the last 7 days, because many sent within a minute.',
      other: 'About {count} visitors could not send in the last 7 days, because many sent within a minute.',
    },
    /** A link to the setting that says how many submissions a minute are accepted. */
    acceptMore: 'Accept more a minute',

    /** Why the list is empty, and the next step. */
    empty: {
      unread: 'Nothing is unread',
      unreadHint: 'You have opened everything that was sent.',
      starred: 'Nothing has a star',
      starredHint: 'Give a star to what you want to find again.',
      notFound: 'Nothing was found',
      notFoundHint: 'No submission matches.',
      showAll: 'Show all submissions',
      atFirst: 'Nothing was sent yet',
      atFirstOnPage: 'Each submission of the form of this page appears here when it is sent.',
      atFirstOnAll: 'Each submission of your forms appears here when it is sent.',
      openPage: 'Open the page',
      /** A link to the list of pages. */
      yourPages: 'Your pages',
      notify: 'Get a mail about each submission',
      importEarlier: 'Import earlier submissions',
      formElsewhere: 'My form is on another site',
    },

    /** The parts of the inbox: places, not actions. */
    folders: {
      label: 'Folders',
      more: 'More folders',
      inbox: 'Inbox',
      unread: 'Unread',
      /** The submissions with a star. */
      starred: 'Starred',
      spam: 'Spam',
      /** The submissions that are not done yet. */
      toDo: 'To do',
      done: 'Done',
      trash: 'Trash',
    },

    /** The search and the menus above the list. */
    toolbar: {
      /** A verb: the label of the field for the search. */
      search: 'Search',
      /** What the field says while it is empty. */
      searchAll: { one: 'Search {count} submission', other: 'Search {count} submissions' },
      found: { one: '{count} found', other: '{count} found' },
      /** While the search goes on. `{searched}` of `{total}` submissions have been looked at. */
      foundSoFar: {
        one: '{count} found, {searched} of {total} searched',
        other: '{count} found, {searched} of {total} searched',
      },
      /** Ends the search. */
      clear: 'Clear',
      /** The help about keys of the keyboard. */
      shortcuts: 'Shortcuts',
      /** A menu that chooses the form whose submissions are shown. */
      forms: 'Forms',
      allForms: 'All forms',
    },

    /** A menu that chooses the days of the submissions that are shown. */
    dates: {
      menu: 'Dates',
      today: 'Today',
      last7Days: 'Last 7 days',
      last30Days: 'Last 30 days',
      thisMonth: 'This month',
      /** The label of a field for the first day. */
      first: 'From',
      /** The label of a field for the last day. */
      last: 'To',
      all: 'All dates',
      /** What is chosen; the places are days such as `Jan 31`. */
      between: '{from} – {to}',
      since: 'From {day}',
      until: 'Until {day}',
    },

    /** Files with submissions. */
    exporting: {
      /** The name of the menu. */
      menu: 'Export',
      matching: 'All submissions that match',
      all: 'All submissions',
      page: 'Page',
      csv: 'Export CSV',
      excel: 'Export Excel',
      /** The name of the file with the submissions that are selected, without its ending. `{page}`: the address of the page. */
      fileOfPage: '{page}-selection-{day}',
      fileOfAll: 'inbox-selection-{day}',
    },

    /** The columns of the list, and a menu that chooses them. */
    columns: {
      menu: 'Columns',
      empty: 'Empty in all submissions',
      most: { one: 'No more than {count} column fits.', other: 'No more than {count} columns fit.' },
      byThemselves: 'Choose them for me',
      /** The headings of columns. */
      submission: 'Submission',
      page: 'Page',
      summary: 'Summary',
      form: 'Form',
      star: 'Star',
      moreFields: 'More fields',
      /** When the submission was received. */
      received: 'Received',
      fieldWithoutName: 'Field without a name',
    },

    /** The totals of number fields, at the end of the list. */
    sums: {
      label: 'Sums',
      /** Of all submissions of the list. */
      sum: 'Sum',
      ofNewest: { one: 'Sum of the newest {count}', other: 'Sum of the newest {count}' },
      /** A button that reads the other submissions too. */
      ofAll: 'Sum of all',
    },

    /** The rows of the list. `{title}`: the first text of a submission. */
    rows: {
      label: 'Submissions',
      /** A title of a submission that was sent to test the form. */
      test: 'Test',
      /** A title of a submission without texts. */
      empty: 'Empty submission',
      /** Stand before a title for people who do not see the list. */
      unread: 'Unread:',
      done: 'Done:',
      /** Stands after a title for people who do not see the list. */
      withNote: '(with a note)',
      starred: 'Starred: {title}',
      /** A verb: gives it a star. */
      star: 'Star {title}',
      select: 'Select {title}',
      selectLoaded: 'Select all that are loaded',
      /** Fields that have no column. */
      otherFields: { one: '{count} more field', other: '{count} more fields' },
    },

    /** What a submission is, beside its title. */
    marks: {
      unread: 'Unread',
      test: 'Test',
      /** Nothing is left to do about it. */
      done: 'Done',
    },

    /** What can be done with submissions: the texts of buttons. */
    actions: {
      markRead: 'Mark read',
      markUnread: 'Mark unread',
      /** A verb: gives a star. */
      star: 'Star',
      removeStar: 'Remove star',
      /** Moves to the folder for spam. */
      spam: 'Spam',
      delete: 'Delete',
      /** Says that nothing is left to do about it. */
      done: 'Done',
      /** Says that there is something to do about it again. */
      reopen: 'Open again',
      /** A menu with further actions. */
      more: 'More',
      restore: 'Restore',
      deleteForGood: 'Delete for good',
      notSpam: 'Not spam',
      reply: 'Reply',
      copy: 'Copy as text',
      print: 'Print',
    },

    /** The bar for the submissions that are selected. */
    selection: {
      label: 'Selection',
      none: 'Select none',
      selected: {
        some: { one: '{count} submission selected', other: '{count} submissions selected' },
        matching: 'all submissions that match selected',
        all: { one: 'all {count} submission selected', other: 'all {count} submissions selected' },
      },
      /** A button that selects more than what is loaded. */
      select: {
        some: { one: 'Select {count} submission', other: 'Select {count} submissions' },
        matching: 'Select all submissions that match',
        all: { one: 'Select all {count} submission', other: 'Select all {count} submissions' },
      },
    },

    /** The questions before a change of many submissions. */
    questions: {
      delete: {
        some: { one: 'Delete {count} submission?', other: 'Delete {count} submissions?' },
        matching: 'Delete all submissions that match?',
        all: { one: 'Delete all {count} submission?', other: 'Delete all {count} submissions?' },
      },
      deleteText: 'They stay in the trash for 7 days. You can restore them there, one by one.',
      spam: {
        some: { one: 'Move {count} submission to spam?', other: 'Move {count} submissions to spam?' },
        matching: 'Move all submissions that match to spam?',
        all: { one: 'Move all {count} submission to spam?', other: 'Move all {count} submissions to spam?' },
      },
      spamText: 'They stay in the spam folder for 30 days, which keeps the last 1,000.',
      spamButton: 'Move to spam',
    },

    /** What has become of submissions. `Before` stands after an error: so many were changed before it. `{why}`: a sentence. */
    outcomes: {
      deleted: { one: '{count} submission deleted.', other: '{count} submissions deleted.' },
      deletedSoFar: { one: '{count} submission deleted…', other: '{count} submissions deleted…' },
      deletedBefore: {
        one: '{why} {count} submission deleted before.',
        other: '{why} {count} submissions deleted before.',
      },
      changed: { one: '{count} submission changed.', other: '{count} submissions changed.' },
      changedSoFar: { one: '{count} submission changed…', other: '{count} submissions changed…' },
      changedBefore: {
        one: '{why} {count} submission changed before.',
        other: '{why} {count} submissions changed before.',
      },
      movedToSpam: { one: '{count} submission moved to spam.', other: '{count} submissions moved to spam.' },
      released: { one: '{count} submission in the inbox now.', other: '{count} submissions in the inbox now.' },
      releasedBefore: {
        one: '{why} {count} submission in the inbox now before.',
        other: '{why} {count} submissions in the inbox now before.',
      },
      restored: { one: '{count} submission in the inbox again.', other: '{count} submissions in the inbox again.' },
      restoredBefore: {
        one: '{why} {count} submission in the inbox again before.',
        other: '{why} {count} submissions in the inbox again before.',
      },
      purged: { one: '{count} submission deleted for good.', other: '{count} submissions deleted for good.' },
      purgedBefore: {
        one: '{why} {count} submission deleted for good before.',
        other: '{why} {count} submissions deleted for good before.',
      },
    },

    /** A submission that is open. */
    detail: {
      label: 'Submission',
      loading: 'Loading the submission',
      gone: 'This submission is not there',
      goneHint: 'It was deleted, or it is kept as spam.',
      back: 'Back to the list',
      /** The submission that came after this one, or before it. */
      newer: 'Newer',
      older: 'Older',
      /** Stands for the name of a page that is not known, such as in the subject of a reply. */
      yourMessage: 'Your message',
      form: 'Form: {form}',
      copied: 'Copied as text.',
      notCopied: 'The browser did not allow copying: select the text, and copy it by hand.',
      /** The first line of a submission that is copied as text. */
      copiedHead: '{page}, {time}',
      note: 'Note',
      notePlaceholder: 'Visitors never see it',
      noteTooLong: { one: 'A note has at most {count} character.', other: 'A note has at most {count} characters.' },
      noFields: 'It was sent without fields.',
      /** A field without a value. */
      emptyField: 'Empty',
      fileWithoutName: 'File without a name',
      /** `{address}`: the IP address that has sent it. */
      from: 'From {address}',
      /** The version of the page. */
      version: 'Version {version}',
      /** A part that is folded, with facts about the service. */
      details: 'Details',
      failed: { one: '{count} delivery failed', other: '{count} deliveries failed' },
      /** The mails and webhooks that a submission has caused. */
      deliveries: 'Deliveries',
      loadingDeliveries: 'Loading the deliveries',
      noDeliveries: {
        one: 'The last delivery is not of this submission.',
        other: 'None of the last {count} deliveries is of this submission.',
      },
      allDeliveries: 'All deliveries',
    },

    /** What the keys of the keyboard do. */
    shortcuts: {
      title: 'Keyboard shortcuts',
      next: 'Next, older submission',
      previous: 'Previous, newer submission',
      /** A verb. */
      open: 'Open',
      back: 'Back to the list, or select none',
      readOrUnread: 'Mark as read or unread',
      /** A verb: gives a star. */
      star: 'Star',
      doneOrOpen: 'Done, or open again',
      select: 'Select',
      delete: 'Delete',
      undo: 'Undo',
      search: 'Search',
      help: 'This help',
      use: 'Use shortcuts of one key',
      close: 'Close',
    },

    /** The folders that are kept apart from the inbox. */
    kept: {
      searching: 'Searching',
      found: { one: '{count} submission found', other: '{count} submissions found' },
      notFoundHint: 'No submission in this folder matches.',
    },

    /** The folder for spam. */
    spam: {
      loading: 'Loading the spam',
      search: 'Search spam',
      empty: 'There is no spam',
      emptyHint: 'Submissions with a blocked word, or without a solved captcha, wait here for 30 days.',
      /** A link to the settings: words that are blocked. */
      setUp: 'Set up words and a captcha',
      /** Why a submission is spam. */
      reasons: {
        blocklist: 'Has a blocked word',
        honeypot: 'Filled in a field that people do not see',
        'captcha-missing': 'Without a captcha',
        'captcha-failed': 'Wrong captcha',
        'captcha-reused': 'Captcha used before',
        'captcha-misconfigured': 'The captcha’s secret is wrong',
        'captcha-unavailable': 'The captcha gave no answer',
        marked: 'Marked by you',
      },
      /** The words for which it was blocked. */
      blocked: 'Blocked: {words}',
      deleteTitle: { one: 'Delete {count} submission?', other: 'Delete {count} submissions?' },
      deleteText: 'Spam does not go to the trash. Nobody can restore it afterwards.',
      deleteAll: 'Delete all spam',
      deleteAllTitle: 'Delete all spam?',
      deleteAllButton: 'Delete all',
      deleteAllText: {
        one: '{count} submission and their files are deleted.',
        other: '{count} submissions and their files are deleted.',
      },
      deleteAllForGood: {
        one: '{count} submission and their files are deleted for good. Nobody can restore them afterwards.',
        other: '{count} submissions and their files are deleted for good. Nobody can restore them afterwards.',
      },
      deletedAll: 'The spam is deleted.',
    },

    /** The folder for submissions that were deleted. */
    deleted: {
      loading: 'Loading the trash',
      search: 'Search trash',
      empty: 'The trash is empty',
      emptyHint: 'Submissions that you delete stay here for 7 days. You can restore them until then.',
      /** The places are times such as `5 minutes ago`, or dates. */
      times: 'Deleted {deletedAt}, received {receivedAt}',
      purgeTitle: { one: 'Delete {count} submission for good?', other: 'Delete {count} submissions for good?' },
      purgeText: 'Files are deleted too. Nobody can restore anything afterwards.',
    },

    /** The pages that were deleted. `{page}`: the title of a page. */
    trash: {
      title: 'Trash',
      loading: 'Loading the trash',
      empty: 'The trash is empty',
      emptyHint:
        'Pages that you delete stay here for 30 days, if the operator has chosen no other time. You can restore them until then.',
      /** `{submissions}`: their number, such as `3 submissions`. `{deletedAt}`: a time such as `5 minutes ago`, or a date. */
      facts: '{submissions}, deleted {deletedAt}',
      restore: 'Restore',
      restored: '{page} is live again.',
      taken: 'This address is taken',
      takenText: 'Another page has the address {address} now. Choose one to restore this page with.',
      newAddress: 'New address',
      restoreIt: 'Restore it',
      purge: 'Delete for good',
      purgeTitle: 'Delete for good?',
      purgeText: {
        one: 'The page, its {count} submission and their files are deleted. Nobody can restore them afterwards.',
        other: 'The page, its {count} submissions and their files are deleted. Nobody can restore them afterwards.',
      },
      purged: '{page} is gone for good.',
    },
  },
  /** Who is told of submissions: people by mail, programs and chats by webhooks, and spreadsheets. */
  notifications: {
    title: 'Notifications',
    loading: 'Loading the notifications',
    /** After the name of a button such as *Send a test*, for people who do not see the row. `receiver`: an address. */
    toReceiver: 'to {receiver}',
    toRecipients: 'to the recipients',
    /** After the name of a button such as *Show secret*, for people who do not see the row. */
    ofReceiver: 'of {receiver}',

    mail: {
      title: 'Mail',
      about: 'People learn of submissions, and can answer them, by mail.',
      /** Beside the address of the owner, who reads this. */
      you: 'You',
      /** In place of an address, for guests of the page. */
      owner: 'The owner of the page',
      /** Buttons: they take the address of the owner into the list, or another one. */
      add: 'Add',
      /** After *Add* or *Remove*, for people who do not see the row. */
      yourAddress: 'your address',
      /** In its place, for guests of the page. */
      ownersAddress: 'the owner’s address',
      /** After *Add*, for people who do not see the row. */
      theRecipient: 'the recipient',
      othersGet: 'You get no mail: the others do.',
      nobodyElse: 'Nobody else has confirmed: you get the mail until somebody has.',
      removedOnceSaved: '{email} is removed once you save.',
      /** The label of a field. */
      addRecipient: 'Add a recipient',
      sendTest: 'Send a test mail',
    },

    /** The states of a receiver: a person, or a program. */
    states: {
      /** It is switched on, or off. */
      on: 'On',
      off: 'Off',
      nothingSent: 'Nothing sent yet',
      /** What was sent last did not arrive, and is tried again. */
      failing: 'Failing',
      /** What was sent last did not arrive. */
      failed: 'Failed',
      works: 'Works',
      missedSome: 'Has missed some',
      /** By the person who reads this, and not saved. */
      changed: 'Changed',
      notConfirmed: 'Not confirmed yet',
      confirmed: 'Confirmed',
      /** `time`: such as `in 5 minutes`. */
      nextAttempt: 'Next attempt {time}',
    },

    webhooks: {
      title: 'Chats and other programs',
      about: 'Each submission is posted to them, and tried again until it arrives.',
      /** The heading of the form. */
      addReceiver: 'Add a receiver',
      /** Its button. */
      add: 'Add webhook',
      added: 'The webhook is added. Send a test to see whether it works.',
      url: 'Webhook URL',
      /** The label of a choice: Slack, Discord and others. */
      receiver: 'Receiver',
      /** The label of a field for the id of a chat of Telegram. */
      chat: 'Chat',
      chatHint: 'A number such as -1001234567890, or @name of a channel.',
      sendTest: 'Send a test',
      showSecret: 'Show secret',
      copySecret: 'Copy secret',
      /** Buttons: they make a new secret in place of this one. */
      rotateSecret: 'Rotate secret',
      rotate: 'Rotate',
      askRotate: 'Rotate the secret?',
      rotateText: 'Give the new one to your receiver within 24 hours: until then the one before signs as well.',
      rotated: 'There is a new secret. The one before works for another 24 hours.',
      switchOff: 'Switch off',
      switchOn: 'Switch on',
      isOff: 'New submissions are not sent to it.',
      isOn: 'New submissions are sent to it, and what has waited.',
      failedBefore: { one: '{count} delivery failed before.', other: '{count} deliveries failed before.' },
      /** `time`: such as `5 minutes ago`. `error`: a sentence. */
      beganToFail: 'It began to fail {time}: {error}',
      replay: 'Replay all failed',
      replayed: 'They are sent again: the log shows what becomes of them.',
      delete: 'Delete',
      /** `host`: such as `example.org`. */
      deleted: '{host} gets nothing any more.',
      /** What a webhook is sent. `standard`: *Standard Webhooks* is a name. */
      gets: {
        standard: 'It gets events of Standard Webhooks.',
        discord: 'It gets messages for Discord.',
        teams: 'It gets messages for Microsoft Teams.',
        googleChat: 'It gets messages for Google Chat.',
        telegram: 'It gets messages for Telegram in the chat {chat}.',
      },
      ownHeaders: 'Headers of your own: {names}.',
      /** The name of a receiver in a list. */
      aProgram: 'A program',
    },

    /** The receivers that can be chosen, and how one finds the address of each: in the words of its own pages, in the language that they have. */
    receivers: {
      own: {
        label: 'A program of your own',
        gets: 'It gets each submission in a request, signed with a secret.',
      },
      standard: {
        label: 'A program with Standard Webhooks',
        gets: 'It gets each submission as the libraries of Standard Webhooks expect events, signed with a secret.',
      },
      slack: {
        make: 'In Slack, make an app with an incoming webhook.',
        paste: 'Paste its address: https://hooks.slack.com/services/…',
      },
      discord: {
        make: 'In the settings of your channel, open Integrations, Webhooks, and make a new webhook.',
        paste: 'Press Copy Webhook URL, and paste it: https://discord.com/api/webhooks/…',
      },
      teams: {
        make: 'At your channel, open Workflows, and choose the template that posts to a channel when a webhook request is received.',
        paste: 'Copy the address that it shows at the end, and paste it.',
      },
      googleChat: {
        make: 'In the menu of your space, open Apps & integrations, and add a webhook.',
        paste: 'Copy its address, and paste it: https://chat.googleapis.com/v1/spaces/…',
      },
      telegram: {
        make: 'Make a bot with @BotFather, and add it to your chat. The address is https://api.telegram.org/bot, its token and /sendMessage.',
        chat: 'Below, give the id of the chat: a number, or @name of a channel.',
      },
      zapier: { make: 'Begin a Zap with Webhooks by Zapier, Catch Hook.' },
      make: { make: 'Begin a scenario with Webhooks, Custom webhook.' },
      n8n: {
        make: 'Begin a workflow with a Webhook node for POST.',
        paste: 'Paste its production URL.',
      },
      pasteAddress: 'Paste its address.',
    },

    /** Secret addresses at which spreadsheets read submissions. */
    spreadsheets: {
      title: 'Spreadsheet',
      about: 'A spreadsheet reads the newest 10,000 submissions at a secret address. Who has it can read them too.',
      /** The label of a field: the name that an address gets. */
      name: 'Name',
      nameHint: 'Such as the name of the sheet.',
      make: 'Make an address',
      made: 'The address is made: copy it into your spreadsheet.',
      notRead: 'Not read yet',
      /** `time`: such as `5 minutes ago`. */
      lastRead: 'Last read {time}',
      copy: 'Copy address',
      copyForSheets: 'Copy for Google Sheets',
      /** After the two buttons above, for people who do not see the row: whose address is copied. */
      ofName: 'of {name}',
      /** A button: it makes a new address in place of this one. */
      replace: 'Replace',
      /** After the button above, for people who do not see the row. */
      theAddressOf: 'the address of {name}',
      askReplace: 'Replace the address?',
      replaceText: 'The present one ends at once. Put the new one into your spreadsheet.',
      replaced: 'There is a new address. The one before has ended.',
      askRemove: 'Remove this address?',
      removeText: 'Spreadsheets that read it get nothing new any more. What they have stays in them.',
      removed: 'The address has ended.',
      howTo: 'How to use an address',
      /** With the words of the menus of each program, in the language that they have. */
      steps: {
        sheets:
          '<strong>Google Sheets</strong>: copy for Google Sheets, and paste into the first cell of an empty sheet. It is read again about once an hour.',
        excel:
          '<strong>Excel</strong>: Data, From Web, paste the address, Anonymous, Load. Under Query Properties, choose how often it is read again.',
        libreOffice:
          '<strong>LibreOffice</strong>: Sheet, External Links, paste the address. Under Update every, choose how often it is read again.',
      },
    },

    /** What was sent to a receiver. `unseen`: for people who do not see what the log belongs to. */
    log: {
      title: 'Log<unseen> of {receiver}</unseen>',
      ofRecipients: 'Log<unseen> of the recipients</unseen>',
      loading: 'Loading the log',
      nothingSent: 'Nothing has been sent yet: send a test.',
      testSent: 'The test is on its way: the log shows what became of it.',
      testOrList: 'A test, or a list of submissions.',
      /** A link to it. */
      theSubmission: 'The submission',
    },

    /** A delivery: a submission on its way to a receiver. */
    delivery: {
      statuses: {
        delivered: 'Delivered',
        failed: 'Failed',
        onItsWay: 'On its way',
        /** It has failed, and is tried again. */
        failing: 'Failing',
      },
      removedRecipient: 'a recipient that was removed',
      /** After *Send again*, for people who do not see the row. */
      toRemovedRecipient: 'to a recipient that was removed',
      notTried: 'Not tried yet.',
      tried: { one: '{count} attempt.', other: '{count} attempts.' },
      /** `answer`: such as `HTTP 404`. */
      notTriedAgain: 'Not tried yet, last answer: {answer}.',
      answered: {
        one: '{count} attempt, last answer: {answer}.',
        other: '{count} attempts, last answer: {answer}.',
      },
      /** `time`: such as `in 5 minutes`. */
      nextAttempt: 'Next attempt: {time}.',
      sendAgain: 'Send again',
      sentAgain: 'It is sent again.',
      /** A heading that opens. `unseen`: for people who do not see the row. `receiver`: an address. */
      whatWasAnswered: 'What was answered<unseen> by {receiver}</unseen>',
      loadingAttempts: 'Loading the attempts',
      noAttempt: 'No attempt has ended yet.',
      /** `time`: when it began, such as `5 minutes ago`. `duration`: in milliseconds. */
      noAnswer: '{time}, after {duration} ms: no answer',
      httpStatus: '{time}, after {duration} ms: HTTP {status}',
    },
    /** Why an attempt failed, by the codes of the service. English has its own sentences, which name as much. `value`: the status, the number or the name in the sentence. */
    failures: {
      'receiver-status': 'The receiver answered {value}.',
      'receiver-refused': 'The receiver answered a success, and says that the message was not delivered.',
      'receiver-slow': 'The receiver did not answer completely within the time limit.',
      'cut-off': 'The connection was closed before the answer was complete.',
      'invalid-url': 'The URL is not valid.',
      'fenced-address': 'Webhooks may not reach this address.',
      'leads-here': 'The URL leads back to this service.',
      unresolved: 'The name could not be resolved.',
      'connection-refused': 'The connection was refused.',
      unreachable: 'The receiver could not be reached.',
      'no-secure-connection': 'No secure connection could be made.',
      'invalid-certificate': 'The certificate is not valid.',
      'not-http': 'The answer is not HTTP.',
      'long-headers': 'The answer has more than {value} bytes of headers.',
      'long-interim': 'The receiver sent more than {value} bytes with a status of 1xx.',
      unknown: 'The attempt failed.',
      'mail-off': 'Mail is off: the operator has not set SMTP_URL.',
      'mail-status': 'The mail server answered {value}.',
      'mail-login': 'The mail server refused the user name or password.',
      'mail-connection-refused': 'The connection to the mail server was refused.',
      'mail-unreachable': 'The mail server could not be reached.',
      'mail-unresolved': 'The name of the mail server could not be resolved.',
      'mail-cut-off': 'The mail server closed the connection.',
      'mail-slow': 'The mail server did not answer in time.',
      'mail-no-secure-connection': 'No secure connection to the mail server could be made.',
      'mail-invalid-certificate': 'The certificate of the mail server is not valid.',
      'mail-not-smtp': 'The mail server did not speak SMTP.',
      'mail-address': 'The address is not one that mail can be sent to.',
      'mail-too-large': 'The mail is larger than the mail server accepts.',
      'mail-unknown': 'The mail could not be sent ({value}).',
      'mail-refused-before': 'The mail server has refused other mails to the address.',
      'visitor-address': 'The field {value} of the submission is not one plain mail address.',
      'visitor-refused-before': 'The mail server has refused the address before.',
      'visitor-limit': 'The address gets one confirmation of this page a day.',
      'confirmation-limit': 'The confirmations of this day are used up.',
      'service-stopped': 'The service stopped during the last attempt.',
      'service-failed': 'An internal error of the service.',
      unreadable: 'The delivery cannot be read: {value}',
    },
  },
  /** The views *Page* and *Live* of a page, and what they share with others. */
  page: {
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
      /** `missing`: a hint with the button of *Who may send* that changes it. `done`: after that. */
      tools: {
        missing: 'Agents in browsers do not know the forms of this page.',
        done: 'Agents in browsers know the forms now.',
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
  },
  /** The list of pages, and what is said about a page in it. */
  pages: {
    title: 'Pages',
    newPage: 'New page',
    loading: 'Loading your pages',
    /** A heading: pages of other owners. */
    sharedWithYou: 'Shared with you',
    /** Where there is no page yet. */
    none: {
      own: 'You have no pages yet',
      start: 'Start from a finished page: its texts can be changed before it goes live.',
      paste: 'Paste or drop HTML',
      title: 'There are no pages yet',
      readOnly: 'You may read only: pages that others publish appear here.',
      guest: 'Pages that others share with your address appear here.',
    },
    search: {
      label: 'Search your pages',
      placeholder: 'Search titles and addresses',
      searching: 'Searching your pages',
      nothing: 'No page is found',
      /** `search`: what was searched for. */
      nothingHas: 'No title and no address has “{search}”.',
      showAll: 'Show all pages',
      found: { one: '{count} page found', other: '{count} pages found' },
    },
    /** A page in the list. What is in `unseen` is read to people who do not see the row. `name`: that of the page. */
    row: {
      /** The button of a menu. */
      more: 'More for {name}',
      /** A verb. */
      open: 'Open page',
      copyAddress: 'Copy address<unseen> of {name}</unseen>',
      /** A verb. */
      rename: 'Rename',
      /** A verb. */
      duplicate: 'Duplicate',
      settings: 'Settings',
      delete: 'Delete',
      leave: 'Leave',
      inTrash: '{name} is in the trash.',
      restored: '{name} is live again.',
      /** How many submissions nobody has read yet. */
      unread: { one: '{count} unread', other: '{count} unread' },
      /** `time`: when something was sent to the page last, such as `5 minutes ago`. */
      last: 'Last: {time}',
      nothingSent: 'Nothing was sent yet',
      /** `time`: when a draft was stored last, such as `5 minutes ago`. */
      changed: 'Changed: {time}',
    },
    /** What is the matter with a page, as short as can be. */
    state: {
      takenDown: 'Taken down',
      /** Of a form: people may send it. */
      open: 'Open',
      closed: 'Closed',
      /** Of a form: all places are taken. */
      full: 'Full',
      notOpenYet: 'Not open yet',
      /** `time`: a day and a time, such as `Mon, Jan 7, 9:00 AM`. */
      opens: 'Opens {time}',
      /** How many places of an event are taken; `count`: how many there are. What is in `unseen` is read to people who do not see the row. */
      places: {
        one: '{taken} of {count}<unseen> place taken</unseen>',
        other: '{taken} of {count}<unseen> places taken</unseen>',
      },
      /** Of a draft. */
      notPublished: 'Not published',
      problems: { one: '{count} problem in its form', other: '{count} problems in its form' },
      failingWebhooks: { one: '{count} webhook failing', other: '{count} webhooks failing' },
    },
    /** The dialogs that give a page, or a copy of it, a name and an address. */
    naming: {
      name: 'Name',
      nameHint: 'Visitors see it in the tab of their browser.',
      enterName: 'Enter a name.',
      address: 'Address',
      enterAddress: 'Enter letters from a to z.',
      oldAddress: 'After a change of the address, the old one leads to the new one for 30 days.',
      renamed: 'The page is called {name}.',
      /** The name of a copy; `name`: that of the page. */
      copyOf: 'Copy of {name}',
      copied:
        'The copy has the content and the settings of the page, and an empty inbox. Recipients confirm their addresses for it. Domains and webhooks stay with the page.',
      copyIsLive: '{name} is live.',
      copyNeedsSecret: '{name} is live. Its captcha needs your secret again: see its settings.',
    },
    /** The steps of making a copy, while they last. */
    copying: {
      readingPage: 'Reading the page…',
      readingFile: 'Reading file {file} of {files}…',
      publishing: 'Publishing the copy…',
      settings: 'Copying the settings…',
    },
    /** Ends what another owner shares with the person. */
    leaving: {
      title: 'Leave this page?',
      button: 'Leave',
      text: 'You no longer see {name} and what is sent to it. Only its owner can invite you again.',
      left: '{name} is no longer shared with you.',
    },
  },
  /**
   * What languages other than English say in place of the sentences of the service, which are English and name more: the number that a
   * plan allows, or the field that is wrong.
   */
  problems: {
    /** By the codes of errors. */
    byCode: {
      'changed-meanwhile': 'Somebody has changed it meanwhile: load the view again, and make your change anew.',
      'domain-taken': 'The domain is live at another page: remove it there first.',
      'draft-limit': 'You have drafts of too many files of this page: publish or discard some first.',
      'down-already': 'The page is taken down already.',
      'email-taken': 'Another account has this address: choose another.',
      'feed-limit': 'There are as many addresses for spreadsheets as a page can have: delete one first.',
      'guest-limit': 'The page has as many guests as it can have: remove one first.',
      'guest-refused': 'You are a guest of this page, and may not do this: ask its owner.',
      'idempotency-key-reused': 'It was sent before with other contents: load the view again.',
      'import-running': 'An import is running already: wait until it has ended.',
      'internal-error': 'The service has failed. Try again; if it fails again, tell its operator.',
      'invalid-authorization': 'The program asks in a way that is not understood: begin again there.',
      'key-for-pages': 'This key is for some pages only: sign in with another one.',
      'known-guest': 'This address is a guest already.',
      'last-key': 'This is your last key for everything: make another one first.',
      'narrow-scope': 'You may only read: sign in with a key for everything.',
      'never-accepted': 'This submission came as spam: choose “Not spam” to accept it.',
      'new-page-draft-limit': 'You have as many drafts of new pages as there can be: publish or discard one first.',
      'no-account': 'Guests have no pages of their own: ask the operator for an account.',
      'no-free-place':
        'The form has no free place for it: raise the number of places, or delete another submission first.',
      'no-invitations': 'This service sends no mail, which invitations need: ask its operator.',
      'no-mail': 'This service sends no mail: sign in with a key.',
      'no-mail-server': 'This service sends no mail: ask its operator.',
      'nobody-gets-mail': 'Nobody would get this mail: have a recipient confirm, and try again.',
      'not-allowable': 'Your key may not do what the program asks for: sign in with another key.',
      'not-down': 'The page is not taken down.',
      'not-enough-places':
        'The form has fewer free places than the rows take: raise the number of places, or import fewer.',
      'not-found': 'There is nothing at this address.',
      'not-in-trash': 'It is not in the trash any more: load the view again.',
      'not-older':
        'The page has submissions, and a row is not older than the oldest of them: import only rows from before it.',
      'other-site': 'Another site may not sign in here: open the service itself.',
      'plan-limit': 'Your plan allows no more pages: delete one, or ask the operator for a larger plan.',
      'share-limit': 'The page has as many links as it can have: end one first.',
      'slug-taken': 'This address is taken: choose another one.',
      'storage-full':
        'Your plan allows no more storage: delete pages for good, or submissions with files, or ask the operator for a larger plan.',
      'too-complex': 'The page is too complex to be checked: close each element before the one that it is in.',
      'too-few-places': 'The form has not so many places left.',
      'too-large': 'It is too large.',
      'too-many-grants': 'As many programs are allowed as there can be: end one first, in Account.',
      'too-many-keys': 'There are as many keys as there can be: revoke one first.',
      'too-many-recipients': 'There are as many recipients as there can be: remove one first.',
      'too-many-renames': 'Too many former addresses lead to this page. Give it one of them again, or wait.',
      'too-many-tries': 'Too many links were asked for: use the last one, or try again later.',
      'too-slow': 'The upload is too slow: try again on a faster connection.',
      unauthorized: 'You are not signed in, or the key is wrong: sign in with a key that is valid.',
      unavailable: 'The service is busy or starting: try again shortly.',
      'unknown-program': 'The address to which the program wants to be sent is not one that it has named.',
      'webhook-limit': 'The page has as many webhooks as it can have: remove one first.',
      'webhook-loop': 'The webhook leads back to this service: enter the address of a receiver of your own.',
      'wrong-type': 'The service does not take this kind of file.',
      yourself: 'This is your own account: another operator can do it.',
    },
    /** Something is not there: it was deleted, or the link is wrong. */
    gone: 'It is not there any more: load the view again.',
    /** Something was done too often. */
    tooMany: 'That was too often: wait for a while, and try again.',
    /** How the value of a field is wrong. `{limit}`: the last number, or the number of characters or items, that would be right. */
    values: {
      missing: 'Enter something here.',
      'wrong-type': 'This is not right: enter something else.',
      'wrong-format': 'This is not written as it has to be.',
      'too-long': 'This is too long: at most {limit}.',
      'too-short': 'This is too short: at least {limit}.',
      'too-high': 'At most {limit}.',
      'too-low': 'At least {limit}.',
      'unknown-value': 'There is no such value: choose another one.',
      'not-allowed': 'This is not allowed here: enter something else.',
      conflict: 'This does not go together with another field.',
    },
    /** An answer without a sentence. `{status}`: a number, such as 502. */
    answered: 'The service answered {status}: try again.',
    noConnection: 'There is no connection to the service.',
    busy: 'The service is busy or starting.',
    /** The beginning of the sentence in which the name of a field precedes what is wrong. */
    atField: '{field}: {sentence}',
  },
  /** The settings of a page: its form, its domains, its guests, and what its visitors read. */
  settings: {
    title: 'Settings',
    loading: 'Loading the settings',
    /** A button: it takes something out of a list. */
    remove: 'Remove',
    /** The head of a link to another view, and what is said of it. */
    importing: { title: 'Import earlier submissions', about: 'From a file of another form service' },

    /** The headings of the sections. */
    sections: {
      thanks: 'After sending',
      mail: 'Mail to visitors',
      opening: 'When it is open',
      /** How many people a form takes, such as seats. */
      places: 'Places',
      senders: 'Who may send',
      spam: 'Spam',
      deletion: 'Keep or delete',
    },

    /** The controls. `label`: its name. `hint`: below it. `wrong`: what to enter in place of a value that is wrong. */
    fields: {
      emailNotifications: { label: 'Send mail about submissions' },
      notifyEvery: { label: 'How often' },
      notifyOwner: { label: 'Mail to you' },
      recipients: {
        label: 'Recipients',
        hint: 'Up to five. An address other than yours gets a mail with a link first, and nothing more until it is opened.',
        wrong: 'Enter an e-mail address such as ada@example.org.',
      },
      thanksMessage: {
        label: 'Thank-you message',
        hint: 'Visitors read it after they have sent the form. Left empty: that their message has been sent.',
      },
      redirectUrl: {
        label: 'Redirect URL',
        hint: 'A page of your own that visitors see after they have sent the form. Left empty: one that thanks them.',
        wrong: 'Enter the address of a page, such as https://example.org/thanks, or leave it empty.',
      },
      /** `hint`: the language of these pages. */
      language: { label: 'Language', hint: 'Of the pages that thank visitors, or say what is wrong.' },
      confirmationField: {
        label: 'Thank visitors by mail',
        hint: 'To the address in this field, once a day at most.',
        wrong: 'Choose the field that holds the address.',
      },
      /** What is in double braces is typed like this in each language. */
      confirmationSubject: {
        label: 'Subject of the mail',
        wrong:
          'Write a subject of one line. Only {{reference}}, {{page}} and {{date}} are replaced: leave other double braces out.',
      },
      /** What is in double braces is typed like this in each language. */
      confirmationText: {
        label: 'Text of the mail',
        hint: '{{reference}} becomes the number of the submission, {{page}} the name of the page, and {{date}} the day.',
        wrong: 'Write a text. Only {{reference}}, {{page}} and {{date}} are replaced: leave other double braces out.',
      },
      /** `label`: when the form opens. */
      opensAt: { label: 'Opens', hint: 'Left empty: it is open at once.' },
      /** `label`: when the form closes. */
      closesAt: { label: 'Closes', hint: 'Left empty: never.' },
      closedMessage: {
        label: 'Message while it is closed',
        hint: 'Visitors read it before the form opens and after it has closed. A form that is full has a text of its own.',
      },
      closedPage: {
        label: 'Say so in place of the page',
        hint: 'While the form is not open yet, closed or full, visitors read it before they fill in anything.',
      },
      maxSubmissions: {
        label: 'Places',
        hint: 'The form is full when so many are taken. A deleted submission frees its places, and a test takes none. Left empty: no limit.',
        wrong: 'Enter a whole number such as 40, or leave it empty.',
      },
      placesField: {
        label: 'Count places by',
        hint: 'The field in which visitors say how many they are.',
        wrong: 'Enter the name of a field, or leave it empty.',
      },
      submissionsPerMinute: {
        label: 'Submissions a minute',
        hint: 'More are asked to wait for a moment. Left empty: 10.',
        wrong: 'Enter a whole number such as 60, or leave it empty.',
      },
      /** `hint`: `null` is typed like this in each language. */
      allowedOrigins: {
        label: 'Allowed sites',
        hint: 'One a line, such as example.org, or capacitor://localhost for an app; null for pages that hide where they are. Left empty: forms of any site may send.',
        wrong: 'Enter a site such as https://example.org, or remove the line.',
      },
      /** Agents: programs of artificial intelligence. */
      formTools: {
        label: 'Offer the forms to agents in browsers',
        hint: 'A browser can have an agent fill in a form (WebMCP). The service describes each form and its fields by their headings and labels.',
      },
      /** `hint`: an asterisk stands for any letters; another language may have an example of its own. */
      blocklist: {
        label: 'Blocked words',
        hint: 'One a line. A submission that has one of them as a whole word is kept apart as spam; casino* also finds casinos.',
        wrong: 'Shorten each word to at most 100 characters.',
      },
      captchaProvider: { label: 'Captcha' },
      captchaSiteKey: { label: 'Site key', wrong: 'Enter the site key that the provider gave you.' },
      captchaSecret: {
        label: 'Secret',
        hint: 'It is never shown again. Left empty, the one of the same captcha stays.',
        wrong: 'Enter the secret that the provider gave you.',
      },
      /** `label`: a number of days is typed below it. */
      retentionDays: {
        label: 'Delete submissions after days',
        hint: 'From 1 to 3,650, files and spam too. Left empty: never.',
        wrong: 'Enter a whole number such as 365, or leave it empty.',
      },
      /** `label`: when the page is taken offline. */
      expiresAt: {
        label: 'Take the page offline',
        hint: 'It goes to the trash then, with its submissions. Left empty: never.',
        wrong: 'Enter a day and a time in the future, or leave it empty.',
      },
    },

    /** What to enter, of several controls. */
    wrong: {
      text: 'Write a text, or leave it empty.',
      time: 'Enter a day and a time, or leave it empty.',
      neverOpen: 'The form would close before it opens: change one of the two.',
      atMost: 'At most {limit}.',
      atLeast: 'At least {limit}.',
      /** Of the lines of a list. */
      tooMany: 'At most {limit} of them.',
      tooLong: {
        one: 'At most {count} character: shorten it.',
        other: 'At most {count} characters: shorten it.',
      },
      /** `item`: the line of a list that is wrong. `sentence`: what to enter. */
      item: '“{item}”: {sentence}',
    },

    /** A choice of the setting *Language*. */
    languageOfPage: 'As the page, or as the browser wants',
    /** The choices of the setting *How often*. */
    frequencies: {
      submission: 'A mail for each submission',
      hour: 'One mail an hour that lists what came',
      day: 'One mail a day that lists what came',
    },
    /** A choice of the field with the address of visitors: none. */
    noMail: 'No mail',
    /** A choice of what places are counted by: the submissions. */
    bySubmissions: 'Submissions: each takes one place',
    /** `zone`: a time zone, such as `Europe/Berlin`. `hint`: the next sentences. */
    timeIn: '{zone} time. {hint}',
    /** Hints where the fields of the form are not known: their names are typed. */
    fieldNames: {
      address: 'The name of the field that holds the address, as your form has it. Left empty: no mail.',
      number:
        'The name of the field in which visitors say how many they are. Left empty: each submission takes one place.',
    },

    /** The mail that visitors get, as it is before the owner changes it. What is in double braces stays as it is. */
    firstMail: {
      subject: 'Thank you',
      text: 'Thank you. We have received what you sent on {{date}} at {{page}}.\n\nYour reference: {{reference}}',
    },

    captcha: {
      /** A choice of the setting *Captcha*. */
      none: 'None',
      altcha: 'ALTCHA (of this service, no third party)',
      /** Above HTML to copy. `widget`: the captcha as visitors see it. */
      elsewhere:
        'The forms of this page get the widget by themselves. Put this above the button of a form on another site:',
      aboveButton: 'Put this above the button of the form:',
      /** Visitors read it. It is a part of the HTML: without `<`, `>` and `&`. */
      noScript: 'Please switch JavaScript on: this form uses it to tell people from robots.',
    },

    /** A setting that was changed in two tabs of the browser. `ofSetting` follows the names of buttons, for people who do not see the setting. */
    conflict: {
      keepMine: 'Keep my change',
      ofSetting: 'of {setting}',
      /** Buttons: they take the other change. What the setting is there: switched on or off, empty, a choice, or a text. */
      useOther: {
        on: 'Use the other: on',
        off: 'Use the other: off',
        nothing: 'Use the other: nothing',
        choice: 'Use the other: {value}',
        text: 'Use the other: “{value}”',
      },
      changedTo: {
        on: 'This was changed in another tab meanwhile, to on.',
        off: 'This was changed in another tab meanwhile, to off.',
        nothing: 'This was changed in another tab meanwhile, to nothing.',
        choice: 'This was changed in another tab meanwhile, to {value}.',
        text: 'This was changed in another tab meanwhile, to “{value}”.',
      },
      toChoose: {
        one: '{count} setting was changed in another tab. Choose which to keep.',
        other: '{count} settings were changed in another tab. Choose which to keep.',
      },
      noEnd: 'Others change these settings all the time: try again.',
    },
    discarded: { one: '{count} change discarded', other: '{count} changes discarded' },

    /** The states of the sections, in a line beside their headings. */
    states: {
      /** `where`: a host, such as `example.org`. */
      leadsTo: 'Leads to {where}',
      ourThanks: 'Thanks with our text',
      ownThanks: 'Thanks in your own words',
      noMail: 'No mail to visitors',
      /** `field`: the label of a field of the form. */
      mailTo: 'To the address in “{field}”',
      /** The form. `time`: such as `Fri, 4 Dec, 17:00`. */
      closedSince: 'Closed since {time}',
      opens: 'Opens {time}',
      openUntil: 'Open until {time}',
      alwaysOpen: 'Always open',
      /** `time`: as above, in another time zone than that of the browser. */
      timeInZone: '{time} ({zone})',
      noLimit: 'No limit',
      /** All places are taken. */
      full: 'Full: {taken} of {places}',
      taken: { one: '{count} place, {taken} taken', other: '{count} places, {taken} taken' },
      /** `state`: one of the three above. `rate`: so many submissions are let in. */
      perMinute: '{state}, {rate} a minute',
      anySite: 'Forms of any site',
      sites: { one: 'This page and {count} site', other: 'This page and {count} sites' },
      noCaptcha: 'No captcha',
      /** `captcha`: the name of a captcha, or the text above. */
      blockedWords: { one: '{captcha}, {count} blocked word', other: '{captcha}, {count} blocked words' },
      kept: 'Submissions are kept',
      deletedAfter: {
        one: 'Submissions are deleted after {count} day',
        other: 'Submissions are deleted after {count} days',
      },
      /** The page is taken offline. `kept`: one of the two above. */
      offlineFrom: 'Offline from {time}. {kept}',
    },

    onlyOwner: 'Only the owner of the page changes this.',
    noAddressField: 'The form has no field for an e-mail address: add one to thank visitors by mail.',
    mailPreview: {
      saveFirst: 'Save to send yourself a preview of the mail.',
      /** A button. */
      send: 'Send me a preview',
      sent: 'The preview is on its way to you.',
    },
    rush: {
      about: {
        one: 'If many people come at once, {count} of them get in each minute: the others wait, and their forms are sent by themselves.',
        other:
          'If many people come at once, {count} of them get in each minute: the others wait, and their forms are sent by themselves.',
      },
      /** A button. `rate`: so many people. */
      let: 'Let {rate} in each minute',
    },

    /** Leads to the view *Notifications*: who gets mail, or is told otherwise. */
    receivers: {
      title: 'Who is told',
      nobody: 'Nobody: submissions are in the inbox only',
      count: { one: '{count} receiver', other: '{count} receivers' },
    },

    /** The domains of the owner that lead to a page. */
    domains: {
      title: 'Domains',
      loading: 'Loading the domains',
      /** `host`: the host of the service. */
      about: 'Visitors reach the page at {host}, and at each domain that you add.',
      hostAnd: { one: '{host} and {count} domain', other: '{host} and {count} domains' },
      /** `state`: the text above. `count`: the domains that do not work. */
      notLive: { one: '{state}, {count} not live', other: '{state}, {count} not live' },
      statuses: { pending: 'Waiting for DNS', live: 'Live', broken: 'Broken' },
      notChecked: 'Not checked yet',
      /** `time`: such as `5 minutes ago`. */
      checked: 'Checked {time}',
      /** A button: it opens the domain in another tab. */
      open: 'Open',
      checkNow: 'Check now',
      removed: '{domain} is removed. Delete its records at your DNS provider too.',
      /** The label of a field. */
      add: 'Add a domain',
      addHint: 'Such as forms.shop.example. You then add two records at your DNS provider.',
      addButton: 'Add domain',
      /** The beginning of a sentence about what is wrong with it. */
      theDomain: 'The domain',
    },

    dns: {
      /** `unseen`: for people who do not see the row that it is in. */
      title: 'DNS records<unseen> of {domain}</unseen>',
      /** The state of a record. */
      found: 'Found',
      notFound: 'Not found yet',
      /** `type`: of the record, such as `TXT`. `about`: what it does, in another color. */
      records: {
        ownership: '<strong>{type} record</strong> <about>proves that the domain is yours</about>',
        traffic: '<strong>{type} record</strong> <about>leads visitors here</about>',
      },
      copyName: 'Copy name',
      copyValue: 'Copy value',
      /** After the two buttons above, for people who do not see the row. */
      ofRecord: 'of the {type} record of {domain}',
      /** The label of a choice of providers. */
      where: 'Where you manage the domain',
      anotherProvider: 'Another provider',
      signIn: 'Sign in where you registered the domain, and open its DNS records.',
      /** `name`, `value`: what the provider calls the two fields. */
      copy: 'Add each record below. Copy its name into <em>{name}</em>, without your domain at its end if that is added by itself, and its value into <em>{value}</em>.',
      nameOrHost: 'Name or Host',
      valueOrTarget: 'Value or Target',
      addAlias: 'For the domain itself, add an ALIAS record, or A and AAAA records.',
      noAlias:
        'It has no ALIAS records: add A and AAAA records with the addresses, or use a domain with a name before it, such as www.',
      wait: 'Wait: the records are looked for every few seconds. It can take an hour until they are everywhere.',
      /**
       * The steps at a provider: the words of its own pages, in the language that they have. `place`: the way to the list of records. `name`, `value`: what
       * it calls the two fields. `apex`: the record of a domain without a name before it.
       */
      /** Sentences about a record, by the codes of the service. English has its own sentences. The card of the record shows its name and its value. `found`: values that DNS has; `answer`: such as NXDOMAIN. */
      sentences: {
        'private-name': 'The domain is a name of private networks: remove it, and add a name that you have registered.',
        'live-elsewhere':
          'The domain is live at another page, whose TXT record is still in DNS. Remove that record to use the domain here.',
        moved: 'The domain is live at another page now, whose TXT record DNS has in place of yours.',
        'proof-silent': 'DNS did not answer when it was asked for this record.',
        'proof-alias':
          'This record is missing: DNS has a CNAME record there, or for all names (*), which leads to {found}.',
        'proof-missing': 'This record is missing: DNS answered {answer}.',
        'proof-hidden': 'This name has other values in DNS. Add a record with the value above.',
        'proof-other': 'This name has {found} in DNS. Add a record with the value above.',
        'some-addresses':
          'The addresses of {domain} include {found}, and {target} has none of these. Remove their records.',
        'other-target': 'The CNAME record of {domain} leads to {found}. Let it lead to {target}.',
        silent: 'DNS did not answer when it was asked where {domain} leads.',
        'no-record':
          'No record leads from {domain} to this service: DNS answered {answer}. Add a CNAME record to {target}.',
        'no-record-apex':
          'No record leads from {domain} to this service: DNS answered {answer}. Add an ALIAS record to {target}, or A and AAAA records with its addresses.',
        'target-silent': 'DNS did not answer when it was asked for the addresses of {target}.',
        'other-addresses':
          'The addresses of {domain} are {found}, and not those of this service. Add a CNAME record to {target}.',
        'other-addresses-apex':
          'The addresses of {domain} are {found}, and not those of this service. Add an ALIAS record to {target}, or A and AAAA records with its addresses.',
        'alias-value':
          'An ALIAS, ANAME or flattened CNAME record to {target}, or A and AAAA records with its addresses.',
      },
      providers: {
        cloudflare: {
          place: 'Choose your domain, then DNS, Records, Add record.',
          name: 'Name',
          value: 'Target, or Content of the TXT record',
          apex: 'Add a CNAME record with @ as its name: Cloudflare flattens it.',
          note: 'Switch the proxy of the CNAME record off (DNS only, a grey cloud), at least until the domain is live.',
        },
        godaddy: {
          place: 'Open your domain portfolio, choose the domain, then DNS, Add New Record.',
          name: 'Name',
          value: 'Value',
        },
        ionos: {
          place: 'Open Domains & SSL, the gear beside the domain, then DNS, Add record.',
          name: 'Host name',
          value: 'Points to, or Value of the TXT record',
        },
        namecheap: {
          place: 'Open Domain List, Manage beside the domain, then Advanced DNS, Add New Record.',
          name: 'Host',
          value: 'Value, or Target',
          apex: 'Add an ALIAS record with @ as its host.',
        },
        ovh: {
          place: 'Open Web Cloud, Domain names, your domain, then DNS zone, Add an entry.',
          name: 'Sub-domain',
          value: 'Value, or Target',
          note: 'Write the target of a CNAME record with a dot at its end.',
        },
        route53: {
          place: 'Open Hosted zones, your domain, then Create record.',
          name: 'Record name',
          value: 'Value',
          apex: 'Its aliases lead to services of AWS only: add A and AAAA records with the addresses.',
          note: 'Put the value of the TXT record into quotation marks.',
        },
        strato: {
          place: 'Open Domains, Domain management, the gear beside the domain, then DNS, TXT and CNAME records.',
          name: 'Prefix',
          value: 'Value',
          note: 'A CNAME record is set for a subdomain: add the subdomain first.',
        },
      },
    },

    /** The people whom the owner lets read or edit a page. */
    guests: {
      title: 'Guests',
      loading: 'Loading the guests',
      about:
        'Invite people to this page alone. They sign in with their own address, and need no account. Nobody but you invites, deletes the page, or sees its webhooks and secrets.',
      nobody: 'Nobody but you',
      /** `guests`: such as `3 guests`. `count`: those of them who were only invited. */
      notSignedIn: { one: '{guests}, {count} not signed in yet', other: '{guests}, {count} not signed in yet' },
      /** The label of the field for an e-mail address. */
      address: 'Address',
      wrongAddress: 'Enter an address such as ada@example.org.',
      /** The label of a choice of the two roles, which are verbs. */
      mayDo: 'What they may do',
      roles: { reader: 'Read submissions', editor: 'Also edit the page' },
      /** A button. */
      invite: 'Invite',
      onItsWay: 'A mail with a link is on its way to {email}.',
      /** What a guest does, before when that began. */
      does: { reader: 'Reads submissions', editor: 'Reads submissions and edits the page' },
      /** The states of a guest, and since when: `time` is such as `5 minutes ago`. */
      invited: 'Invited',
      accepted: 'Accepted',
      invitedAt: 'invited {time}',
      since: 'since {time}',
      /** Buttons: they give a guest this role. */
      make: { reader: 'Let read only', editor: 'Let edit too' },
      now: { reader: '{email} now reads submissions only.', editor: '{email} may now edit the page too.' },
      askRemove: 'Remove this guest?',
      sees: '{email} sees nothing of this page any more, from now on.',
      removed: '{email} is no longer a guest.',
    },

    /** Secret links at which people read the submissions of a page. */
    shares: {
      title: 'Links to read along',
      loading: 'Loading the links',
      about:
        'A secret link shows the submissions and their files, without IP addresses and your notes. Nobody signs in, and nobody can change anything there.',
      none: 'No link',
      /** `time`: a day and a time at which the link was made. */
      made: 'Made {time}',
      /** After the names of buttons, for people who do not see the row: which link. */
      ofTime: 'the link of {time}',
      /** The states of a link. */
      works: 'Works',
      ended: 'Ended',
      /** `time`: such as `5 minutes ago`, or `in 3 days`. */
      endedAt: 'Ended {time}',
      endsAt: 'Ends by itself {time}',
      endsByHand: 'Ends when you end it',
      /** The label of a choice of times. */
      lifetime: 'Ends by itself',
      /** A button: the link works no more. */
      end: 'End',
      askEnd: 'End this link?',
      endIt: 'End it',
      endText: 'Whoever opens it sees nothing any more, from now on. It can’t be brought back: make a new one instead.',
      hasEnded: 'The link has ended.',
      removed: 'The link is removed from the list.',
      make: 'Make a link',
      newLink: 'The new link',
      copyNow:
        'Copy it now, and send it to whoever is to read the submissions: it is shown this once. Everybody who has it can read them.',
    },

    /** Deletes the page with all that it has received. */
    everything: {
      title: 'Delete all data',
      state: { one: 'The page and {count} submission', other: 'The page and {count} submissions' },
      about: {
        one: 'The page, its {count} submission, their files, its webhooks and its versions.',
        other: 'The page, its {count} submissions, their files, its webhooks and its versions.',
      },
      button: 'Delete all data now',
      ask: 'Delete all data?',
      confirm: 'Delete everything',
      text: 'Nobody can restore it afterwards. To be able to, delete the page in the list of your pages instead.',
      /** `name`: of the page. */
      done: '{name} and all of its data are gone.',
    },

    /** Shows what visitors read. */
    preview: {
      title: 'What visitors see',
      /** Buttons: they choose what is shown. */
      screens: {
        thanks: 'After sending',
        mail: 'Mail',
        notOpen: 'Before it opens',
        closed: 'Closed',
        full: 'Full',
      },
      /** `url`: a page of the owner. */
      redirected: 'Visitors go to {url}, and see no page of this service.',
      noMail: 'Visitors get no mail.',
    },
  },
  /** What several views say. */
  shared: {
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
  },
  /** What people see who sign in, who claim a page, who let a program act for them, or who are at an address that no view has. */
  signIn: {
    title: 'Sign in',
    withOpenid: 'Sign in with OpenID Connect',
    /** Between two ways of signing in. */
    or: 'or',
    email: 'E-mail address',
    wrongEmail: 'Enter your address, such as you@example.com.',
    sendLink: 'Send me a link',
    linkSent: 'A mail is on its way. Its link works once, for 15 minutes.',
    linkSentIfKnown: 'If this address has an account here, a mail is on its way. Its link works once, for 15 minutes.',
    key: 'API key',
    wrongKey: 'Enter your key: it begins with fh_.',
    signIn: 'Sign in',
    /** What to do without a key of the API. */
    noKey: {
      title: 'You have no key yet?',
      needNone: 'You need none: the link in the mail makes an account for your address.',
      /** A command follows. */
      command: 'The operator of this service creates one with this command, which prints the key once:',
      firstStart: 'The very first start of a service prints a key, too.',
    },
    /** Keeps a page that was published without an account. */
    claim: {
      title: 'Keep this page',
      text: 'A page that was published without an account is erased after a while, unless somebody claims it. When you claim it with this link, which works once, it is one of your pages and stays.',
      hint: 'Its address, its form and its submissions stay as they are.',
      /** A verb. */
      button: 'Claim',
      /** `page`: its name. */
      claimed: '{page} is yours, and stays.',
      /** After a try. `<a>` leads to the list of pages. */
      over: 'This claim link does not work: it was used, its page has expired, or it was copied in part. A page that you have claimed stays, among <a>your pages</a>.',
    },
    /** A program asks to act for the person. */
    allow: {
      title: 'Allow a program',
      loading: 'Reading what the program asks for',
      /** `program`: its name; `email`: the address of the person; `Account`: a view of the dashboard. */
      asks: '<strong>{program}</strong> asks to act for you, {email}, until you end it in Account.',
      /** A label of the site that the program belongs to. */
      programOf: 'Program of',
      /** A label of the site that the person gets to afterwards. */
      leadsTo: 'Leads back to',
      /** In place of a site. `host`: its address, such as `127.0.0.1:5555`. */
      local: 'a program on this computer ({host})',
      scope: 'What it may do',
      scopes: {
        full: 'Everything a key can do: publish and delete pages, read submissions, change settings',
        publish: 'Publish and change pages, and read no submissions',
        read: 'Read pages, settings and submissions, and change nothing',
      },
      pages: 'Pages',
      allPages: 'All pages, and new ones',
      somePages: 'These pages alone',
      pagesLabel: 'Pages that it may act on',
      keyMayNot: 'You are signed in with a key that may not do this. Sign in with another one to allow it.',
      warning: 'Anybody can make a program with this name. Allow it only if you have just connected it yourself.',
      /** A verb. */
      allow: 'Allow',
      /** A verb. */
      deny: 'Deny',
    },
    /** At an address that no view has. */
    notFound: {
      title: 'Nothing here',
      what: 'There is no such view or page',
      why: 'It may have been deleted: deleted pages are in the trash.',
      pages: 'Your pages',
      trash: 'Trash',
    },
  },
  /** The views Statistics, of all pages, and Charts, of one page: how many submissions came when. */
  statistics: {
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
  },
} as const;
