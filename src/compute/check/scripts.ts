import { PLACEHOLDER } from '../render-page.ts';
import { attribute, type HtmlElement, hasAttribute, isHtml } from './html-tree.ts';
import type { PageParts } from './read-page.ts';
import { rawTextOf } from './texts.ts';

/*
 * Finds what scripts may do with forms, as far as their text says it. Where a script may send a form, its attributes are no
 * problem.
 */

export type Scripts = {
  /** Whether a script has the address that forms post to. */
  hasAddress: boolean;
  /** Whether a script on the page sends what forms have. */
  sendsForms: boolean;
  /** Whether one has a form sent as its attributes say. */
  callsSubmit: boolean;
  /** Whether there are scripts that can't be read here. */
  hasOthers: boolean;
};

const JAVASCRIPT = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:babel|jsx))$/i;
const CALL = /\.(?:requestSubmit|submit)\s?\(/;
const REQUEST = /\bfetch\s?\(|\bXMLHttpRequest\b|\bsendBeacon\b|\baxios\b|\.ajax\b|\$\.post\b/;
const OF_FORM = /submit|FormData|serialize\(|\bforms?\b/i;

/** The attributes by which frameworks send a form, in lower case as the parser has them. */
const FRAMEWORK =
  /^(?:onsubmit|(?:data-)?hx-(?:post|put)|(?:@|x-on:|v-on:|on:)submit(?:$|[.:|])|\(?ng-?submit\)?$|\(submit\)$)/;
const STIMULUS = /(?:^|\s|>)(?:submit->|\S+#submit)/;

export const isJavaScript = (script: HtmlElement): boolean =>
  isHtml(script, 'script') && JAVASCRIPT.test((attribute(script, 'type') ?? '').trim());

/** Whether an element has scripts of its own for what people do with it. */
export const hasHandlers = ({ attrs }: HtmlElement): boolean =>
  attrs.some(({ name }) => /^(?:on|@|x-on:|v-on:|hx-|\()/.test(name));

/** Whether the attributes of a form give it to a script or a framework. */
export const isGivenToScript = ({ attrs }: HtmlElement): boolean =>
  attrs.some(
    ({ name, value }) => FRAMEWORK.test(name) || (name === 'data-action' && STIMULUS.test(value.slice(0, 1_000))),
  );

/** `submitAddress`: the URL without its scheme that stands for the placeholder. */
export function readScripts({ scripts, elements }: PageParts, submitAddress: string): Scripts {
  const read: Scripts = { hasAddress: false, sendsForms: false, callsSubmit: false, hasOthers: false };
  const readText = (text: string): void => {
    read.hasAddress ||= text.includes(PLACEHOLDER) || text.includes(submitAddress);
    read.callsSubmit ||= CALL.test(text);
    read.sendsForms ||= REQUEST.test(text) && OF_FORM.test(text);
  };
  for (const script of scripts) {
    if (!isJavaScript(script)) continue;
    if (hasAttribute(script, 'src')) read.hasOthers = true;
    else readText(rawTextOf(script));
  }
  for (const { attrs } of elements) {
    for (const { name, value } of attrs) if (name.startsWith('on')) readText(value);
  }
  read.sendsForms ||= read.hasAddress;
  return read;
}
