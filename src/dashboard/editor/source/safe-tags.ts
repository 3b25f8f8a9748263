import type { Token } from 'parse5';

/** A start tag as it is written without what could run. `before` has all before its first attribute, `after` the rest. */
export type SafeTag = { to: number; before: string; after: string };

/** The attribute by which the frame finds places. */
export const PLACE_ATTRIBUTE = 'data-formhost-place';

/** Attributes that load another page into this one, send something, or take the focus; and our own, which only we write. */
const LEFT_OUT = new Set(['srcdoc', 'ping', 'autofocus', PLACE_ATTRIBUTE]);
/** Attributes of single elements that load what could run. */
const LEFT_OUT_OF: Readonly<Record<string, readonly string[]>> = {
  script: ['src', 'href', 'xlink:href', 'type', 'language'],
  meta: ['http-equiv'],
  iframe: ['src'],
  frame: ['src'],
  fencedframe: ['src'],
  portal: ['src'],
  embed: ['src'],
  object: ['data', 'codebase', 'classid'],
  applet: ['code', 'archive', 'object', 'codebase'],
};
/** The type of a script that no browser runs. Of two attributes with one name, the first counts. */
const SCRIPT_OFF = ' type="text/formhost-off"';

const SCRIPT_URL = /(?:java|vb)script:/i;
const UNREAD = /[\0-\x20]+/g;

function isUnsafe(tagName: string, { name, value }: { name: string; value: string }): boolean {
  if (name.startsWith('on') || LEFT_OUT.has(name)) return true;
  if (Object.hasOwn(LEFT_OUT_OF, tagName) && LEFT_OUT_OF[tagName]?.includes(name)) return true;
  return value.includes(':') && SCRIPT_URL.test(value.replaceAll(UNREAD, ''));
}

const escaped = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Returns how a start tag is written without what could run; undefined if it has nothing of that. */
export function safeTag({ tagName, attrs, selfClosing, location }: Token.TagToken): SafeTag | undefined {
  const isScript = tagName === 'script';
  if (!location || !(isScript || attrs.some((attr) => isUnsafe(tagName, attr)))) return undefined;
  const kept = attrs.filter((attr) => !isUnsafe(tagName, attr));
  const written = kept.map(({ name, value }) => ` ${name}="${escaped(value)}"`).join('');
  const before = `<${tagName}${isScript ? SCRIPT_OFF : ''}`;
  return { to: location.endOffset, before, after: `${written}${selfClosing ? '/' : ''}>` };
}
