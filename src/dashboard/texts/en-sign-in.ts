/** What people see who sign in, who claim a page, who let a program act for them, or who are at an address that no view has. */
export const signIn = {
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
    text: 'It was published without an account, and is erased soon. When you claim it, it is one of your pages and stays.',
    hint: 'Its address, its form and its submissions stay as they are.',
    /** A verb. */
    button: 'Claim',
    /** `page`: its name. */
    claimed: '{page} is yours, and stays.',
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
    /** In place of a site. */
    local: 'a program on this computer',
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
} as const;
