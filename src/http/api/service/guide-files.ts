import { readFile } from 'node:fs/promises';
import { marked } from 'marked';
import { type Config, pageUrl } from '../../../config.ts';
import { escapeHtml, NO_ICON } from '../../../lib/html.ts';
import { PROJECT } from '../../../lib/project.ts';

/*
 * The guides of docs/ that owners, operators and their agents need, as Markdown and as a page.
 */

const FILES = [
  ...['getting-started', 'pages', 'forms', 'your-site', 'files', 'check', 'inbox', 'live', 'dashboard'],
  ...['webhooks', 'mail', 'spam', 'domains', 'exports', 'importing', 'migrating', 'agents', 'api', 'command-line'],
  ...['troubleshooting', 'self-hosting', 'settings', 'operations', 'reliability', 'scaling', 'upgrading'],
];
const MOVES = ['basin', 'formspree', 'formsubmit', 'getform', 'google-forms', 'netlify', 'tally', 'web3forms'];

/** The files by the names of the guides. No other file is read, whatever a path names. */
const GUIDES: ReadonlyMap<string, string> = new Map([
  ...FILES.map((name): [string, string] => [name, `${name}.md`]),
  ...MOVES.map((name): [string, string] => [`migrating-${name}`, `migrating/${name}.md`]),
]);
const NAMES: ReadonlyMap<string, string> = new Map(Array.from(GUIDES, ([name, file]) => [file, name]));

export const GUIDES_PATH = '/docs/guides';
export const MAX_GUIDES = GUIDES.size;
export const isGuide = (name: string): boolean => GUIDES.has(name);

/** A picture, or a link to a file of the project. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|\/|#)([^)#\s]*)(#[^)\s]*)?\)/g;

/** Leads links to other guides, and leaves out pictures and links to files that are not served. */
function withServedLinks(markdown: string, folder: string): string {
  return markdown.replaceAll(LINK, (_link, picture: string, text: string, path: string, anchor = '') => {
    if (picture) return '';
    const name = NAMES.get(new URL(path, `file:///${folder}`).pathname.slice(1));
    return name === undefined ? text : `[${text}](${GUIDES_PATH}/${name}${anchor})`;
  });
}

/** The address that texts of the project name, or that of a page, in place of which the service writes its own. */
const EXAMPLE_URL = /http:\/\/(?:([a-z0-9-]+)\.)?localhost:3000\b/g;

/** Returns a text of the project with the addresses of the service. */
export const withOwnUrls = (text: string, config: Config): string =>
  text.replaceAll(EXAMPLE_URL, (_url, slug?: string) => (slug === undefined ? config.baseUrl : pageUrl(config, slug)));

/** Returns a guide in Markdown, with the addresses of the project. Throws where there is none. */
export async function guideMarkdown(name: string): Promise<string> {
  const file = GUIDES.get(name);
  if (file === undefined) throw new Error(`There is no guide ${name}.`);
  const text = await readFile(new URL(`docs/${file}`, PROJECT), 'utf8');
  return withServedLinks(text, file.replace(/[^/]*$/, ''));
}

/** The title of a guide in Markdown. */
const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? 'formhost';

/** Returns the list of all guides, and of what else there is to read, in Markdown. */
export async function guideList(): Promise<string> {
  const lines = Array.from(GUIDES.keys()).map(
    async (name) => `- [${titleOf(await guideMarkdown(name))}](${GUIDES_PATH}/${name})`,
  );
  return `# formhost

- [All that an agent needs to know, in one page](/llms.txt)
- [The reference of the API, as OpenAPI 3.1](/openapi.json)
- [The skill for agents](/skill.md)

## Guides

${(await Promise.all(lines)).join('\n')}
`;
}

export const GUIDE_STYLE =
  ':root{color-scheme:light dark}body{max-width:48rem;margin:auto;padding:1.5rem;font:1.0625rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}' +
  'pre{overflow-x:auto;padding:1rem;border:1px solid;border-radius:.5rem}code{font:.9em ui-monospace,Menlo,Consolas,monospace}' +
  'table{display:block;overflow-x:auto;border-collapse:collapse}th,td{padding:.4rem .75rem;border:1px solid;text-align:start;vertical-align:top}';

/** The id of a heading, as links in the guides name it. */
const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

marked.use({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${escapeHtml(idOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

/** Returns a page for people. */
export const guidePage = async (markdown: string): Promise<string> =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<title>${escapeHtml(titleOf(markdown))}</title>${NO_ICON.tag}<link rel="stylesheet" href="${GUIDES_PATH}.css">` +
  `<main>${await marked.parse(markdown)}</main>`;
