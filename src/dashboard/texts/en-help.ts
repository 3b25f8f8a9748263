/** The guides. What is in `<strong>` is on a button or a link, or a heading, of the dashboard: it is the same text as there. */
export const help = {
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
    start: 'Choose <a>New page</a>, and start from a finished page. Or paste the HTML that you have, or drop its file.',
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
    search: 'Search in all texts, or choose days, unread ones, or those with a star. The list grows while you scroll.',
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
    notSpam: 'Select it, and choose <strong>Not spam</strong>: it is in the inbox then, and mail and webhooks get it.',
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
    own: 'You have a form already? Give it <code>method="post"</code>, and as its <code>action</code> the address that <strong>Copy the address</strong> copies. It is also in the view <strong>Page</strong>, under “Use this form elsewhere”.',
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
      'Come back, and choose <strong>Check</strong>. New records take minutes at most companies, and a day at some; they are checked by themselves, too.',
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
} as const;
