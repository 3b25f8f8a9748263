import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Config, pageUrl } from '../../../config.ts';
import { PROJECT } from '../../../lib/project.ts';
import { SIZES } from '../../../sizes.ts';
import { perService } from '../../operation/declaration.ts';
import { publicOperation } from '../../operation/operation.ts';
import { notModified, StaticFile } from '../../response/static-file.ts';
import { withOwnUrls } from './guide-files.ts';

/** The page for agents (llmstxt.org): what they need to publish a form and to read its submissions. */
const PAGE = new URL('src/http/api/service/llms.txt', PROJECT);

/** The values for the places of the page that have a name in two braces. */
const valuesOf = (config: Config): Readonly<Record<string, string | number>> => ({
  BASE_URL: config.baseUrl,
  PAGE_URL: pageUrl(config, 'summer-fair'),
  MAX_SLUG_CHARS: SIZES.slug.maxChars,
  MAX_WAIT_SECONDS: SIZES.live.maxWaitSeconds,
  MAX_HTML_BYTES: config.maxHtmlBytes,
  MAX_SUBMISSION_BYTES: config.maxSubmissionBytes,
  MAX_SUBMISSIONS: SIZES.submissionRate.max,
  SUBMISSION_SECONDS: SIZES.submissionRate.seconds,
});

const pageOf = perService(
  ({ config }) =>
    new StaticFile('text/plain', async () => {
      const values = valuesOf(config);
      const text = await readFile(PAGE, 'utf8');
      // {{FORM_ACTION}} stays: agents write it.
      return Buffer.from(text.replaceAll(/\{\{(\w+)\}\}/g, (place, name: string) => String(values[name] ?? place)));
    }),
);

/** The skill for agents that load such files (agentskills.io), in the form in which a repository has it. */
const SKILL = new URL('skills/formhost/SKILL.md', PROJECT);

const skillOf = perService(
  ({ config }) =>
    new StaticFile('text/markdown', async () => {
      const text = await readFile(SKILL, 'utf8');
      return Buffer.from(withOwnUrls(text, config));
    }),
);

export const skillOperation = publicOperation('GET', '/skill.md', 'getSkill', {
  summary: 'Get the skill for agents that publish with curl or the command',
  description: 'A file `SKILL.md` with the address of this service. With an ETag; 304 where the client has it.',
  answer: { description: 'The skill.', type: 'text/markdown', schema: z.string(), example: '---\nname: formhost\n' },
  otherAnswers: { 304: notModified },
  handle: (_request, response, app) => skillOf(app).send(response),
});

export const llmsTxtOperation = publicOperation('GET', '/llms.txt', 'getLlmsTxt', {
  summary: 'Get what an agent needs to know, in one page',
  description: 'In Markdown, with commands that can be run as they are. With an ETag; 304 where the client has it.',
  answer: { description: 'The page.', type: 'text/plain', schema: z.string(), example: '# formhost\n' },
  otherAnswers: { 304: notModified },
  handle: (_request, response, app) => pageOf(app).send(response),
});
