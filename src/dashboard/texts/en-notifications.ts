/** Who is told of submissions: people by mail, programs and chats by webhooks, and spreadsheets. */
export const notifications = {
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
    /** Buttons: they take the address of the owner into the list, or another one. */
    add: 'Add',
    /** After *Add* or *Remove*, for people who do not see the row. */
    yourAddress: 'your address',
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
} as const;
