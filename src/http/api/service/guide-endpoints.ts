import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { NO_ICON } from '../../../lib/html.ts';
import { perService } from '../../operation/declaration.ts';
import { pageAnswer, publicOperation } from '../../operation/operation.ts';
import { prefersMarkdown } from '../../response/accept.ts';
import { noSuchPath } from '../../response/errors.ts';
import { notModified, StaticFile } from '../../response/static-file.ts';
import {
  GUIDE_STYLE,
  GUIDES_PATH,
  guideList,
  guideMarkdown,
  guidePage,
  isGuide,
  MAX_GUIDES,
  withOwnUrls,
} from './guide-files.ts';

const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src ${NO_ICON.source}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
};

type Guide = { markdown: StaticFile; page: StaticFile };

const guidesOf = perService(() => new LRUCache<string, Guide>({ max: MAX_GUIDES }));
const listOf = perService(() => new StaticFile('text/markdown', async () => Buffer.from(await guideList())));
const styleOf = perService(() => new StaticFile('css', async () => Buffer.from(GUIDE_STYLE)));

function makeGuide(name: string, config: Config): Guide {
  const markdown = async (): Promise<string> => withOwnUrls(await guideMarkdown(name), config);
  return {
    markdown: new StaticFile('text/markdown', async () => Buffer.from(await markdown())),
    page: new StaticFile('html', async () => Buffer.from(await guidePage(await markdown())), PAGE_HEADERS),
  };
}

/** Sends the list of all guides, in Markdown. */
export const sendGuideList = (response: Response, app: Parameters<typeof listOf>[0]): Promise<void> =>
  listOf(app).send(response);

const guideOperation = publicOperation('GET', `${GUIDES_PATH}/:guide`, 'getGuide', {
  summary: 'Read a guide',
  isHidden: true,
  answer: pageAnswer('A page for a person, or Markdown.'),
  otherAnswers: { 304: notModified },
  async handle({ headers, params: { guide: name = '' } }, response, app) {
    if (!isGuide(name)) throw noSuchPath();
    const guides = guidesOf(app);
    const guide = guides.get(name) ?? makeGuide(name, app.config);
    guides.set(name, guide);
    response.vary('Accept');
    await (prefersMarkdown(headers) ? guide.markdown : guide.page).send(response);
  },
});

const styleOperation = publicOperation('GET', `${GUIDES_PATH}.css`, 'getGuideStyles', {
  summary: 'A part of the page',
  isHidden: true,
  answer: { description: 'Styles.', type: 'text/css', schema: z.string(), example: 'main{}' },
  otherAnswers: { 304: notModified },
  handle: (_request, response, app) => styleOf(app).send(response),
});

/** The guides, for people and for their agents. */
export const guideOperations = [guideOperation, styleOperation];
