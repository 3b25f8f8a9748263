import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, type Token } from 'parse5';
import { isHtml } from '../../forms/html-tree.ts';

/** A head that is longer, or nested deeper, is not read: nobody waits for pages that are made to be slow. */
const MAX_HEAD_CHARS = 128 * 1024;
const MAX_HEAD_DEPTH = 32;

/** Ends the work of the parser. `at`: the place that it has found. */
class Ended extends Error {
  readonly at: number | undefined;

  constructor(at: number | undefined) {
    super('The head has been read.');
    this.at = at;
  }
}

/** Reads the head of a page, and knows the place of the token that begins the body. */
class HeadParser extends Parser<DefaultTreeAdapterMap> {
  #last: Token.Token | undefined;

  override onStartTag(token: Token.TagToken): void {
    this.#last = token;
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.#last = token;
    super.onEndTag(token);
  }

  override onCharacter(token: Token.CharacterToken): void {
    this.#last = token;
    super.onCharacter(token);
  }

  override onNullCharacter(token: Token.CharacterToken): void {
    this.#last = token;
    super.onNullCharacter(token);
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.#last = token;
    super.onWhitespaceCharacter(token);
  }

  /** The place behind the tag of a body, or before anything else that makes one. */
  placeOf(name: string): number | undefined {
    const { location = null } = this.#last ?? {};
    const isOwnTag = name === 'body' && this.#last && 'tagName' in this.#last && this.#last.tagName === name;
    return isOwnTag ? location?.endOffset : location?.startOffset;
  }
}

/**
 * Returns where in the source of a page a text would be the first in its body, whatever is open at the end of the page; undefined: that is
 * not found. Before a <frameset>, a text makes it a page with a body.
 */
export function bodyStart(html: string): number | undefined {
  let depth = 0;
  const parser = new HeadParser({
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush(element) {
        if (isHtml(element, 'body') || isHtml(element, 'frameset')) throw new Ended(parser.placeOf(element.tagName));
        depth += 1;
        if (depth > MAX_HEAD_DEPTH) throw new Ended(undefined);
      },
      onItemPop() {
        depth -= 1;
      },
    },
  });
  try {
    parser.tokenizer.write(html.slice(0, MAX_HEAD_CHARS), false);
  } catch (error) {
    if (error instanceof Ended) return error.at;
    throw error;
  }
  return undefined;
}
