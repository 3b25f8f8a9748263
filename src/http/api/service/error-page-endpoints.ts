import { escapeHtml } from '../../../lib/html.ts';
import { type CodeEntry, catalogueOf } from '../../../problems/catalogue.ts';
import { CODES_PATH } from '../../../problems/problem-document.ts';
import { VALUE_CODES } from '../../../problems/value-errors.ts';
import type { Endpoint, EndpointsOf } from '../../operation/declaration.ts';
import { pageAnswer, publicOperation } from '../../operation/operation.ts';
import { noSuchPath } from '../../response/errors.ts';
import { writeSmallPage } from '../../response/small-page.ts';

/*
 * The pages about the codes of errors, to which the `type` of a problem leads.
 */

/** Returns every code of errors, with all that the endpoints declare of it. */
export const codesOf = (endpoints: readonly Endpoint[]): readonly CodeEntry[] =>
  catalogueOf(
    endpoints.flatMap(({ errors }) =>
      errors.map(({ description, example: { code, status, message } }) => ({
        ...{ code, status, description },
        detail: message,
      })),
    ),
  );

/** A text of the reference as HTML: what is between backticks is code. */
const toHtml = (text: string): string => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');

function contentOf({ code, status, descriptions, details, title }: CodeEntry): { title: string; content: string } {
  const content = [
    `<p>Status ${status}, <code>${code}</code></p>`,
    ...descriptions.map((text) => `<p>${toHtml(text)}</p>`),
    ...details.map((text) => `<p class="note">For example: ${toHtml(text)}</p>`),
    code === 'invalid-field' || code === 'bad-query' ? valueCodes() : '',
    '<p><a href="/docs">The reference of the API</a></p>',
  ];
  return { title: escapeHtml(title), content: content.filter((part) => part !== '').join('\n') };
}

/** How the values in `errors` can be wrong. */
const valueCodes = (): string =>
  Object.entries(VALUE_CODES)
    .map(([code, text]) => `<p><code>${code}</code>: ${toHtml(text)}</p>`)
    .join('\n');

/** The page about a code, for people. */
export const errorPageOperation = (endpointsOf: EndpointsOf) =>
  publicOperation('GET', `${CODES_PATH}/:code`, 'getErrorPage', {
    summary: 'Read about a code of errors',
    isHidden: true,
    answer: pageAnswer('A page for a person.'),
    async handle({ params: { code } }, response, app) {
      const entry = codesOf(endpointsOf(app)).find((one) => one.code === code);
      if (!entry) throw noSuchPath();
      const translations = { language: 'en', dir: 'ltr' } as const;
      writeSmallPage(response, 200, { translations, sign: 'problem', ...contentOf(entry) }, {}, app.limits);
    },
  });
