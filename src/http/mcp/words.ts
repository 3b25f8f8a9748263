/** Words of the API's sentences, and those of agents, for whom a deployment is a page, and an endpoint a tool. */
const WORDS: readonly [ofApi: string, ofAgents: string][] = [
  ['deployment', 'page'],
  ['Deployment', 'Page'],
  ['GET /deploy/:id/check', 'the problems that update_page returns'],
  ['GET /deploy/:id/versions', 'list_versions'],
  ['GET /trash', 'list_trash'],
  [', once. In a URL, + is %2B', ''],
];

export const inAgentsWords = (sentence: string): string =>
  WORDS.reduce((text, [ofApi, ofAgents]) => text.replaceAll(ofApi, ofAgents), sentence);

/** The next step of an agent after a 404, by the argument that is the last parameter of the path. */
export const IF_MISSING: Readonly<Record<string, string>> = {
  id: 'list_pages has the ids and slugs of the pages, list_trash those of deleted ones.',
  version: 'list_pages has the pages, list_versions the versions of one.',
  cursor: 'list_pages has the ids and slugs of the pages, list_submissions the ids of submissions.',
  submission_id: 'list_submissions has the ids of submissions.',
  file_id: 'The url of a file in a submission has the ids.',
  webhook_id: 'list_webhooks has the ids of the webhooks of a page, list_pages those of the pages.',
};

/** Texts about arguments, for agents: parameters of paths, and fields that the reference describes at length. */
export const ARGUMENTS: Readonly<Record<string, string>> = {
  email_notifications: 'Whether there is mail about submissions.',
  notify_every: 'A mail for each submission, or one that lists those of an hour or a day.',
  notify_owner: 'Whether the owner gets the mail besides the recipients.',
  recipients: "Who gets the mail besides the owner. Any address but the owner's first confirms by a link in one mail.",
  redirect_url: "Where a visitor's browser goes after a success. null: to a page that thanks.",
  allowed_origins:
    'Sites or apps that may submit, besides the page itself, such as https://example.org or capacitor://localhost; "null": pages that hide theirs. Empty: all.',
  confirmation:
    'A mail to the visitor, to the address in `field`. {{reference}}, {{page}} and {{date}} are replaced. null: none.',
  language: 'Of the pages that visitors see. null: that of the page, or of the browser.',
  retention_days: 'Days after which submissions are deleted. null: never.',
  opens_at: 'When the form opens: a time with Z or an offset.',
  closes_at: 'When it closes.',
  max_submissions: 'The form is full then. null: never.',
  submissions_per_minute: 'More are refused. null: 10.',
  closed_message: 'Visitors read it while the form is closed or full.',
  spam: 'Submissions with a word of blocklist, or without a solved captcha, go into the spam folder. Both are replaced.',
};
