import { attribute, type HtmlElement, isHtml } from '../../forms/html-tree.ts';
import { rawTextOf } from '../../forms/page-texts.ts';
import { PLACEHOLDER } from '../render-page.ts';
import type { AddressReader } from './addresses.ts';
import type { PageParts } from './read-page.ts';

/*
 * Finds what scripts may do with forms, as far as their text says it. Where a script may send a form, its attributes are no
 * problem.
 */

/** The facts that the text of one script, or of several, tells. */
export type ScriptFacts = {
  /** True if a script has the address that forms post to. */
  hasAddress: boolean;
  /** True if a script makes requests. `requestsAddress`: one that makes requests has the address that forms post to. */
  requests: boolean;
  requestsAddress: boolean;
  /** True if a script on the page sends the content of forms. */
  sendsForms: boolean;
  /** True if a script submits a form as the form's attributes say. */
  callsSubmit: boolean;
};

export type Scripts = ScriptFacts & {
  /** True if there are scripts that can't be read here. */
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

/** Returns whether a script is written with the tags of React. */
export const isJsx = (script: HtmlElement): boolean =>
  /babel|jsx/i.test((attribute(script, 'type') ?? '').slice(0, 100));

export const isJavaScript = (script: HtmlElement): boolean =>
  isHtml(script, 'script') && JAVASCRIPT.test((attribute(script, 'type') ?? '').trim());

/** Returns whether an element has scripts of its own for the actions of visitors. */
export const hasHandlers = ({ attrs }: HtmlElement): boolean =>
  attrs.some(({ name }) => /^(?:on|@|x-on:|v-on:|hx-|\()/.test(name));

/** Returns whether the attributes of a form hand it to a script or a framework. */
export const isGivenToScript = ({ attrs }: HtmlElement): boolean =>
  attrs.some(
    ({ name, value }) => FRAMEWORK.test(name) || (name === 'data-action' && STIMULUS.test(value.slice(0, 1_000))),
  );

const NO_FACTS: ScriptFacts = {
  ...{ hasAddress: false, requests: false, requestsAddress: false },
  ...{ sendsForms: false, callsSubmit: false },
};

const joined = (one: ScriptFacts, other: ScriptFacts): ScriptFacts => ({
  hasAddress: one.hasAddress || other.hasAddress,
  requests: one.requests || other.requests,
  requestsAddress: one.requestsAddress || other.requestsAddress,
  sendsForms: one.sendsForms || other.sendsForms,
  callsSubmit: one.callsSubmit || other.callsSubmit,
});

/** Reads a script. `submitAddress`: the URL without its scheme that stands for the placeholder. */
export function factsOf(text: string, submitAddress: string): ScriptFacts {
  const addresses = [PLACEHOLDER, submitAddress, submitAddress.replace('/submit/', '/f/')];
  const hasAddress = addresses.some((address) => text.includes(address));
  const requests = REQUEST.test(text);
  return {
    ...{ hasAddress, requests, requestsAddress: hasAddress && requests },
    sendsForms: hasAddress || (requests && OF_FORM.test(text)),
    callsSubmit: CALL.test(text),
  };
}

/** Reads the scripts of a page. `ofSite`: those of its site, by their paths, which it may load. */
export function readScripts(
  { scripts, elements }: PageParts,
  address: AddressReader,
  ofSite: ReadonlyMap<string, ScriptFacts>,
): Scripts {
  let read = NO_FACTS;
  let hasOthers = false;
  for (const script of scripts) {
    if (!isJavaScript(script)) continue;
    const source = attribute(script, 'src');
    if (source === undefined) read = joined(read, factsOf(rawTextOf(script), address.submitAddress));
    else {
      // It may import others.
      hasOthers = true;
      const path = address.fileOf(source);
      read = joined(read, ofSite.get(path ?? '') ?? NO_FACTS);
    }
  }
  for (const { attrs } of elements) {
    for (const { name, value } of attrs) {
      if (name.startsWith('on')) read = joined(read, factsOf(value, address.submitAddress));
    }
  }
  return { ...read, hasOthers };
}
