import type { Response } from 'express';
import { inApiWords, literal } from '../../problems/sentence.ts';
import { wantsTemplates } from './accept.ts';

/**
 * The header with what the owner should know and no field says: sentences without a period at the end, with `; ` between
 * them.
 */
export const NOTICE = 'formhost-notice';

/** The header, for the declaration of an answer. */
export const NOTICE_HEADER = {
  [NOTICE]: {
    description:
      'What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them.',
    required: false,
    schema: { type: 'string' },
  },
} as const;

/** Adds a notice, given as a template, to an answer in the form that its client asks for. */
export function addNotice(response: Response, template: string): void {
  const before = response.get(NOTICE);
  const sentence = wantsTemplates(response.req.headers) ? template : inApiWords(template);
  // A header has ASCII only.
  const added = sentence.replaceAll(/[^\x20-\x7e]/g, '?');
  response.set(NOTICE, before === undefined ? added : `${before}; ${added}`);
}

/** The notice about a page whose forms don't get the widget that the settings ask for. */
export const NO_WIDGET_NOTICE =
  "The page is too complex for ALTCHA's widget to be added to its forms, so that what they send goes to the spam folder: close each element before the one that it is in, or write the widget into the page";

type Named = { total: number; ids: readonly string[] };

const named = ({ total, ids }: Named): string =>
  `${ids.join(', ')}${total > ids.length ? ` and ${total - ids.length} more` : ''}`;

/** The notice about pages whose mail was switched off because a mail server has refused it. */
export const refusedMailNotice = (pages: Named): string =>
  `Mail about ${pages.total === 1 ? 'a page' : `${pages.total} pages`} was switched off because the mail server refused an address, see {GET /deploy/:id/settings}: ${named(pages)}`;

/** The notices about pages that the operator has taken down. `contact`: that of ABUSE_CONTACT. */
export function takeDownNotices(contact: string | undefined) {
  const ask = `To ask why, contact ${contact === undefined ? 'the operator' : literal(contact)}`;
  return {
    page: `The operator has taken this page down: visitors see an error in its place, and its form accepts no submissions. ${ask}`,
    newHtml: `The operator has taken this page down: the new HTML is stored, and is not shown before the operator restores the page. ${ask}`,
    pages: (pages: Named): string =>
      `The operator has taken down ${pages.total} of your pages: ${named(pages)}. ${ask}`,
  };
}
