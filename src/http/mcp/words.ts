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
