/** Places in which a title is looked for: a page may name one in its comments and scripts too. */
const MAX_PLACES = 20;
const OPENING = /<title(?=[\s>])[^>]{0,1000}>/gi;
const CLOSING = /<\/title/gi;
/** The beginnings of a page, after which a title may stand. */
const HEADS = [/<head(?=[\s>])[^>]{0,1000}>/i, /<html(?=[\s>])[^>]{0,1000}>/i, /<!doctype[^>]{0,1000}>/i];

const shown = (html: string): string => new DOMParser().parseFromString(html, 'text/html').title;

/** Returns the pages that come into question: with the new text in one of the titles, or with a title of their own. */
function* attempts(html: string, text: string): Generator<string> {
  let places = 0;
  for (const { index, 0: tag } of html.matchAll(OPENING)) {
    places += 1;
    CLOSING.lastIndex = index;
    const end = CLOSING.exec(html)?.index;
    if (end === undefined || places > MAX_PLACES) break;
    yield html.slice(0, index + tag.length) + text + html.slice(end);
  }
  const added = `<title>${text}</title>`;
  for (const head of HEADS) {
    const found = head.exec(html);
    if (found) yield html.slice(0, found.index + found[0].length) + added + html.slice(found.index + found[0].length);
  }
  yield added + html;
}

/** Returns a page with another title, and every other character as it was. Throws where no place for it is found. */
export function withTitle(html: string, title: string): string {
  const text = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  for (const changed of attempts(html, text)) if (shown(changed) === title) return changed;
  throw new Error('The name stands in no place that can be changed from here: change it in the editor.');
}
