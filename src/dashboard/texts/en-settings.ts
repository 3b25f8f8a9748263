/** The settings of a page: its form, its domains, its guests, and what its visitors read. */
export const settings = {
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
} as const;
